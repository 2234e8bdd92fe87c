"""Jobs: PostgreSQL is the truth, the broker is a doorbell.

A job and its bell (an outbox row) are written in one transaction. A worker claims it by one conditional UPDATE on the
database's clock, which gives it a lease and a fencing token (Kleppmann, "Designing Data-Intensive Applications",
2017, chapter 8); beats extend the lease, and every later write asks for the token, so a worker that was thought dead
and wakes up again can write nothing. Whoever hears a bell takes the job whose tenant's turn it is. The sweep rings
what was never heard, re-queues what lost its lease and fails what was tried too often; an end that no worker lived to
tell of goes into the audit trail here. Every change of status, stage or progress is notified on the channel
``antifaz_jobs``.
"""

from collections.abc import Mapping, Sequence
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
    delete,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, distinct_on
from sqlalchemy.orm import aliased
from sqlalchemy.types import Integer, Text, Uuid

from storage import audit
from storage.authenticity import mac_of, require_authentic
from storage.orm import Hierarchy, Job, Outbox
from storage.paging import Page, fetch_page
from storage.records import columns_of

CHANNEL = "antifaz_jobs"
_KIND = "job"
HELD = ("running", "verifying")
"""A worker holds the job."""
TERMINAL = ("released", "assessed", "refused", "failed", "cancelled", "done")
"""The job is over, for good."""
ASKED_FOR = ("publish", "trial", "comparison")
"""Tasks that somebody asks for by themselves, and may follow; others belong to something else."""

ENDINGS = {"failed": "job.fail", "cancelled": "job.cancelled"}
"""What the audit trail calls an end that is neither a release nor a refusal."""
SWEEPER = "sweeper"
"""How the audit trail calls whoever sweeps."""

ATTEMPTS_EXHAUSTED = {
    "type": "urn:antifaz:problem:attempts-exhausted",
    "title": "The job broke off too often",
    "status": 500,
    "detail": "Every attempt at the job ended without an answer from its worker.",
}


@dataclass(frozen=True)
class JobDraft:
    """A job about to be submitted."""

    tenant_id: UUID
    dataset_id: UUID
    task: str = "publish"
    """``publish``, ``trial``, ``comparison``, ``profile`` or ``hierarchy``."""
    policy: dict[str, Any] | None = None
    """The policy without hierarchy rows."""
    policy_id: UUID | None = None
    policy_blob_id: UUID | None = None
    policy_name: str | None = None
    """Which of the policies of a comparison, if the blob holds those."""
    hierarchy_id: UUID | None = None
    queue: str = "small"
    created_by: UUID | None = None
    fingerprint: bytes | None = None
    """Where the policy promises differential privacy: a keyed digest of all of it."""
    id: UUID = field(default_factory=uuid4)
    mac: bytes = b""
    """The code that `bind` makes; a job without one is not carried out."""


@dataclass(frozen=True)
class JobState:
    """How a job stands: all that whoever waits for it may see."""

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
    """One job as it stands, with what its worker needs."""

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
    mac: bytes


class Claim(NamedTuple):
    """A job that is now ours, for as long as the lease is kept."""

    job: JobRecord
    fence: int


class Beat(NamedTuple):
    """What a heartbeat learned."""

    held: bool
    """Whether the job is still ours."""
    cancel_requested: bool


class Ring(NamedTuple):
    """A bell to be rung."""

    job_id: UUID
    queue: str


@dataclass(frozen=True)
class Swept:
    """What a sweep did, by job."""

    requeued: list[UUID]
    failed: list[UUID]
    cancelled: list[UUID]


_COLUMNS = columns_of(JobRecord, Job)
_HELD = Job.status.in_(HELD)
_JOB = select(*_COLUMNS).where(Job.id == bindparam("job_id"), Job.tenant_id == bindparam("tenant_id"))

STATE = columns_of(JobState, Job)
"""Columns that fill a `JobState`."""


def bind(keys: bytes, draft: JobDraft) -> JobDraft:
    """The draft with a code, under the release key, over all that says what the job is to do."""
    return replace(draft, mac=mac_of(keys, _KIND, _asked(draft)))


def require_bound(keys: bytes, job: JobRecord) -> None:
    """Raise `Forged` if the job is not what was submitted."""
    require_authentic(keys, _KIND, _asked(job), job.mac)


def _asked(job: JobDraft | JobRecord) -> list[Any]:
    names = ("id", "tenant_id", "task", "dataset_id", "hierarchy_id", "policy", "policy_id", "policy_blob_id")
    return [getattr(job, name) for name in (*names, "created_by", "fingerprint", "policy_name")]


def submit(c: Connection, draft: JobDraft) -> JobRecord:
    """Queue a job and its bell. The job exists once the caller's transaction is committed, rung or not."""
    *row, _ = c.execute(_SUBMIT, vars(draft)).one()
    return JobRecord(*row)


def submission() -> Select[Any]:
    """What queues a job, puts its bell into the outbox and notifies, alone or as part of a statement."""
    values: dict[str, Any] = {each.name: bindparam(each.name) for each in fields(JobDraft)}
    job = insert(Job).values(values).returning(*_COLUMNS).cte("job")
    bell = insert(Outbox).from_select(["job_id"], select(job.c.id)).cte("bell")
    return select(job, func.pg_notify(CHANNEL, cast(job.c.id, Text))).add_cte(bell)


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
    """Cancel a queued job at once, ask the worker of a running one to stop, and leave a finished one as it is."""
    _cancel_unfinished(c, and_(Job.id == job_id, Job.tenant_id == tenant_id))
    return get_job(c, tenant_id, job_id)


def cancel_jobs_of_dataset(c: Connection, dataset_id: UUID) -> list[UUID]:
    """Cancel every unfinished job of a dataset, before it is deleted; says which of those that were asked for were."""
    cancelled = _cancel_unfinished(c, Job.dataset_id == dataset_id)
    return [row.id for row in cancelled if row.task in ASKED_FOR]


def _cancel_unfinished(c: Connection, which: ColumnElement[bool]) -> Sequence[Any]:
    queued = Job.status == "queued"
    statement = (
        update(Job)
        .where(which, Job.finished_at.is_(None))
        .values(
            cancel_requested=True,
            status=case((queued, "cancelled"), else_=Job.status),
            finished_at=case((queued, func.now()), else_=null()),
        )
        .returning(Job.id, Job.task)
    )
    cancelled = c.execute(statement).all()
    _notify(c, [row.id for row in cancelled])
    return cancelled


def next_in_turn(c: Connection, rung_id: UUID, max_attempts: int) -> UUID | None:
    """The job that whoever hears a bell should claim, of those in the same queue; None means: drop the message.

    A bell says that a queue holds work, not which: jobs are taken in turn by tenant, so that nobody waits behind all
    the jobs of another. The tenant with the fewest jobs at work comes first, then the one whose last job began the
    longest ago; a tenant's own jobs keep their order.
    """
    found = c.execute(_NEXT_IN_TURN, {"rung_id": rung_id, "most": max_attempts})
    return found.scalar_one_or_none()


def _free(max_attempts: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a worker may take a job: it is queued, or its worker's lease ran out."""
    idle = or_(Job.status == "queued", and_(_HELD, Job.lease_until < func.now()))
    return and_(Job.finished_at.is_(None), idle, Job.attempt < max_attempts, ~Job.cancel_requested)


def _taking_turns() -> Select[Any]:
    rung, other = aliased(Job), aliased(Job)
    queue = select(rung.queue).where(rung.id == bindparam("rung_id")).scalar_subquery()
    first = (
        select(Job.id, Job.tenant_id, Job.created_at)
        .ext(distinct_on(Job.tenant_id))
        .where(Job.queue == queue, _free(bindparam("most", type_=Integer)))
        .order_by(Job.tenant_id, Job.created_at, Job.id)
        .subquery("first")
    )
    theirs = other.tenant_id == first.c.tenant_id
    held = and_(theirs, other.finished_at.is_(None), other.status.in_(HELD), other.lease_until >= func.now())
    at_work = select(func.count()).select_from(other).where(held).scalar_subquery()
    last_began = select(func.max(other.started_at)).where(theirs).scalar_subquery()
    order = (at_work, last_began.nulls_first(), first.c.created_at, first.c.id)
    return select(first.c.id).order_by(*order).limit(1)


_NEXT_IN_TURN = _taking_turns()


def claim(c: Connection, job_id: UUID, lease_seconds: float, max_attempts: int) -> Claim | None:
    """Take a job that is queued or whose worker's lease ran out; None means: somebody else has it."""
    statement = (
        update(Job)
        .where(Job.id == job_id, _free(max_attempts))
        .values(
            status="running",
            stage=None,
            progress=0.0,
            attempt=Job.attempt + 1,
            fence=Job.fence + 1,
            lease_until=_lease(lease_seconds),
            started_at=func.coalesce(Job.started_at, func.now()),
        )
        .returning(*_COLUMNS)
    )
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    _notify(c, [job_id])
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
    """Extend the lease and write down how far the work is; not held means: abort, another has it."""
    if status not in HELD:
        raise ValueError(f"a worked-on job is one of {', '.join(HELD)}")
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
        _notify(c, [job_id])
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
    """End a job that is still ours; False means: roll back everything, another has it or it was cancelled."""
    if status not in TERMINAL:
        raise ValueError(f"a finished job is one of {', '.join(TERMINAL)}")
    statement = update(Job).where(_mine(job_id, fence))
    if status in ("released", "assessed"):
        statement = statement.where(~Job.cancel_requested)
    if status in ("released", "assessed", "refused", "done"):
        statement = statement.values(progress=1.0)
    outcome = {"status": status, "release_id": release_id, "refusal": refusal, "error": error}
    ended = c.execute(statement.values(**outcome, finished_at=func.now(), lease_until=None)).rowcount == 1
    if ended:
        _notify(c, [job_id])
    return ended


def note_noise(c: Connection, job_id: UUID, fence: int) -> bool:
    """Write down that noise is about to be drawn for a job; False if it is no longer ours."""
    statement = update(Job).where(_mine(job_id, fence)).values(noise_at=func.coalesce(Job.noise_at, func.now()))
    return c.execute(statement).rowcount == 1


def release_lease(c: Connection, job_id: UUID, fence: int) -> str | None:
    """Give a job back unfinished, as a draining worker does, without counting the attempt.

    Says how the job stands now: queued again, cancelled if that was asked for, or None if it is no longer ours.
    """
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
        .returning(Job.status)
    )
    status: str | None = c.execute(statement).scalar_one_or_none()
    if status == "queued":
        _put_bells(c, [job_id])
    if status is not None:
        _notify(c, [job_id])
    return status


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


def sweep(c: Connection, max_attempts: int) -> Swept:
    """Put right whatever workers lost. Several sweepers may run at once."""
    lapsed = _settle_lapsed(c, max_attempts)
    by_status = {status: [row.id for row in lapsed if row.status == status] for status in _SETTLED}
    given_up = [row.hierarchy_id for row in lapsed if row.hierarchy_id is not None and row.status != "queued"]
    _give_up_hierarchies(c, given_up)
    _put_bells(c, by_status["queued"])
    _notify(c, [row.id for row in lapsed])
    _tell_of_ends(c, lapsed)
    return Swept(by_status["queued"], by_status["failed"], by_status["cancelled"])


_SETTLED = ("queued", "failed", "cancelled")


def _settle_lapsed(c: Connection, max_attempts: int) -> Sequence[Any]:
    """Re-queue, fail or cancel every job that no worker holds any more and none could take."""
    stuck = and_(Job.status == "queued", or_(Job.cancel_requested, Job.attempt >= max_attempts))
    lapsed = select(Job.id).where(Job.finished_at.is_(None), or_(and_(_HELD, Job.lease_until < func.now()), stuck))
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
        .returning(Job.id, Job.status, Job.hierarchy_id, Job.tenant_id, Job.task)
    )
    return c.execute(statement).all()


def _tell_of_ends(c: Connection, lapsed: Sequence[Any]) -> None:
    """Append an event for every job that was asked for and ended here.

    Chains are locked until the commit, and always in the same order, so that sweepers never wait for each other in a
    circle.
    """
    ended = [row for row in lapsed if row.task in ASKED_FOR and row.status in ENDINGS]
    for row in sorted(ended, key=lambda row: (row.tenant_id, row.id)):
        details = {"problem": ATTEMPTS_EXHAUSTED["type"]} if row.status == "failed" else {}
        audit.append(c, row.tenant_id, SWEEPER, ENDINGS[row.status], str(row.id), details)


def _give_up_hierarchies(c: Connection, hierarchy_ids: Sequence[UUID]) -> None:
    if hierarchy_ids:
        waiting = update(Hierarchy).where(Hierarchy.id.in_(hierarchy_ids), Hierarchy.status == "generating")
        c.execute(waiting.values(status="failed", problem=ATTEMPTS_EXHAUSTED))


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
    _put_bells(c, rerung)
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


def _mine(job_id: UUID, fence: int) -> ColumnElement[bool]:
    return and_(Job.id == job_id, Job.fence == fence, _HELD)


def _lease(lease_seconds: float) -> ColumnElement[datetime]:
    return func.now() + timedelta(seconds=lease_seconds)


def _put_bells(c: Connection, job_ids: Sequence[UUID]) -> None:
    if job_ids:
        c.execute(insert(Outbox).from_select(["job_id"], select(func.unnest(literal(list(job_ids), ARRAY(Uuid))))))
        c.execute(update(Job).where(Job.id.in_(job_ids)).values(rung_at=func.now()))


def _notify(c: Connection, job_ids: Sequence[UUID]) -> None:
    if job_ids:
        names = literal([str(job_id) for job_id in job_ids], ARRAY(Text))
        c.execute(select(func.pg_notify(CHANNEL, func.unnest(names))))
