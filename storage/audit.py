"""The audit trail: one hash chain for each tenant, anchored outside the database that holds it.

Every event carries the digest of the one before (Haber and Stornetta, "How to time-stamp a digital document", Journal
of Cryptology, 1991), so an edited or removed row breaks the chain at its place. A chain that is cut at its end is
whole in itself; therefore the sweeper copies the heads into the keyring, and a chain that no longer reaches its
anchors is broken too. Both databases let the service and the workers add rows and nothing else.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Connection,
    Insert,
    LargeBinary,
    Text,
    Uuid,
    bindparam,
    func,
    insert,
    literal,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import insert as insert_or_keep

from storage.locks import lock_name
from storage.orm import AuditAnchor, AuditEvent, Tenant
from storage.paging import Page, cut, decode_number, encode_number
from storage.records import columns_of

GENESIS = bytes(32)
"""What the first event of a chain carries as the digest before it."""
_BATCH = 1_000


@dataclass(frozen=True)
class EventRecord:
    """One event of a tenant's chain."""

    tenant_id: UUID
    number: int
    at: datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    previous: bytes
    digest: bytes


@dataclass(frozen=True)
class ChainState:
    """What a re-computation of the chain found."""

    intact: bool
    events: int
    """How many events the chain holds."""
    broken_at: int | None
    """Number of the first event that is changed or missing."""
    head: str
    """Digest of the last event, in hexadecimal."""
    anchored: int
    """Number of the last event whose digest is also in the keyring; 0 if there is none."""


_COLUMNS = columns_of(EventRecord, AuditEvent)


def append(
    c: Connection, tenant_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any] | None = None
) -> None:
    """Add an event to the tenant's chain, in the transaction of what it tells of.

    Writers of one chain wait for each other until they commit, so this comes last in a transaction.
    """
    lock_name(c, *chain_name(tenant_id))
    c.execute(_APPEND, event_parameters(tenant_id, actor, action, subject, details))


def chain_name(tenant_id: UUID) -> tuple[str, str]:
    """The name under which a tenant's chain is locked before its last link is read."""
    return "audit", str(tenant_id)


def event_parameters(
    tenant_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What `appending` binds."""
    plain = _plain(json.loads(json.dumps(details or {}, default=str, allow_nan=False)))
    told = _canonical([actor, action, subject, plain])[1:-1]
    given = (tenant_id, actor, action, subject, plain)
    return {**dict(zip(_GIVEN, given, strict=True)), "event_told": told}


def appending() -> Insert:
    """What reads the time and the last link and adds the next, alone or as part of a statement.

    The chain must have been locked by a statement before. The digest is computed where the link before it is read; it
    is that of `_digest`: each verification shows it.
    """
    clock = select(func.clock_timestamp().label("at")).subquery("clock")
    head = (
        select(AuditEvent.number, AuditEvent.digest)
        .where(AuditEvent.tenant_id == bindparam("event_tenant_id", type_=Uuid))
        .order_by(AuditEvent.number.desc())
        .limit(1)
        .subquery("head")
    )
    number = func.coalesce(head.c.number, 0) + 1
    previous = func.coalesce(head.c.digest, literal(GENESIS, LargeBinary))
    link = (
        select(clock.c.at, number.label("number"), previous.label("previous"))
        .select_from(clock.outerjoin(head, true()))
        .subquery("link")
    )
    columns = AuditEvent.__table__.c
    given = {column: bindparam(name, type_=columns[column].type) for name, column in _COLUMN_OF.items()}
    when = func.to_char(func.timezone("UTC", link.c.at), _MICROSECONDS)
    parts = ('["', given["tenant_id"], '",', link.c.number, ',"', when, '",', bindparam("event_told", type_=Text), ',"')
    whole = func.concat(*parts, func.encode(link.c.previous, "hex"), '"]')
    digest = func.sha256(func.convert_to(whole, "UTF8"))
    added = {**given, **{name: link.c[name] for name in ("at", "number", "previous")}, "digest": digest}
    return insert(AuditEvent).from_select(list(added), select(*added.values()))


_GIVEN = ("event_tenant_id", "event_actor", "event_action", "event_subject", "event_details")
_COLUMN_OF = {name: name.removeprefix("event_") for name in _GIVEN}
_MICROSECONDS = 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'
_APPEND = appending()


def _plain(value: Any) -> Any:
    """Whole numbers as integers, for the database does not tell 1e30 from its digits."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _digest(
    tenant_id: UUID,
    number: int,
    at: datetime,
    actor: str,
    action: str,
    subject: str,
    details: dict[str, Any],
    previous: bytes,
) -> bytes:
    """SHA-256 of the event as canonical JSON: a list, keys sorted, no spaces, UTC."""
    when = at.astimezone(UTC).isoformat(timespec="microseconds")
    event = [str(tenant_id), number, when, actor, action, subject, details, previous.hex()]
    return hashlib.sha256(_canonical(event).encode()).digest()


def _canonical(values: list[Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def list_events(
    c: Connection,
    tenant_id: UUID,
    limit: int,
    cursor: str | None = None,
    since: datetime | None = None,
    actor: str | None = None,
    action: str | None = None,
) -> Page[EventRecord]:
    """The tenant's events that meet every condition given, newest first."""
    statement = select(*_COLUMNS).where(AuditEvent.tenant_id == tenant_id)
    if cursor is not None:
        statement = statement.where(AuditEvent.number < decode_number(cursor))
    if since is not None:
        statement = statement.where(AuditEvent.at >= since)
    if actor is not None:
        statement = statement.where(AuditEvent.actor == actor)
    if action is not None:
        statement = statement.where(AuditEvent.action == action)
    rows = c.execute(statement.order_by(AuditEvent.number.desc()).limit(limit + 1))
    return cut([EventRecord(*row) for row in rows], limit, lambda event: encode_number(event.number))


def verify(c: Connection, kc: Connection, tenant_id: UUID) -> ChainState:
    """Re-compute a tenant's chain and compare it with every anchor.

    Anchors are read before the chain, which may grow meanwhile but must not be behind them.
    """
    anchors = _anchors(kc, tenant_id)
    expected, previous, broken_at, events = 1, GENESIS, None, 0
    for event in _chain(c, tenant_id):
        events += 1
        if broken_at is None and not _follows(event, expected, previous, anchors):
            broken_at = min(expected, event.number)
        expected, previous = event.number + 1, event.digest
    anchored = max(anchors, default=0)
    if broken_at is None and anchored >= expected:
        broken_at = expected
    head = previous.hex() if events else GENESIS.hex()
    return ChainState(broken_at is None, events, broken_at, head, anchored)


def _follows(event: EventRecord, expected: int, previous: bytes, anchors: dict[int, bytes]) -> bool:
    content = (event.at, event.actor, event.action, event.subject, event.details, event.previous)
    return (
        event.number == expected
        and event.previous == previous
        and event.digest == _digest(event.tenant_id, event.number, *content)
        and anchors.get(event.number, event.digest) == event.digest
    )


def _chain(c: Connection, tenant_id: UUID) -> Iterator[EventRecord]:
    number = -(2**63)
    while True:
        statement = select(*_COLUMNS).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > number)
        rows = c.execute(statement.order_by(AuditEvent.number).limit(_BATCH)).all()
        if not rows:
            return
        yield from (EventRecord(*row) for row in rows)
        number = rows[-1].number


def _anchors(kc: Connection, tenant_id: UUID) -> dict[int, bytes]:
    statement = select(AuditAnchor.number, AuditAnchor.digest).where(AuditAnchor.tenant_id == tenant_id)
    return {row.number: row.digest for row in kc.execute(statement)}


def anchor_heads(c: Connection, kc: Connection) -> int:
    """Copy the head of every chain that moved into the keyring; says how many did."""
    heads = _heads(c)
    if not heads:
        return 0
    keys = [(row.tenant_id, row.number) for row in heads]
    place = tuple_(AuditAnchor.tenant_id, AuditAnchor.number)
    known = {tuple(row) for row in kc.execute(select(AuditAnchor.tenant_id, AuditAnchor.number).where(place.in_(keys)))}
    moved = [row for row in heads if (row.tenant_id, row.number) not in known]
    if moved:
        anchors = [{"tenant_id": row.tenant_id, "number": row.number, "digest": row.digest} for row in moved]
        kc.execute(insert_or_keep(AuditAnchor).on_conflict_do_nothing(), anchors)
    return len(moved)


def _heads(c: Connection) -> list[Any]:
    newest = (
        select(AuditEvent.number, AuditEvent.digest)
        .where(AuditEvent.tenant_id == Tenant.id)
        .order_by(AuditEvent.number.desc())
        .limit(1)
        .lateral("newest")
    )
    statement = select(Tenant.id.label("tenant_id"), newest.c.number, newest.c.digest).join(newest, true())
    return list(c.execute(statement).all())
