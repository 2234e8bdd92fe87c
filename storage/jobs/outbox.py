"""The outbox: wake-up messages to be sent to the broker, and notifications of changed jobs.

A message is written in the transaction of its job, and removed in the transaction that sends it.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, Select, bindparam, delete, exists, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Integer, Text, Uuid

from storage.jobs.protocol import CHANNEL
from storage.orm import Job, Outbox


class Message(NamedTuple):
    """A message to send: the job and its queue."""

    job_id: UUID
    queue: str


def take_messages(c: Connection, limit: int = 100) -> list[Message]:
    """Remove the oldest messages, to send them before the transaction is committed; a rollback restores them.

    Other processes that take messages skip them meanwhile.
    """
    return [Message(*row) for row in c.execute(_TAKE_MESSAGES, {"most": limit})]


def _take_statement() -> Select[Any]:
    oldest = select(Outbox.id).order_by(Outbox.id).limit(bindparam("most", type_=Integer))
    found = oldest.with_for_update(skip_locked=True).subquery("found")
    taken = delete(Outbox).where(Outbox.id == found.c.id).returning(Outbox.id, Outbox.job_id).cte("taken")
    return select(taken.c.job_id, Job.queue).join(Job, Job.id == taken.c.job_id).order_by(taken.c.id)


_TAKE_MESSAGES = _take_statement()


def send_again(c: Connection, rering_seconds: float, waiting: Mapping[str, int]) -> list[UUID]:
    """Put new messages for jobs that are still queued a while after their last message: the broker may have lost it.

    ``waiting`` is the number of messages that the broker holds for each queue. Any message lets a worker claim any job
    of the queue, so new messages are put only for the jobs in excess of that number.
    """
    queued = select(Job.queue, func.count()).where(Job.status == "queued", Job.finished_at.is_(None))
    sent_again = [
        job_id
        for queue, length in c.execute(queued.group_by(Job.queue)).all()
        for job_id in _longest_silent(c, queue, rering_seconds, length - waiting.get(queue, 0))
    ]
    put_messages(c, sent_again)
    return sent_again


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


def put_messages(c: Connection, job_ids: Sequence[UUID]) -> None:
    """Put a message for every job into the outbox."""
    if job_ids:
        c.execute(insert(Outbox).from_select(["job_id"], select(func.unnest(literal(list(job_ids), ARRAY(Uuid))))))
        c.execute(update(Job).where(Job.id.in_(job_ids)).values(rung_at=func.now()))


def notify(c: Connection, job_ids: Sequence[UUID]) -> None:
    """Notify the channel, on commit, that these jobs changed."""
    if job_ids:
        names = literal([str(job_id) for job_id in job_ids], ARRAY(Text))
        c.execute(select(func.pg_notify(CHANNEL, func.unnest(names))))
