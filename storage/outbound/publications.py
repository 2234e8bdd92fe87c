"""Publications: releases on portals, their intended and actual states.

A publication is queued, then published or failed. When its release is withdrawn, it is withdrawn or could not be
removed. The courier claims due publications under a lease, as it does with deliveries. The id that the portal gave to
the release is kept even if the publication was withdrawn while it was being sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, and_, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.records import columns_of
from storage.orm import Portal, Publication
from storage.outbound.portals import COLUMNS as PORTAL_COLUMNS
from storage.outbound.portals import PortalRecord

_KIND = "publication"


@dataclass(frozen=True)
class PublicationRecord:
    """A release on a portal."""

    id: UUID
    tenant_id: UUID
    release_id: UUID
    portal_id: UUID
    mode: str
    base: str
    created_by: UUID | None
    created_at: datetime
    mac: bytes
    state: str
    reason: str | None
    remote: dict[str, Any]
    attempts: int
    next_at: datetime
    changed_at: datetime


@dataclass(frozen=True)
class PublicationDraft:
    """A release about to be queued for a portal."""

    tenant_id: UUID
    release_id: UUID
    portal_id: UUID
    mode: str
    base: str
    created_by: UUID | None


@dataclass(frozen=True)
class Errand:
    """A claimed publication, to send or to remove, and its portal."""

    publication: PublicationRecord
    portal: PortalRecord


COLUMNS = columns_of(PublicationRecord, Publication)
_BOUND = ("tenant_id", "release_id", "portal_id", "mode", "base", "created_by")
_IDLE = or_(Publication.lease_until.is_(None), Publication.lease_until < func.now())
DUE = and_(Publication.state.in_(("queued", "withdrawing")), Publication.next_at <= func.now(), _IDLE)


def publish(c: Connection, keys: bytes, draft: PublicationDraft) -> PublicationRecord:
    """Queue a release for a portal; one that is already there is sent again, as the same publication."""
    values: dict[str, Any] = {**vars(draft), "mac": mac_of(keys, _KIND, [getattr(draft, name) for name in _BOUND])}
    now = {"state": "queued", "reason": None, "attempts": 0, "next_at": func.now(), "changed_at": func.now()}
    added = insert(Publication).values(**values, id=uuid4())
    changed = {name: values[name] for name in ("mode", "base", "created_by", "mac")} | now
    # One row for each release and portal, with the portal's ids: sending again changes the entry there, no second one.
    statement = added.on_conflict_do_update(index_elements=["release_id", "portal_id"], set_=changed)
    return PublicationRecord(*c.execute(statement.returning(*COLUMNS)).one())


def add(c: Connection, keys: bytes, draft: PublicationDraft, refused: str | None = None) -> None:
    """Queue a release that a job requested for a portal, or record why it cannot be published there."""
    bound = mac_of(keys, _KIND, [getattr(draft, name) for name in _BOUND])
    state = "queued" if refused is None else "failed"
    values: dict[str, Any] = {**vars(draft), "mac": bound, "id": uuid4(), "state": state, "reason": refused}
    c.execute(insert(Publication).values(**values))


def require_bound(keys: bytes, record: PublicationRecord) -> None:
    """Raise `Forged` if the publication was changed after it was requested."""
    require_authentic(keys, _KIND, [getattr(record, name) for name in _BOUND], record.mac)


def list_publications(c: Connection, tenant_id: UUID, release_id: UUID) -> list[PublicationRecord]:
    """All publications of a release, past ones included."""
    statement = select(*COLUMNS).where(Publication.tenant_id == tenant_id, Publication.release_id == release_id)
    rows = c.execute(statement.order_by(Publication.created_at.desc(), Publication.id))
    return [PublicationRecord(*row) for row in rows]


def get_publication(c: Connection, tenant_id: UUID, publication_id: UUID) -> PublicationRecord | None:
    """A publication of the tenant."""
    statement = select(*COLUMNS).where(Publication.id == publication_id, Publication.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    return None if row is None else PublicationRecord(*row)


def withdraw(c: Connection, publication_ids: Sequence[UUID]) -> list[PublicationRecord]:
    """Queue these for removal from their portals, failed ones too: they may have left something there."""
    removing = update(Publication).where(Publication.id.in_(publication_ids), Publication.state != "withdrawn")
    now = {"state": "withdrawing", "reason": None, "attempts": 0, "next_at": func.now(), "changed_at": func.now()}
    return [PublicationRecord(*row) for row in c.execute(removing.values(**now).returning(*COLUMNS))]


def withdraw_all(c: Connection, release_id: UUID) -> int:
    """Queue a release for removal from every portal; return the number of portals."""
    there = list(c.execute(select(Publication.id).where(Publication.release_id == release_id)).scalars())
    return len(withdraw(c, there))


def claim(c: Connection, lease_seconds: float, most: int, busy: Sequence[UUID] = ()) -> list[Errand]:
    """Claim due publications, at most one per portal and none of busy portals."""
    place = func.row_number().over(partition_by=Publication.portal_id, order_by=(Publication.next_at, Publication.id))
    ranked = select(Publication.id, place.label("place")).where(DUE, Publication.portal_id.not_in(busy))
    first = ranked.subquery("ranked")
    chosen = select(first.c.id).where(first.c.place == 1).limit(most)
    due = select(Publication.id).where(Publication.id.in_(chosen), DUE).with_for_update(skip_locked=True)
    locked = due.subquery("due")
    taken = (
        update(Publication)
        .where(Publication.id == locked.c.id, Portal.id == Publication.portal_id)
        .values(lease_until=func.now() + timedelta(seconds=lease_seconds), attempts=Publication.attempts + 1)
        .returning(*COLUMNS, *PORTAL_COLUMNS)
    )
    width = len(COLUMNS)
    return [Errand(PublicationRecord(*row[:width]), PortalRecord(*row[width:])) for row in c.execute(taken)]


def keep_remote(c: Connection, publication_id: UUID, remote: Mapping[str, Any], lease_seconds: float) -> None:
    """Store the portal's ids of a release as soon as they are known, and extend the lease."""
    c.execute(update(Publication).where(Publication.id == publication_id).values(remote=dict(remote)))
    hold(c, publication_id, lease_seconds)


def hold(c: Connection, publication_id: UUID, lease_seconds: float) -> None:
    """Extend the lease of a publication that is being sent."""
    lease = func.now() + timedelta(seconds=lease_seconds)
    c.execute(update(Publication).where(Publication.id == publication_id).values(lease_until=lease))


def settle(c: Connection, held: PublicationRecord, state: str, reason: str | None) -> bool:
    """Record how it ended; False, with the state unchanged, if it was changed or claimed again meanwhile."""
    return _end(c, held, {"state": state, "reason": reason})


def try_again(c: Connection, held: PublicationRecord, reason: str, again_after: float) -> None:
    """Record why an attempt failed, and schedule the next one."""
    _end(c, held, {"reason": reason, "next_at": func.now() + timedelta(seconds=again_after)})


def _end(c: Connection, held: PublicationRecord, values: dict[str, Any]) -> bool:
    """Record the end of an attempt that still has its claim, and end its lease."""
    row = update(Publication).where(Publication.id == held.id)
    # Attempts are counted again from zero after each change: their number alone does not show whose claim it is.
    mine = and_(Publication.changed_at == held.changed_at, Publication.attempts == held.attempts)
    ended = c.execute(row.where(mine).values(**values, lease_until=None, changed_at=func.now())).rowcount == 1
    # Changed while it was sent, and not claimed since: without a lease the change is due at once.
    if not ended:
        c.execute(row.where(Publication.attempts == 0).values(lease_until=None))
    return ended
