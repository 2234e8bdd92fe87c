"""Errors of the store.

    StorageError
    ├── CorruptBlob     a chunk or a key does not authenticate, or is missing
    ├── Forged          a row was not written under our key, or was changed
    ├── Shredded        the key of an original is gone: it cannot be read anymore
    ├── Missing         a row that a new row must refer to does not exist in the tenant
    ├── NameTaken       a tenant of that name exists
    ├── BadKeyFile      the content of a key file is not valid
    └── BadCursor       a cursor that this service did not issue

Messages never contain content, keys or names: ids, numbers and rules only.
"""


class StorageError(Exception):
    """Any error of the store."""


class CorruptBlob(StorageError):
    """A chunk or a key does not authenticate, or is missing."""


class Forged(StorageError):
    """A row was not written under our key, or was changed."""


class Shredded(StorageError):
    """The key of an original is gone: it cannot be read anymore."""


class Missing(StorageError):
    """A row that a new row must refer to does not exist in the tenant."""


class NameTaken(StorageError):
    """A tenant of that name exists."""


class BadKeyFile(StorageError):
    """The content of a key file is not valid."""


class BadCursor(StorageError, ValueError):
    """A cursor that this service did not issue."""
