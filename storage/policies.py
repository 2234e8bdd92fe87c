"""Policies: named, versioned and immutable."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, func, insert, select

from storage.locks import lock_name
from storage.orm import Policy
from storage.paging import Page, fetch_page
from storage.records import columns_of


@dataclass(frozen=True)
class PolicyRecord:
    """One version of a named policy."""

    id: UUID
    tenant_id: UUID
    name: str
    version: int
    public: dict[str, Any]
    blob_id: UUID
    created_at: datetime
    fingerprint: bytes | None


_COLUMNS = columns_of(PolicyRecord, Policy)


def create_policy(
    c: Connection,
    tenant_id: UUID,
    name: str,
    public: dict[str, Any],
    blob_id: UUID,
    fingerprint: bytes | None = None,
) -> PolicyRecord:
    """Store the next version of the name. Whoever comes at the same time waits and gets the version after."""
    lock_name(c, "policy", str(tenant_id), name)
    newest = select(func.max(Policy.version)).where(Policy.tenant_id == tenant_id, Policy.name == name)
    version = (c.execute(newest).scalar_one() or 0) + 1
    values = {"id": uuid4(), "tenant_id": tenant_id, "name": name, "version": version, "public": public}
    values |= {"blob_id": blob_id, "fingerprint": fingerprint}
    return PolicyRecord(*c.execute(insert(Policy).values(**values).returning(*_COLUMNS)).one())


def get_policy(c: Connection, tenant_id: UUID, policy_id: UUID) -> PolicyRecord | None:
    """A policy of the tenant."""
    statement = select(*_COLUMNS).where(Policy.id == policy_id, Policy.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    return None if row is None else PolicyRecord(*row)


def list_policies(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[PolicyRecord]:
    """The tenant's policies, every version."""
    statement = select(*_COLUMNS).where(Policy.tenant_id == tenant_id)
    keys = (Policy.created_at, Policy.id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: PolicyRecord(*row), lambda item: (item.created_at, item.id)
    )
