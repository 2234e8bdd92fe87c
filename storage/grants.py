"""Grants: analysts' shares of a lineage's account. `storage.ledger` spends them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert

from storage.orm import Budget, Dataset, Grant, Token
from storage.records import columns_of


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


def set_grant(
    c: Connection, tenant_id: UUID, lineage_id: UUID, token_id: UUID, dataset_id: UUID, total: int
) -> GrantRecord:
    """Set the total of an analyst's grant; it never falls below the amount spent."""
    values = {"tenant_id": tenant_id, "lineage_id": lineage_id, "token_id": token_id, "dataset_id": dataset_id}
    statement = insert(Grant).values(**values, total=total)
    changed = {"total": func.greatest(statement.excluded.total, Grant.spent), "dataset_id": dataset_id}
    statement = statement.on_conflict_do_update(index_elements=["lineage_id", "token_id"], set_=changed)
    return GrantRecord(*c.execute(statement.returning(*_COLUMNS)).one())


def get_grant(c: Connection, lineage_id: UUID, token_id: UUID) -> GrantRecord | None:
    """An analyst's grant on a lineage."""
    statement = select(*_COLUMNS).where(Grant.lineage_id == lineage_id, Grant.token_id == token_id)
    row = c.execute(statement).one_or_none()
    return None if row is None else GrantRecord(*row)


def any_grant(c: Connection, lineage_id: UUID) -> bool:
    """Whether a lineage has any grant."""
    return c.execute(select(Grant.token_id).where(Grant.lineage_id == lineage_id).limit(1)).one_or_none() is not None


def list_grants(c: Connection, tenant_id: UUID, token_id: UUID | None = None) -> list[NamedGrant]:
    """The tenant's grants on existing datasets, newest first; of one analyst if ``token_id`` is given."""
    statement = (
        select(*_COLUMNS, Token.name, Dataset.name.label("dataset"), Budget.measure)
        .join(Token, Token.id == Grant.token_id)
        .join(Dataset, Dataset.id == Grant.dataset_id)
        .join(Budget, Budget.lineage_id == Grant.lineage_id)
        .where(Grant.tenant_id == tenant_id, Dataset.status != "deleted", Token.revoked_at.is_(None))
        .order_by(Grant.created_at.desc(), Grant.token_id)
        .limit(1000)
    )
    if token_id is not None:
        statement = statement.where(Grant.token_id == token_id)
    return [NamedGrant(GrantRecord(*row[:-3]), *row[-3:]) for row in c.execute(statement)]
