"""Policies: named, versioned and immutable."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, func, insert, select

from storage.crypto.authenticity import mac_of, require_authentic, with_codes
from storage.database.locks import lock_name
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Policy


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
    mac: bytes


_KIND = "policy"
_COLUMNS = columns_of(PolicyRecord, Policy)


def create_policy(
    c: Connection,
    keys: bytes,
    tenant_id: UUID,
    name: str,
    public: dict[str, Any],
    blob_id: UUID,
    fingerprint: bytes | None = None,
) -> PolicyRecord:
    """Store the next version of the name. A concurrent call waits and gets the version after."""
    lock_name(c, "policy", str(tenant_id), name)
    newest = select(func.max(Policy.version)).where(Policy.tenant_id == tenant_id, Policy.name == name)
    version = (c.execute(newest).scalar_one() or 0) + 1
    values = {"id": uuid4(), "tenant_id": tenant_id, "name": name, "version": version, "public": public}
    values |= {"blob_id": blob_id, "fingerprint": fingerprint}
    mac = mac_of(keys, _KIND, _bound(values))
    return PolicyRecord(*c.execute(insert(Policy).values(**values, mac=mac).returning(*_COLUMNS)).one())


def _bound(policy: Mapping[str, Any]) -> list[Any]:
    names = ("id", "tenant_id", "name", "version", "public", "blob_id", "fingerprint")
    return [policy[name] for name in names]


def _record(keys: bytes, row: Any) -> PolicyRecord:
    """The policy of a row; `Forged` if it was changed after it was stored."""
    record = PolicyRecord(*row)
    require_authentic(keys, _KIND, _bound(vars(record)), record.mac)
    return record


def get_policy(c: Connection, keys: bytes, tenant_id: UUID, policy_id: UUID) -> PolicyRecord | None:
    """A policy of the tenant."""
    statement = select(*_COLUMNS).where(Policy.id == policy_id, Policy.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    return None if row is None else _record(keys, row)


def list_policies(
    c: Connection, keys: bytes, tenant_id: UUID, limit: int, cursor: str | None = None
) -> Page[PolicyRecord]:
    """The tenant's policies, every version."""
    statement = select(*_COLUMNS).where(Policy.tenant_id == tenant_id)
    order = (Policy.created_at, Policy.id)
    page = fetch_page(
        c, statement, order, limit, cursor, lambda row: PolicyRecord(*row), lambda item: (item.created_at, item.id)
    )
    return Page(with_codes(keys, _KIND, page.items, lambda item: (_bound(vars(item)), item.mac)), page.next_cursor)
