"""Errors of the store.

    StorageError
    ├── CorruptBlob     a chunk or a key does not authenticate, or is missing
    ├── Forged          a row is not what was written under our key
    ├── Shredded        the key of an original is gone: nobody can read it any more
    ├── Missing         something that a new row has to refer to does not exist in the tenant
    ├── NameTaken       a tenant of that name exists
    ├── BadKeyFile      a key file does not hold what it should
    └── BadCursor       a cursor that this service did not hand out

No message holds content, a key or a name: ids, numbers and rules only.
"""


class StorageError(Exception):
    """Any error of the store."""


class CorruptBlob(StorageError):
    """A chunk or a key does not authenticate, or is missing."""


class Forged(StorageError):
    """A row is not what was written under our key."""


class Shredded(StorageError):
    """The key of an original is gone: nobody can read it any more."""


class Missing(StorageError):
    """Something that a new row has to refer to does not exist in the tenant."""


class NameTaken(StorageError):
    """A tenant of that name exists."""


class BadKeyFile(StorageError):
    """A key file does not hold what it should."""


class BadCursor(StorageError, ValueError):
    """A cursor that this service did not hand out."""
