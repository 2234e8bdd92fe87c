"""Grants: analysts' shares of a lineage's account. `storage.accounts.ledger` spends them."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, func, insert, select, update

from storage.crypto.authenticity import mac_of, require_authentic, with_codes
from storage.database.records import columns_of
from storage.orm import Budget, Dataset, Grant, Token


@dataclass(frozen=True)
class GrantRecord:
    """One grant, in units of the lineage's account."""

    lineage_id: UUID
    token_id: UUID
    tenant_id: UUID
    dataset_id: UUID
    total: int
    spent: int
    created_at: datetime


@dataclass(frozen=True)
class NamedGrant:
    """A grant with the names of its analyst and dataset, and the account's measure."""

    grant: GrantRecord
    analyst: str
    dataset: str
    measure: str


_COLUMNS = columns_of(GrantRecord, Grant)
GRANT_CODE = ("grant", tuple(column.key for column in _COLUMNS))
"""The kind of the code of a grant, and the columns that it covers, in order."""


def set_grant(
    c: Connection, keys: bytes, tenant_id: UUID, lineage_id: UUID, token_id: UUID, dataset_id: UUID, total: int
) -> GrantRecord:
    """Set the total of an analyst's grant; it never falls below the amount spent. The caller holds the account."""
    known = get_grant(c, keys, lineage_id, token_id)
    if known is not None:
        changed = replace(known, dataset_id=dataset_id, total=max(total, known.spent))
        write_grant(c, keys, changed)
        return changed
    created_at = c.execute(select(func.now())).scalar_one()
    made = GrantRecord(lineage_id, token_id, tenant_id, dataset_id, total, 0, created_at)
    c.execute(insert(Grant).values(**vars(made), mac=_code(keys, made)))
    return made


def write_grant(c: Connection, keys: bytes, grant: GrantRecord) -> None:
    """Store a changed grant; the caller holds the account that it belongs to."""
    statement = update(Grant).where(Grant.lineage_id == grant.lineage_id, Grant.token_id == grant.token_id)
    values = {"dataset_id": grant.dataset_id, "total": grant.total, "spent": grant.spent}
    c.execute(statement.values(**values, mac=_code(keys, grant)))


def _code(keys: bytes, grant: GrantRecord) -> bytes:
    return mac_of(keys, GRANT_CODE[0], list(vars(grant).values()))


def get_grant(c: Connection, keys: bytes, lineage_id: UUID, token_id: UUID) -> GrantRecord | None:
    """An analyst's grant on a lineage; `Forged` if it does not have its code."""
    statement = select(*_COLUMNS, Grant.mac).where(Grant.lineage_id == lineage_id, Grant.token_id == token_id)
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    *values, mac = row
    require_authentic(keys, GRANT_CODE[0], values, mac)
    return GrantRecord(*values)


def any_grant(c: Connection, lineage_id: UUID) -> bool:
    """Whether a lineage has any grant."""
    return c.execute(select(Grant.token_id).where(Grant.lineage_id == lineage_id).limit(1)).one_or_none() is not None


def list_grants(c: Connection, keys: bytes, tenant_id: UUID, token_id: UUID | None = None) -> list[NamedGrant]:
    """The tenant's grants on existing datasets, newest first; of one analyst if ``token_id`` is given."""
    statement = (
        select(*_COLUMNS, Grant.mac, Token.name, Dataset.name.label("dataset"), Budget.measure)
        .join(Token, Token.id == Grant.token_id)
        .join(Dataset, Dataset.id == Grant.dataset_id)
        .join(Budget, Budget.lineage_id == Grant.lineage_id)
        .where(Grant.tenant_id == tenant_id, Dataset.status != "deleted", Token.revoked_at.is_(None))
        .order_by(Grant.created_at.desc(), Grant.token_id)
        .limit(1000)
    )
    if token_id is not None:
        statement = statement.where(Grant.token_id == token_id)
    rows = with_codes(keys, GRANT_CODE[0], c.execute(statement), lambda row: (row[:-4], row.mac))
    return [NamedGrant(GrantRecord(*row[:-4]), *row[-3:]) for row in rows]
