"""Contents: recognize data that was uploaded before in another file.

When a worker first reads a dataset, it stores a keyed digest of all cells or edges, whatever their order and spelling.
The release key makes it, which no database holds: without the key, nobody can find out whether some data is stored.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, and_, insert, or_, select

from storage.crypto.authenticity import digests_of, mac_of, require_authentic
from storage.database.locks import lock_name
from storage.database.records import columns_of
from storage.datasets.datasets import IS_KNOWN_OUTSIDE
from storage.orm import Content, Dataset


@dataclass(frozen=True)
class ContentRecord:
    """What recognizes the data of a dataset."""

    dataset_id: UUID
    tenant_id: UUID
    digest: bytes
    same_as: UUID | None


_COLUMNS = columns_of(ContentRecord, Content)
CODE = ("content", tuple(column.key for column in _COLUMNS))
"""The kind of the code of a row, and the columns that it covers, in order."""


def keys_of_content(keys: bytes, tenant_id: UUID) -> list[bytes]:
    """The keys of digests by which a tenant's data is recognized, one for each release key, newest first."""
    return digests_of(keys, "cells", tenant_id.bytes)


def get_content(c: Connection, keys: bytes, dataset_id: UUID) -> ContentRecord | None:
    """What recognizes a dataset, once it was read; `Forged` if it was changed."""
    row = c.execute(select(*_COLUMNS, Content.mac).where(Content.dataset_id == dataset_id)).one_or_none()
    if row is None:
        return None
    *values, mac = row
    require_authentic(keys, CODE[0], values, mac)
    return ContentRecord(*values)


def add_content(c: Connection, keys: bytes, record: ContentRecord) -> None:
    """Store what recognizes a dataset."""
    c.execute(insert(Content).values(**vars(record), mac=mac_of(keys, CODE[0], list(vars(record).values()))))


def find_same(c: Connection, keys: bytes, tenant_id: UUID, lineage_id: UUID, digests: list[bytes]) -> UUID | None:
    """The oldest dataset of another lineage with the same content; concurrent readers of the same data wait for each
    other. Datasets that could not be read are ignored, and so are deleted ones of which nothing is known outside."""
    lock_name(c, "content", str(tenant_id), digests[-1].hex())
    statement = (
        select(*_COLUMNS, Content.mac)
        .join(Dataset, Dataset.id == Content.dataset_id)
        .where(Content.tenant_id == tenant_id, Content.digest.in_(digests), Dataset.lineage_id != lineage_id)
        .where(or_(Dataset.status.in_(["stored", "ready"]), and_(Dataset.status == "deleted", IS_KNOWN_OUTSIDE)))
        .order_by(Dataset.created_at)
        .limit(1)
    )
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    *values, mac = row
    require_authentic(keys, CODE[0], values, mac)
    return ContentRecord(*values).dataset_id
