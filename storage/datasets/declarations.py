"""Declarations: the public facts about a lineage, in versions. Rows carry a code under the release key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select

from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.records import columns_of
from storage.orm import Declaration

_KIND = "declaration"


@dataclass(frozen=True)
class DeclarationRecord:
    """One version of the declarations of a lineage."""

    lineage_id: UUID
    version: int
    tenant_id: UUID
    content: dict[str, Any]
    created_by: UUID
    created_at: datetime
    mac: bytes


_COLUMNS = columns_of(DeclarationRecord, Declaration)


def add_declarations(
    c: Connection, keys: bytes, tenant_id: UUID, lineage_id: UUID, content: dict[str, Any], created_by: UUID
) -> DeclarationRecord:
    """Store the next version; the caller holds the lock on the lineage's account."""
    newest = select(func.max(Declaration.version)).where(Declaration.lineage_id == lineage_id)
    version = (c.execute(newest).scalar_one() or 0) + 1
    created_at = c.execute(select(func.now())).scalar_one()
    bound = (lineage_id, version, tenant_id, content, created_by, created_at)
    values = dict(zip((column.key for column in _COLUMNS), (*bound, mac_of(keys, _KIND, bound)), strict=True))
    return DeclarationRecord(*c.execute(insert(Declaration).values(**values).returning(*_COLUMNS)).one())


def get_declarations(
    c: Connection, keys: bytes, lineage_id: UUID, version: int | None = None
) -> DeclarationRecord | None:
    """A version of the declarations of a lineage, by default the newest."""
    statement = select(*_COLUMNS).where(Declaration.lineage_id == lineage_id)
    if version is not None:
        statement = statement.where(Declaration.version == version)
    row = c.execute(statement.order_by(Declaration.version.desc()).limit(1)).one_or_none()
    if row is None:
        return None
    record = DeclarationRecord(*row)
    *bound, mac = row
    require_authentic(keys, _KIND, bound, mac)
    return record
