"""Listings: the open catalog's store of public releases, and of when their entries last changed.

The authenticated row of a release states whether it is public. A listing adds the time of the last change, so that a
harvester can request everything that changed since its last visit, removed releases included.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert

from storage.errors import Forged
from storage.orm import Listing, Release, Tenant
from storage.releases import releases
from storage.releases.releases import ReleaseRecord
from storage.tenancy.tenants import TenantRecord


@dataclass(frozen=True)
class ListingRecord:
    """One release that is or was public."""

    release_id: UUID
    tenant_id: UUID
    changed_at: datetime
    release: ReleaseRecord | None
    """None if it is no longer in the catalog."""
    changed: bool = False
    """Whether the release was changed behind our back, so that nothing of it is shown."""


@dataclass(frozen=True)
class Span:
    """A selection of listings: those that changed in [start, stop), of one tenant or of all."""

    start: datetime | None = None
    stop: datetime | None = None
    tenant_id: UUID | None = None


def list_release(c: Connection, release: ReleaseRecord) -> None:
    """Record that a release became public."""
    values = {"release_id": release.id, "tenant_id": release.tenant_id, "changed_at": func.now()}
    added = insert(Listing).values(values)
    c.execute(added.on_conflict_do_update(index_elements=["release_id"], set_={"changed_at": func.now()}))


def touch(c: Connection, release_id: UUID) -> None:
    """Record that the catalog's entry of a release changed, if it has or had one."""
    c.execute(update(Listing).where(Listing.release_id == release_id).values(changed_at=func.now()))


def touch_all(c: Connection, tenant_id: UUID) -> None:
    """The same for all releases of a tenant."""
    c.execute(update(Listing).where(Listing.tenant_id == tenant_id).values(changed_at=func.now()))


def get_listing(c: Connection, keys: bytes, release_id: UUID) -> ListingRecord | None:
    """A release that is or was public."""
    row = c.execute(select(*_COLUMNS).where(Listing.release_id == release_id)).one_or_none()
    if row is None:
        return None
    [listing] = _with_releases(c, keys, [row])
    if listing.changed:
        raise Forged("a listed release does not authenticate")
    return listing


def changed_listings(
    c: Connection, keys: bytes, span: Span, after: tuple[datetime, UUID] | None, limit: int
) -> list[ListingRecord]:
    """Listings in the order of their last change, starting after a position."""
    statement = select(*_COLUMNS)
    if span.start is not None:
        statement = statement.where(Listing.changed_at >= span.start)
    if span.stop is not None:
        statement = statement.where(Listing.changed_at < span.stop)
    if span.tenant_id is not None:
        statement = statement.where(Listing.tenant_id == span.tenant_id)
    if after is not None:
        statement = statement.where(tuple_(Listing.changed_at, Listing.release_id) > tuple_(*after))
    rows = c.execute(statement.order_by(Listing.changed_at, Listing.release_id).limit(limit)).all()
    return _with_releases(c, keys, list(rows))


_COLUMNS = (Listing.release_id, Listing.tenant_id, Listing.changed_at)


def _with_releases(c: Connection, keys: bytes, rows: list[tuple[UUID, UUID, datetime]]) -> list[ListingRecord]:
    found = releases.get_listed(c, keys, [row[0] for row in rows])
    return [ListingRecord(*row, found.get(row[0]), row[0] in found and found[row[0]] is None) for row in rows]


def first_change(c: Connection) -> datetime | None:
    """The earliest time of a last change."""
    return c.execute(select(func.min(Listing.changed_at))).scalar_one_or_none()


def last_change(c: Connection, tenant_id: UUID | None = None) -> datetime | None:
    """The latest time of a change, of one tenant or of all."""
    statement = select(func.max(Listing.changed_at))
    statement = statement if tenant_id is None else statement.where(Listing.tenant_id == tenant_id)
    return c.execute(statement).scalar_one_or_none()


def tenants_listed(c: Connection) -> list[TenantRecord]:
    """Tenants with a public release, by name."""
    public = select(Release.tenant_id).where(releases.LISTED)
    statement = select(Tenant.id, Tenant.name, Tenant.created_at).where(Tenant.id.in_(public)).order_by(Tenant.name)
    return [TenantRecord(*row) for row in c.execute(statement)]


def find_listed_tenant(c: Connection, name: str, tenant_id: UUID | None) -> TenantRecord | None:
    """The tenant with that name or id, if it has a public release; other tenants are not disclosed."""
    named = Tenant.name == name if tenant_id is None else or_(Tenant.name == name, Tenant.id == tenant_id)
    public = select(Release.tenant_id).where(releases.LISTED, Release.tenant_id == Tenant.id).correlate(Tenant).exists()
    statement = select(Tenant.id, Tenant.name, Tenant.created_at).where(named, public).order_by(Tenant.created_at)
    row = c.execute(statement.limit(1)).one_or_none()
    return None if row is None else TenantRecord(*row)


def names_of_tenants(c: Connection, ids: list[UUID]) -> dict[UUID, str]:
    """The names of tenants."""
    return {row.id: row.name for row in c.execute(select(Tenant.id, Tenant.name).where(Tenant.id.in_(ids)))}
