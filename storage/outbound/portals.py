"""Portals: where releases can be sent, with credentials that only the courier can open."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from sqlalchemy import Connection, func, insert, select, update

from storage.crypto.authenticity import mac_of, require_authentic
from storage.crypto.sealed_secrets import seal_secret
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Portal, Publication

MOST = 50
"""Most portals of one tenant."""
_KIND = "portal"


@dataclass(frozen=True)
class PortalRecord:
    """One portal."""

    id: UUID
    tenant_id: UUID
    kind: str
    name: str
    url: str
    options: dict[str, Any]
    credentials: bytes
    created_by: UUID
    created_at: datetime
    mac: bytes
    deleted_at: datetime | None


@dataclass(frozen=True)
class PortalDraft:
    """A portal about to be registered."""

    tenant_id: UUID
    kind: str
    name: str
    url: str
    options: dict[str, Any]
    created_by: UUID


COLUMNS = columns_of(PortalRecord, Portal)
_KEPT = Portal.deleted_at.is_(None)
_BOUND = ("id", "tenant_id", "kind", "name", "url", "options", "credentials", "created_by")
_THERE = ("queued", "published", "withdrawing", "could_not_be_removed")
"""States of publications that may have left something on the portal."""


def create_portal(c: Connection, keys: bytes, courier: X25519PublicKey, draft: PortalDraft, token: str) -> PortalRecord:
    """Register a portal; from now on only the courier can read its key."""
    portal_id = uuid4()
    sealed = seal_secret(courier, portal_id, draft.url, token.encode())
    values: dict[str, Any] = {**vars(draft), "id": portal_id, "credentials": sealed}
    statement = insert(Portal).values(**values, mac=mac_of(keys, _KIND, [values[name] for name in _BOUND]))
    return PortalRecord(*c.execute(statement.returning(*COLUMNS)).one())


def require_bound(keys: bytes, record: PortalRecord) -> None:
    """Raise `Forged` if the portal was changed after it was registered."""
    require_authentic(keys, _KIND, [getattr(record, name) for name in _BOUND], record.mac)


def count_portals(c: Connection, tenant_id: UUID) -> int:
    """The number of portals of a tenant."""
    statement = select(func.count()).select_from(Portal).where(Portal.tenant_id == tenant_id, _KEPT)
    return int(c.execute(statement).scalar_one())


def get_portal(c: Connection, keys: bytes, tenant_id: UUID, portal_id: UUID) -> PortalRecord | None:
    """A portal of the tenant."""
    statement = select(*COLUMNS).where(Portal.id == portal_id, Portal.tenant_id == tenant_id, _KEPT)
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    record = PortalRecord(*row)
    require_bound(keys, record)
    return record


def list_portals(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[PortalRecord]:
    """The tenant's portals, newest first."""
    statement = select(*COLUMNS).where(Portal.tenant_id == tenant_id, _KEPT)
    order = (Portal.created_at, Portal.id)
    return fetch_page(
        c, statement, order, limit, cursor, lambda row: PortalRecord(*row), lambda item: (item.created_at, item.id)
    )


def in_use(c: Connection, portal_id: UUID) -> bool:
    """Whether a release is, or may be, on the portal."""
    there = select(Publication.id).where(Publication.portal_id == portal_id, Publication.state.in_(_THERE))
    return c.execute(there.limit(1)).one_or_none() is not None


def delete_portal(c: Connection, tenant_id: UUID, portal_id: UUID) -> bool:
    """Forget a portal and its key; False if the tenant has no such portal."""
    statement = update(Portal).where(Portal.id == portal_id, Portal.tenant_id == tenant_id, _KEPT)
    return c.execute(statement.values(deleted_at=func.now())).rowcount == 1
