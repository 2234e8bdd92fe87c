"""Jobs: PostgreSQL holds the state, the broker only wakes workers up.

A job and its wake-up message (stored as an outbox row) are written in one transaction. A worker claims a job with one
conditional UPDATE on the database's clock, which gives it a lease and a fencing token (Kleppmann, "Designing
Data-Intensive Applications", 2017, chapter 8). Heartbeats extend the lease, and every later write requires the token,
so a worker that was presumed dead and resumes can write nothing. A worker that receives a message claims the next job
of the tenant whose turn it is (`storage.jobs.turns`). Messages are in `storage.jobs.outbox`;
`storage.operations.sweeping` recovers jobs that workers lost. Every change of status, stage or progress is notified on
the channel ``antifaz_jobs``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    and_,
    bindparam,
    case,
    cast,
    func,
    insert,
    null,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.types import Text

from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.jobs.outbox import notify, put_messages
from storage.jobs.protocol import CHANNEL, HELD, SMALL, TERMINAL
from storage.orm import Job, Outbox
from storage.trail.events import emit_job

_KIND = "job"
ASKED_FOR = ("publish", "trial", "comparison")
"""Tasks that clients submit and can follow as jobs; the others are internal or answer questions."""


@dataclass(frozen=True)
class JobDraft:
    """A job about to be submitted."""

    tenant_id: UUID
    dataset_id: UUID
    task: str = "publish"
    """``publish``, ``trial``, ``comparison``, ``query``, ``profile``, ``hierarchy`` or ``preview``."""
    policy: dict[str, Any] | None = None
    """The policy without hierarchy rows."""
    policy_id: UUID | None = None
    policy_blob_id: UUID | None = None
    policy_name: str | None = None
    """The policy's name, if the blob holds the policies of a comparison."""
    hierarchy_id: UUID | None = None
    queue: str = SMALL
    created_by: UUID | None = None
    fingerprint: bytes | None = None
    """If the policy has a differential-privacy guarantee: a keyed digest of the whole policy."""
    then: dict[str, Any] | None = None
    """What follows the release, as run by `workers.pipeline.followups`."""
    id: UUID = field(default_factory=uuid4)
    mac: bytes = b""
    """The code that `bind` makes; a job without one is not run."""


@dataclass(frozen=True)
class JobState:
    """The state of a job that clients waiting for it may see."""

    id: UUID
    tenant_id: UUID
    task: str
    dataset_id: UUID
    status: str
    stage: str | None
    progress: float
    fence: int
    release_id: UUID | None
    refusal: dict[str, Any] | None
    error: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True)
class JobRecord(JobState):
    """The current state of a job, with everything that its worker needs."""

    hierarchy_id: UUID | None
    policy: dict[str, Any] | None
    policy_id: UUID | None
    policy_blob_id: UUID | None
    policy_name: str | None
    queue: str
    attempt: int
    cancel_requested: bool
    created_by: UUID | None
    fingerprint: bytes | None
    then: dict[str, Any] | None
    mac: bytes


class Claim(NamedTuple):
    """A claimed job, held as long as the lease lasts."""

    job: JobRecord
    fence: int


class Beat(NamedTuple):
    """The result of a heartbeat."""

    held: bool
    """Whether the job is still ours."""
    cancel_requested: bool


_COLUMNS = columns_of(JobRecord, Job)
IS_HELD = Job.status.in_(HELD)
"""A worker holds the job, whether or not its lease has expired."""
_JOB = select(*_COLUMNS).where(Job.id == bindparam("job_id"), Job.tenant_id == bindparam("tenant_id"))

_EVENT_COLUMNS = (Job.id, Job.tenant_id, Job.dataset_id, Job.then)
"""Columns from which webhook events are built."""
STATE = columns_of(JobState, Job)
"""Columns that fill a `JobState`."""


def bind(keys: bytes, draft: JobDraft) -> JobDraft:
    """The draft with a code, under the release key, over every value that defines the job's work."""
    return replace(draft, mac=mac_of(keys, _KIND, _bound(draft)))


def require_bound(keys: bytes, job: JobRecord) -> None:
    """Raise `Forged` if the job was changed after it was submitted."""
    require_authentic(keys, _KIND, _bound(job), job.mac)


def _bound(job: JobDraft | JobRecord) -> list[Any]:
    names = ("id", "tenant_id", "task", "dataset_id", "hierarchy_id", "policy", "policy_id", "policy_blob_id")
    # Jobs without follow-ups keep the codes of earlier versions of Antifaz, which had no follow-ups.
    later = [] if job.then is None else [job.then]
    return [*(getattr(job, name) for name in (*names, "created_by", "fingerprint", "policy_name")), *later]


def submit(c: Connection, draft: JobDraft) -> JobRecord:
    """Queue a job and its message. The job exists once the caller's transaction is committed, announced or not."""
    *row, _ = c.execute(_SUBMIT, vars(draft)).one()
    return JobRecord(*row)


def submission() -> Select[Any]:
    """The statement that queues a job, puts its message into the outbox and notifies, alone or as part of a larger
    one."""
    values: dict[str, Any] = {each.name: bindparam(each.name) for each in fields(JobDraft)}
    # One statement for both rows: a job can never exist without the message that wakes a worker, nor the other way
    # round.
    job = insert(Job).values(values).returning(*_COLUMNS).cte("job")
    message = insert(Outbox).from_select(["job_id"], select(job.c.id)).cte("message")
    return select(job, func.pg_notify(CHANNEL, cast(job.c.id, Text))).add_cte(message)


_SUBMIT = submission()


def get_job(c: Connection, tenant_id: UUID, job_id: UUID) -> JobRecord | None:
    """A job of the tenant, of any task."""
    row = c.execute(_JOB, {"job_id": job_id, "tenant_id": tenant_id}).one_or_none()
    return None if row is None else JobRecord(*row)


def list_jobs(
    c: Connection,
    tenant_id: UUID,
    limit: int,
    cursor: str | None = None,
    status: str | None = None,
    dataset_id: UUID | None = None,
) -> Page[JobRecord]:
    """The tenant's jobs, trials too."""
    statement = select(*_COLUMNS).where(Job.tenant_id == tenant_id, Job.task.in_(ASKED_FOR))
    if status is not None:
        statement = statement.where(Job.status == status)
    if dataset_id is not None:
        statement = statement.where(Job.dataset_id == dataset_id)
    keys = (Job.created_at, Job.id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: JobRecord(*row), lambda item: (item.created_at, item.id)
    )


def request_cancel(c: Connection, tenant_id: UUID, job_id: UUID) -> JobRecord | None:
    """Cancel a queued job immediately, request the worker of a running one to stop; a finished one is unchanged."""
    _cancel_unfinished(c, and_(Job.id == job_id, Job.tenant_id == tenant_id))
    return get_job(c, tenant_id, job_id)


def last_profile(c: Connection, dataset_id: UUID) -> str | None:
    """The status of the newest profile job of a dataset; None if there was none."""
    statement = select(Job.status).where(Job.dataset_id == dataset_id, Job.task == "profile")
    return c.execute(statement.order_by(Job.created_at.desc()).limit(1)).scalar_one_or_none()


def cancel_jobs_of_dataset(c: Connection, dataset_id: UUID) -> list[UUID]:
    """Cancel every unfinished job of a dataset, before it is deleted; return the ids of those clients submitted."""
    cancelled = _cancel_unfinished(c, Job.dataset_id == dataset_id)
    return [row.id for row in cancelled if row.task in ASKED_FOR]


def _cancel_unfinished(c: Connection, which: ColumnElement[bool]) -> Sequence[Any]:
    # Decided inside the update, by the row as it is then: a worker that claims the job at the same moment either comes
    # first and is asked to stop, or finds nothing to claim.
    queued = Job.status == "queued"
    statement = (
        update(Job)
        .where(which, Job.finished_at.is_(None))
        .values(
            cancel_requested=True,
            status=case((queued, "cancelled"), else_=Job.status),
            finished_at=case((queued, func.now()), else_=null()),
        )
        .returning(Job.status, Job.task, *_EVENT_COLUMNS)
    )
    cancelled = c.execute(statement).all()
    notify(c, [row.id for row in cancelled])
    for row in cancelled:
        if row.status == "cancelled":
            _announce(c, row, row.status)
    return cancelled


def is_free(max_attempts: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a worker may claim a job: it is queued, or its worker's lease has expired."""
    idle = or_(Job.status == "queued", and_(IS_HELD, Job.lease_until < func.now()))
    return and_(Job.finished_at.is_(None), idle, Job.attempt < max_attempts, ~Job.cancel_requested)


def claim(c: Connection, job_id: UUID, lease_seconds: float, max_attempts: int) -> Claim | None:
    """Claim a job that is queued or whose worker's lease has expired; None if it cannot be claimed."""
    statement = (
        update(Job)
        .where(Job.id == job_id, is_free(max_attempts))
        .values(
            status="running",
            stage=None,
            progress=0.0,
            attempt=Job.attempt + 1,
            # Whatever the former holder still writes has the old token and matches no row any more.
            fence=Job.fence + 1,
            lease_until=_lease(lease_seconds),
            started_at=func.coalesce(Job.started_at, func.now()),
        )
        .returning(*_COLUMNS)
    )
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    notify(c, [job_id])
    job = JobRecord(*row)
    return Claim(job, job.fence)


def beat(
    c: Connection,
    job_id: UUID,
    fence: int,
    lease_seconds: float,
    stage: str | None,
    progress: float,
    status: str = "running",
) -> Beat:
    """Extend the lease and record progress; if the result is not ``held``, the worker lost the job and must abort."""
    if status not in HELD:
        raise ValueError(f"the status of a running job is one of {', '.join(HELD)}")
    # The row is locked before it is read, so that what is compared with it is what the update replaces.
    before = select(Job.id, Job.status, Job.stage, Job.progress).where(_mine(job_id, fence)).with_for_update()
    seen = before.subquery("seen")
    statement = (
        update(Job)
        .where(Job.id == seen.c.id)
        .values(lease_until=_lease(lease_seconds), status=status, stage=stage, progress=progress)
        .returning(Job.cancel_requested, _differs(seen))
    )
    row = c.execute(statement).one_or_none()
    if row is None:
        return Beat(held=False, cancel_requested=False)
    cancel_requested, changed = row
    if changed:
        notify(c, [job_id])
    return Beat(held=True, cancel_requested=cancel_requested)


def _differs(seen: Subquery) -> ColumnElement[bool]:
    before = tuple_(seen.c.status, seen.c.stage, seen.c.progress)
    return before.is_distinct_from(tuple_(Job.status, Job.stage, Job.progress))


def finish(
    c: Connection,
    job_id: UUID,
    fence: int,
    status: str,
    *,
    release_id: UUID | None = None,
    refusal: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
) -> bool:
    """End a job that the worker still holds; if False, roll back everything: it was claimed again or cancelled."""
    if status not in TERMINAL:
        raise ValueError(f"a finished job is one of {', '.join(TERMINAL)}")
    statement = update(Job).where(_mine(job_id, fence))
    # A request to cancel that came in before this moment wins: nothing is published after it.
    if status in ("released", "assessed"):
        statement = statement.where(~Job.cancel_requested)
    if status in ("released", "assessed", "refused", "done"):
        statement = statement.values(progress=1.0)
    outcome = {"status": status, "release_id": release_id, "refusal": refusal, "error": error}
    ending = statement.values(**outcome, finished_at=func.now(), lease_until=None)
    ended = c.execute(ending.returning(Job.task, *_EVENT_COLUMNS)).one_or_none()
    if ended is not None:
        notify(c, [job_id])
        _announce(c, ended, status, release_id)
    return ended is not None


def _announce(c: Connection, job: Any, status: str, release_id: UUID | None = None) -> None:
    """Notify webhooks of the end of a job that a client submitted."""
    if job.task in ASKED_FOR:
        emit_job(c, job, status, release_id)


def note_noise(c: Connection, job_id: UUID, fence: int) -> bool:
    """Record that noise is about to be drawn for a job; False if the worker no longer holds it."""
    # A job that runs again keeps the first time: from then on, noise may have been drawn.
    statement = update(Job).where(_mine(job_id, fence)).values(noise_at=func.coalesce(Job.noise_at, func.now()))
    return c.execute(statement).rowcount == 1


def release_lease(c: Connection, job_id: UUID, fence: int) -> str | None:
    """Give a job back unfinished, as a draining worker does, without counting the attempt.

    Return the job's new status: queued, cancelled if that was requested, or None if the worker no longer holds it.
    """
    # Queued, a job that was asked to stop could never be claimed: it would wait for ever.
    dropped = Job.cancel_requested
    statement = (
        update(Job)
        .where(_mine(job_id, fence))
        .values(
            status=case((dropped, "cancelled"), else_="queued"),
            finished_at=case((dropped, func.now()), else_=null()),
            attempt=Job.attempt - 1,
            lease_until=None,
            stage=None,
            progress=0.0,
        )
        .returning(Job.status, Job.task, *_EVENT_COLUMNS)
    )
    job = c.execute(statement).one_or_none()
    if job is None:
        return None
    if job.status == "queued":
        put_messages(c, [job_id])
    else:
        _announce(c, job, job.status)
    notify(c, [job_id])
    return str(job.status)


def _mine(job_id: UUID, fence: int) -> ColumnElement[bool]:
    return and_(Job.id == job_id, Job.fence == fence, IS_HELD)


def _lease(lease_seconds: float) -> ColumnElement[datetime]:
    return func.now() + timedelta(seconds=lease_seconds)
