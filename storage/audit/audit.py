"""The audit trail: one hash chain for each tenant, anchored outside the database that holds it.

Every event carries the digest of the one before (Haber and Stornetta, "How to time-stamp a digital document", Journal
of Cryptology, 1991), so an edited or removed row breaks the chain at its place. A chain that is truncated at its end
is still consistent; therefore the sweeper copies the heads into the keyring, and a chain that no longer reaches its
anchors is broken too. Both databases let the service and the workers add rows and nothing else.

The owner of both databases could rewrite chain and anchors together, so anchors are signed by a key that no database
holds, and a chain is anchored only if it continues the previous anchor. The remaining attack is to remove the anchors
as well: then the chain is consistent, but contradicts the signed head that an auditor has kept.
"""

import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
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

from storage.audit.coverage import ForgedRow, Keys, forged_rows
from storage.crypto.heads import HeadSigner, SignedHead
from storage.database.canonical import canonical, moment, plain
from storage.database.locks import lock_name
from storage.database.paging import Page, cut, decode_number, encode_number
from storage.database.records import columns_of
from storage.orm import AuditAnchor, AuditEvent, Tenant
from storage.trail.contradictions import contradicted_events
from storage.trail.events import emit_broken

_LOGGER = logging.getLogger(__name__)

GENESIS = bytes(32)
"""The previous digest in the first event of a chain."""
_BATCH = 1_000
BEFORE_ALL = -(2**63)
"""A number before every event, even one that was inserted before the first."""


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
    """The result of recomputing a chain."""

    intact: bool
    """Whether the chain is complete and unchanged, and so are all rows of the tenant that carry a code."""
    events: int
    """Number of events in the chain."""
    broken_at: int | None
    """Number of the first event that is changed or missing."""
    head: str
    """Digest of the last event, in hexadecimal."""
    anchored: int
    """Number of the last event whose digest is also in the keyring; 0 if there is none."""
    contradicted: tuple[int, ...] = ()
    """Numbers of events that contradict the rows they report on, such as a withdrawal of a release still served."""
    signed_head: SignedHead | None = None
    """The head, signed, if the chain is intact."""
    forged: tuple[ForgedRow, ...] = ()
    """Rows that do not match their authentication codes."""


class SignedAnchor(NamedTuple):
    """A head that the keyring holds."""

    number: int
    digest: bytes
    signature: bytes
    public_key: str | None
    """In hexadecimal; None if none of our keys made the signature."""


_COLUMNS = columns_of(EventRecord, AuditEvent)
_ANCHOR = (AuditAnchor.number, AuditAnchor.digest, AuditAnchor.signature)
_NO_DIGEST = b""

Anchors = dict[int, set[bytes]]


def append(
    c: Connection, tenant_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any] | None = None
) -> None:
    """Add an event to the tenant's chain, in the transaction of the change that it reports.

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
    """The parameters of `appending`."""
    # What is digested is what the database will return later, so both pass through the same form of JSON.
    stored = plain(json.loads(json.dumps(details or {}, default=str, allow_nan=False)))
    covered = canonical([actor, action, subject, stored])[1:-1]
    given = (tenant_id, actor, action, subject, stored)
    return {**dict(zip(_GIVEN, given, strict=True)), "event_covered": covered}


def appending() -> Insert:
    """The statement that reads the time and the last link and adds the next, alone or as part of a larger one.

    An earlier statement must have locked the chain. The database computes the digest, because it reads the previous
    link; the digest equals that of `_digest`, as each verification checks.
    """
    # Not the time of the transaction: one that waited for the lock would be earlier than the link before it.
    clock = select(func.clock_timestamp().label("at")).subquery("clock")
    head = (
        select(AuditEvent.number, AuditEvent.digest)
        .where(AuditEvent.tenant_id == bindparam("event_tenant_id", type_=Uuid))
        .order_by(AuditEvent.number.desc())
        .limit(1)
        .subquery("head")
    )
    # A tenant's first event follows a digest of zeros, so that the statement is the same for every event.
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
    parts = (
        '["',
        given["tenant_id"],
        '",',
        link.c.number,
        ',"',
        when,
        '",',
        bindparam("event_covered", type_=Text),
        ',"',
    )
    whole = func.concat(*parts, func.encode(link.c.previous, "hex"), '"]')
    digest = func.sha256(func.convert_to(whole, "UTF8"))
    added = {**given, **{name: link.c[name] for name in ("at", "number", "previous")}, "digest": digest}
    return insert(AuditEvent).from_select(list(added), select(*added.values()))


_GIVEN = ("event_tenant_id", "event_actor", "event_action", "event_subject", "event_details")
_COLUMN_OF = {name: name.removeprefix("event_") for name in _GIVEN}
_MICROSECONDS = 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'
_APPEND = appending()


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
    event = [str(tenant_id), number, moment(at), actor, action, subject, details, previous.hex()]
    return hashlib.sha256(canonical(event).encode()).digest()


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


def subjects_of(c: Connection, tenant_id: UUID, action: str, details: dict[str, Any]) -> set[str]:
    """The subjects of the events of an action whose details contain these."""
    statement = select(AuditEvent.subject).where(AuditEvent.tenant_id == tenant_id, AuditEvent.action == action)
    return set(c.execute(statement.where(AuditEvent.details.contains(details))).scalars())


def verify(
    c: Connection,
    kc: Connection,
    signer: HeadSigner,
    tenant_id: UUID,
    kept: tuple[int, bytes] | None = None,
    keys: Keys | None = None,
) -> ChainState:
    """Recompute a tenant's chain, compare it with every anchor and with a head kept elsewhere, and sign its head; with
    keys, also check the codes of all rows of the tenant.

    Anchors are read before the chain, which may grow meanwhile but must not be behind them.
    """
    anchors = _anchors(kc, signer, tenant_id)
    anchored = max(anchors, default=0)
    if kept is not None:
        anchors.setdefault(kept[0], set()).add(kept[1])
    expected, previous, broken_at, events = 1, GENESIS, None, 0
    for event in _chain(c, tenant_id):
        events += 1
        if broken_at is None and not follows(event, expected, previous, anchors):
            broken_at = min(expected, event.number)
        expected, previous = event.number + 1, event.digest
    if broken_at is None and max(anchors, default=0) >= expected:
        broken_at = expected
    signed = signer.sign(tenant_id, events, previous) if broken_at is None else None
    contradicted = contradicted_events(c, tenant_id)
    forged = () if keys is None else tuple(forged_rows(c, keys, tenant_id))
    intact = broken_at is None and not forged
    return ChainState(intact, events, broken_at, previous.hex(), anchored, contradicted, signed, forged)


def follows(event: EventRecord, expected: int, previous: bytes, anchors: Anchors) -> bool:
    """Whether an event is the next of its chain, unchanged, and matches the anchors."""
    content = (event.at, event.actor, event.action, event.subject, event.details, event.previous)
    return (
        event.number == expected
        and event.previous == previous
        and event.digest == _digest(event.tenant_id, event.number, *content)
        and anchors.get(event.number, {event.digest}) == {event.digest}
    )


def _chain(c: Connection, tenant_id: UUID, after: int = BEFORE_ALL) -> Iterator[EventRecord]:
    number = after
    while events := events_after(c, tenant_id, number):
        yield from events
        number = events[-1].number


def events_after(c: Connection, tenant_id: UUID, number: int) -> list[EventRecord]:
    """The next events of a chain, oldest first."""
    statement = select(*_COLUMNS).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > number)
    return [EventRecord(*row) for row in c.execute(statement.order_by(AuditEvent.number).limit(_BATCH))]


def signed_anchors(kc: Connection, signer: HeadSigner, tenant_id: UUID) -> list[SignedAnchor]:
    """Every anchor of a chain, for comparison elsewhere."""
    rows = kc.execute(select(*_ANCHOR).where(AuditAnchor.tenant_id == tenant_id).order_by(AuditAnchor.number))
    return [SignedAnchor(row.number, row.digest, row.signature, signer.signer_of(tenant_id, *row)) for row in rows]


def _anchors(kc: Connection, signer: HeadSigner, tenant_id: UUID) -> Anchors:
    """The digests that events must have, by number; an anchor that we did not sign allows none."""
    statement = select(*_ANCHOR).where(AuditAnchor.tenant_id == tenant_id)
    return {row.number: {row.digest if signer.knows(tenant_id, *row) else _NO_DIGEST} for row in kc.execute(statement)}


def anchor_heads(c: Connection, kc: Connection, signer: HeadSigner) -> int:
    """Sign the head of every chain that grew, and store it in the keyring; return the number of anchored chains.

    A chain that does not continue its last anchor is not anchored: it is broken, and stays broken.
    """
    heads = _heads(c)
    if not heads:
        return 0
    keys = [(row.tenant_id, row.number) for row in heads]
    place = tuple_(AuditAnchor.tenant_id, AuditAnchor.number)
    known = {tuple(row) for row in kc.execute(select(AuditAnchor.tenant_id, AuditAnchor.number).where(place.in_(keys)))}
    return sum(_anchor(c, kc, signer, row.tenant_id) for row in heads if (row.tenant_id, row.number) not in known)


def _anchor(c: Connection, kc: Connection, signer: HeadSigner, tenant_id: UUID) -> bool:
    newest = select(*_ANCHOR).where(AuditAnchor.tenant_id == tenant_id).order_by(AuditAnchor.number.desc()).limit(1)
    anchor = kc.execute(newest).one_or_none()
    number, digest = (0, GENESIS) if anchor is None else (anchor.number, anchor.digest)
    # Only events after the last anchor are read: a chain that does not continue it must not get our signature.
    continued = anchor is None or signer.knows(tenant_id, *anchor)
    start = number
    for event in _chain(c, tenant_id, after=number if anchor is not None else BEFORE_ALL):
        continued = continued and follows(event, number + 1, digest, {})
        number, digest = event.number, event.digest
    if not continued or number == start:
        _LOGGER.error("an audit chain does not continue its anchor", extra={"fields": {"tenant": str(tenant_id)}})
        emit_broken(c, tenant_id)
        return False
    signature = bytes.fromhex(signer.sign(tenant_id, number, digest).signature)
    values = {"tenant_id": tenant_id, "number": number, "digest": digest, "signature": signature}
    # Several sweepers may sign the same head: the first one counts.
    kc.execute(insert_or_keep(AuditAnchor).values(values).on_conflict_do_nothing())
    return True


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
