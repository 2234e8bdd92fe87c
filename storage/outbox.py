"""The outbox: bells that are still to be rung, and notifications of what changed.

A bell is written in the transaction of its job; whoever rings takes it away in the transaction that sends the message.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, Select, bindparam, delete, exists, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Integer, Text, Uuid

from storage.job_protocol import CHANNEL
from storage.orm import Job, Outbox


class Ring(NamedTuple):
    """A bell to be rung."""

    job_id: UUID
    queue: str


def take_bells(c: Connection, limit: int = 100) -> list[Ring]:
    """Take away the oldest bells, to ring them before the transaction is committed: rolled back, they are all there.

    Other ringers pass over them meanwhile.
    """
    return [Ring(*row) for row in c.execute(_TAKE_BELLS, {"most": limit})]


def _taking() -> Select[Any]:
    oldest = select(Outbox.id).order_by(Outbox.id).limit(bindparam("most", type_=Integer))
    found = oldest.with_for_update(skip_locked=True).subquery("found")
    taken = delete(Outbox).where(Outbox.id == found.c.id).returning(Outbox.id, Outbox.job_id).cte("taken")
    return select(taken.c.job_id, Job.queue).join(Job, Job.id == taken.c.job_id).order_by(taken.c.id)


_TAKE_BELLS = _taking()


def ring_again(c: Connection, rering_seconds: float, waiting: Mapping[str, int]) -> list[UUID]:
    """Put bells for queued jobs that were rung a while ago and still wait: perhaps the broker lost their messages.

    ``waiting`` says how many messages the broker holds for each queue. Any of them lets a worker take any job of the
    queue, so only as many are sent again as there are jobs without one.
    """
    queued = select(Job.queue, func.count()).where(Job.status == "queued", Job.finished_at.is_(None))
    rerung = [
        job_id
        for queue, length in c.execute(queued.group_by(Job.queue)).all()
        for job_id in _longest_silent(c, queue, rering_seconds, length - waiting.get(queue, 0))
    ]
    put_bells(c, rerung)
    return rerung


def _longest_silent(c: Connection, queue: str, rering_seconds: float, most: int) -> Sequence[UUID]:
    silent = (
        select(Job.id)
        .where(
            Job.queue == queue,
            Job.status == "queued",
            Job.finished_at.is_(None),
            Job.rung_at < func.now() - timedelta(seconds=rering_seconds),
            ~exists().where(Outbox.job_id == Job.id),
        )
        .order_by(Job.rung_at, Job.id)
        .limit(max(most, 0))
        .with_for_update(skip_locked=True)
    )
    return c.execute(silent).scalars().all()


def put_bells(c: Connection, job_ids: Sequence[UUID]) -> None:
    """Put a bell for every job."""
    if job_ids:
        c.execute(insert(Outbox).from_select(["job_id"], select(func.unnest(literal(list(job_ids), ARRAY(Uuid))))))
        c.execute(update(Job).where(Job.id.in_(job_ids)).values(rung_at=func.now()))


def notify(c: Connection, job_ids: Sequence[UUID]) -> None:
    """Say on the channel that these jobs changed, when the transaction is committed."""
    if job_ids:
        names = literal([str(job_id) for job_id in job_ids], ARRAY(Text))
        c.execute(select(func.pg_notify(CHANNEL, func.unnest(names))))
