"""Sweeping: recover the jobs that workers lost.

A job whose lease expired is queued again, fails after too many attempts, or is cancelled if that was requested. If no
worker survived to report the end of a job, the sweeper appends it to the audit trail.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, and_, case, func, literal, null, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB

from storage.audit import audit
from storage.jobs.jobs import ASKED_FOR, IS_HELD
from storage.jobs.outbox import notify, put_messages
from storage.orm import Hierarchy, Job
from storage.trail.events import emit_job

ENDINGS = {"failed": "job.fail", "cancelled": "job.cancelled"}
"""Actions in the audit trail for an end that is neither a release nor a refusal."""
SWEEPER = "sweeper"
"""The sweeper as an actor in the audit trail."""

ATTEMPTS_EXHAUSTED = {
    "type": "urn:antifaz:problem:attempts-exhausted",
    "title": "The job was interrupted too often",
    "status": 500,
    "detail": "Every attempt at the job ended without an answer from its worker.",
}


@dataclass(frozen=True)
class Swept:
    """The jobs that a sweep changed."""

    requeued: list[UUID]
    failed: list[UUID]
    cancelled: list[UUID]


def sweep(c: Connection, max_attempts: int) -> Swept:
    """Recover the jobs that workers lost. Several sweepers may run at the same time."""
    lapsed = _settle_lapsed(c, max_attempts)
    by_status = {status: [row.id for row in lapsed if row.status == status] for status in _SETTLED}
    given_up = [row.hierarchy_id for row in lapsed if row.hierarchy_id is not None and row.status != "queued"]
    _give_up_hierarchies(c, given_up)
    put_messages(c, by_status["queued"])
    notify(c, [row.id for row in lapsed])
    _report_ends(c, lapsed)
    return Swept(by_status["queued"], by_status["failed"], by_status["cancelled"])


_SETTLED = ("queued", "failed", "cancelled")


def _settle_lapsed(c: Connection, max_attempts: int) -> Sequence[Any]:
    """Re-queue, fail or cancel every job whose lease expired or that no worker can claim."""
    stuck = and_(Job.status == "queued", or_(Job.cancel_requested, Job.attempt >= max_attempts))
    lapsed = select(Job.id).where(Job.finished_at.is_(None), or_(and_(IS_HELD, Job.lease_until < func.now()), stuck))
    found = lapsed.with_for_update(skip_locked=True).subquery("lapsed")
    exhausted = Job.attempt >= max_attempts
    over = or_(Job.cancel_requested, exhausted)
    statement = (
        update(Job)
        .where(Job.id == found.c.id)
        .values(
            status=case((Job.cancel_requested, "cancelled"), (exhausted, "failed"), else_="queued"),
            error=case((and_(~Job.cancel_requested, exhausted), literal(ATTEMPTS_EXHAUSTED, JSONB())), else_=Job.error),
            finished_at=case((over, func.now()), else_=null()),
            stage=case((over, Job.stage), else_=null()),
            progress=case((over, Job.progress), else_=0.0),
            lease_until=None,
        )
        .returning(Job.id, Job.status, Job.hierarchy_id, Job.tenant_id, Job.task, Job.dataset_id, Job.then)
    )
    return c.execute(statement).all()


def _report_ends(c: Connection, lapsed: Sequence[Any]) -> None:
    """Append an event, and notify webhooks, for every job of the API that ended here.

    Chains are locked until the commit, and always in the same order, so that sweepers never wait for each other in a
    circle.
    """
    ended = [row for row in lapsed if row.task in ASKED_FOR and row.status in ENDINGS]
    for row in sorted(ended, key=lambda row: (row.tenant_id, row.id)):
        emit_job(c, row, row.status)
        details = {"problem": ATTEMPTS_EXHAUSTED["type"]} if row.status == "failed" else {}
        audit.append(c, row.tenant_id, SWEEPER, ENDINGS[row.status], str(row.id), details)


def _give_up_hierarchies(c: Connection, hierarchy_ids: Sequence[UUID]) -> None:
    if hierarchy_ids:
        waiting = update(Hierarchy).where(Hierarchy.id.in_(hierarchy_ids), Hierarchy.status == "generating")
        c.execute(waiting.values(status="failed", problem=ATTEMPTS_EXHAUSTED))
