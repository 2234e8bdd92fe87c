"""Consumers: heartbeats of the processes that take work, and the state of each queue.

A heartbeat says that its consumer takes work from the queue, not that its process exists. All times are the database's.
"""

import os
import secrets
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Select,
    and_,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from storage.jobs.jobs import IS_HELD
from storage.jobs.protocol import DELIVERIES, QUEUED, QUEUES, UPKEEP
from storage.orm import Consumer, Delivery, Job, Outbox, Publication
from storage.outbound.deliveries import DUE as DELIVERY_IS_DUE
from storage.outbound.publications import DUE as PUBLICATION_IS_DUE

_FORGOTTEN_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class QueueState:
    """What is known of a queue."""

    queue: str
    consumers: int
    """Live consumers."""
    waiting: float | None
    """Seconds that the oldest work waits; None if there is none."""
    consumed: float | None
    """Seconds since something was last taken; None if that is not known."""

    @property
    def is_served(self) -> bool:
        """Whether nothing waits, or a live consumer takes it."""
        return self.waiting is None or self.consumers > 0


def new_id(kind: str) -> str:
    """The id of a consumer that starts in this process."""
    return f"{kind}@{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def beat(c: Connection, consumer_id: str, queues: Mapping[str, float | None]) -> None:
    """Record that a consumer takes work from its queues, each with the seconds since it last took something."""
    for queue, idle in queues.items():
        taken = None if idle is None else func.now() - timedelta(seconds=idle)
        row = insert(Consumer).values(id=consumer_id, queue=queue, beat_at=func.now(), consumed_at=taken)
        known = {"beat_at": row.excluded.beat_at, "consumed_at": row.excluded.consumed_at}
        c.execute(row.on_conflict_do_update(index_elements=["id", "queue"], set_=known))


def leave(c: Connection, consumer_id: str) -> None:
    """Record an orderly end."""
    c.execute(update(Consumer).where(Consumer.id == consumer_id).values(beat_at=None))


def forget_old(c: Connection) -> None:
    """Delete the rows of dead consumers, except the one of each queue that took something last."""
    other = aliased(Consumer)
    later = or_(
        other.consumed_at > Consumer.consumed_at,
        and_(Consumer.consumed_at.is_(None), other.id != Consumer.id),
        and_(other.consumed_at == Consumer.consumed_at, other.id > Consumer.id),
    )
    dead = or_(Consumer.beat_at.is_(None), Consumer.beat_at < func.now() - _FORGOTTEN_AFTER)
    c.execute(delete(Consumer).where(dead, exists().where(other.queue == Consumer.queue, later)))


def states(c: Connection, consumer_seconds: float, upkeep_seconds: float) -> list[QueueState]:
    """The state of every queue, in a fixed order.

    Messages that were not sent, and leases that ended, count as waiting only after ``upkeep_seconds``: until then they
    are in order. Without a live sweeper every waiting job counts as well.
    """
    lives = Consumer.beat_at >= func.now() - timedelta(seconds=consumer_seconds)
    beats = select(Consumer.queue, func.count(case((lives, 1))), _age(func.max(Consumer.consumed_at)))
    taking = {queue: (number, consumed) for queue, number, consumed in c.execute(beats.group_by(Consumer.queue))}
    waits: dict[str, float | None] = {
        row[0]: row[1] for row in c.execute(union_all(_JOBS_WAIT, _CALLS_WAIT, _UPKEEP_WAITS))
    }
    if not taking.get(UPKEEP, (0, None))[0]:
        # Nobody sends the message of a waiting job again if it was lost.
        waits[UPKEEP] = max(waits.get(queue) or 0 for queue in (*QUEUES, UPKEEP))
    if (waits.get(UPKEEP) or 0) < upkeep_seconds:
        waits[UPKEEP] = None
    found = []
    for queue in (*QUEUES, DELIVERIES, UPKEEP):
        number, consumed = taking.get(queue, (0, None))
        found.append(QueueState(queue, number, waits.get(queue), consumed))
    return found


def longest_wait(c: Connection, queues: Collection[str]) -> float | None:
    """Seconds that the oldest job in any of these queues waits; None if none does."""
    return max((waiting for queue, waiting in c.execute(_JOBS_WAIT) if queue in queues), default=None)


def _age(moment: ColumnElement[Any]) -> ColumnElement[float]:
    """Seconds since a moment. The clock is read now: a row may be newer than the beginning of the transaction."""
    return cast(func.extract("epoch", func.clock_timestamp() - moment), Double)


def _jobs_wait() -> Select[str, float]:
    waiting = and_(Job.status == QUEUED, Job.finished_at.is_(None), ~Job.cancel_requested)
    return select(Job.queue, _age(func.min(Job.created_at))).where(waiting).group_by(Job.queue)


def _calls_wait() -> Select[str, float]:
    calls = select(func.min(Delivery.next_at)).where(DELIVERY_IS_DUE).scalar_subquery()
    errands = select(func.min(Publication.next_at)).where(PUBLICATION_IS_DUE).scalar_subquery()
    return select(literal(DELIVERIES), _age(func.least(calls, errands)))


def _upkeep_waits() -> Select[str, float]:
    messages = select(func.min(Outbox.created_at)).scalar_subquery()
    lapsed = and_(IS_HELD, Job.finished_at.is_(None), Job.lease_until < func.now())
    leases = select(func.min(Job.lease_until)).where(lapsed).scalar_subquery()
    return select(literal(UPKEEP), _age(func.least(messages, leases)))


_JOBS_WAIT, _CALLS_WAIT, _UPKEEP_WAITS = _jobs_wait(), _calls_wait(), _upkeep_waits()
