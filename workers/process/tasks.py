"""The only Celery task: a message with a job's id arrives, and the next job of the tenant whose turn it is runs.

All errors are handled here: an error ends the job, a lost database leaves the job to its lease and the sweeper, and a
cancelled job is marked as cancelled.
"""

import logging
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from antifaz.errors import AntifazError, Cancelled, InvalidDataset
from storage.audit import audit
from storage.blobs import blobs
from storage.datasets import hierarchies
from storage.errors import Shredded
from storage.failpoints import reach
from storage.jobs import jobs, turns
from storage.jobs.protocol import TASK
from storage.operations import sweeping
from workers.pipeline import lineage, pipeline
from workers.process.app import app
from workers.run import sources
from workers.run.context import Context, context
from workers.run.problems import TIME_LIMIT, is_full, problem_of
from workers.run.watch import JobWatch, LostLease
from workers.tasks import adviser, comparison, hierarchy_maker, projection, questions

_LOGGER = logging.getLogger(__name__)


@app.task(name=TASK)
def run(job_id: str) -> None:
    """Run the next job of the announced job's queue to its end; a message without work to do is dropped."""
    run_next(context(), UUID(job_id), leave)


def leave() -> None:
    """End this process immediately; the worker replaces it."""
    os._exit(os.EX_TEMPFAIL)


def run_next(ctx: Context, rung_id: UUID, leave: Callable[[], None] | None = None) -> None:
    """Run the job whose turn it is; if another worker claims it first, try the next."""
    while True:
        with ctx.main.begin() as connection:
            job_id = turns.next_in_turn(connection, rung_id, ctx.settings.max_attempts)
        if job_id is None or run_job(ctx, job_id, leave):
            return


def run_job(ctx: Context, job_id: UUID, leave: Callable[[], None] | None = None) -> bool:
    """Claim a job and run it to its end; False if it has ended, is claimed or is unknown.

    ``leave`` ends the process if the work does not react to its cancellation or its lost lease.
    """
    with ctx.main.begin() as connection:
        claim = jobs.claim(connection, job_id, ctx.settings.lease_seconds, ctx.settings.max_attempts)
    if claim is None:
        return False
    reach("claimed")

    def give_up(unheard: JobWatch) -> None:
        if leave is not None and (not unheard.cancelled or _end(ctx, claim.job, unheard, "cancelled", None)):
            _LOGGER.warning("the work was left", extra={"fields": {"job": str(job_id), "stage": unheard.stage}})
            leave()

    watching = JobWatch(ctx.main, ctx.settings, job_id, claim.fence, give_up)
    with watching as watch, _memory_limit(ctx.settings.job_memory_bytes):
        _carry_out(ctx, claim.job, watch)
    _tidy(ctx, job_id)
    return True


def _carry_out(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    try:
        # A row that someone changed in the database must not decide what is done to an original.
        jobs.require_bound(ctx.release_key, job)
        _TASKS[job.task](ctx, job, watch)
    except LostLease:
        _LOGGER.warning("the lease was lost", extra={"fields": {"job": str(job.id)}})
    except lineage.Overtaken:
        _give_back(ctx, job, watch)
    except sources.KnownInvalid:
        record = sources.dataset_record(ctx, job)
        known = record.problem or problem_of(RuntimeError())
        sources.condemn(ctx, record, known)
        _end(ctx, job, watch, "failed", known)
    except Cancelled:
        _end(ctx, job, watch, "cancelled", None)
    except (DBAPIError, psycopg.Error) as error:
        if not _will_pass(error):
            _fail(ctx, job, watch, error)
            return
        # The database is unavailable: the lease will expire and the sweeper announces the job again.
        _LOGGER.error("the database went away", exc_info=error, extra={"fields": {"job": str(job.id)}})
    except SoftTimeLimitExceeded:
        _end(ctx, job, watch, "failed", TIME_LIMIT)
    except Exception as error:  # noqa: BLE001 - any error ends the job, not the worker
        _fail(ctx, job, watch, error)


def _tidy(ctx: Context, job_id: UUID) -> None:
    """Delete the attempt's rendered files immediately if it ended without a release, for whatever reason."""
    try:
        with ctx.main.begin() as connection:
            blobs.delete_leftovers(connection, job_id)
    except SQLAlchemyError as error:
        # The sweeper will delete them.
        _LOGGER.warning("leftovers stay", extra={"fields": {"job": str(job_id), "class": type(error).__name__}})


def _will_pass(error: DBAPIError | psycopg.Error) -> bool:
    """Whether another attempt may succeed: the database is unavailable or busy, not full, and the error is not ours.

    A COPY uses the driver directly, so its errors are the driver's own.
    """
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return (lost or isinstance(error, OperationalError | psycopg.OperationalError)) and not is_full(error)


def _fail(ctx: Context, job: jobs.JobRecord, watch: JobWatch, error: Exception) -> None:
    if not isinstance(error, AntifazError):
        _LOGGER.error("a job failed", exc_info=error, extra={"fields": {"job": str(job.id), "stage": watch.stage}})
    if isinstance(error, InvalidDataset):
        record = sources.dataset_record(ctx, job)
        if error.shred:
            sources.condemn(ctx, record, problem_of(error))
        _end(ctx, job, watch, "failed", problem_of(error, to_uploader=job.created_by == record.created_by))
        return
    if isinstance(error, Shredded):
        sources.shred_deleted(ctx, job)
    _end(ctx, job, watch, "failed", problem_of(error))


def _give_back(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Queue the job again, unless its cancellation was requested meanwhile."""
    with ctx.main.begin() as connection:
        if jobs.release_lease(connection, job.id, watch.fence) == "cancelled":
            _tell(connection, job, "cancelled", None)


def _end(ctx: Context, job: jobs.JobRecord, watch: JobWatch, status: str, problem: dict[str, Any] | None) -> bool:
    """End the job; False if the worker no longer holds it."""
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, status, error=problem):
            return False
        if job.hierarchy_id is not None and problem is not None:
            hierarchies.fail_hierarchy(connection, job.hierarchy_id, problem)
        _tell(connection, job, status, problem)
    return True


def _tell(connection: Connection, job: jobs.JobRecord, status: str, problem: dict[str, Any] | None) -> None:
    """Append the end of a job that a client submitted to its tenant's audit trail, in the transaction that ends it.

    The event includes what a failure discloses of the values: its rule and its column.
    """
    if job.task in jobs.ASKED_FOR or (job.hierarchy_id is not None and problem is not None):
        details = {"problem": problem["type"]} if problem else {}
        if problem and "column" in problem:
            details["column"] = problem["column"]
        audit.append(connection, job.tenant_id, pipeline.ACTOR, sweeping.ENDINGS[status], str(job.id), details)


_TASKS: dict[str, Callable[[Context, jobs.JobRecord, JobWatch], None]] = {
    "publish": pipeline.publish_dataset,
    "trial": pipeline.try_policy,
    "comparison": comparison.compare,
    "query": questions.answer_question,
    "profile": adviser.profile,
    "project": projection.project,
    "hierarchy": hierarchy_maker.generate,
    "preview": hierarchy_maker.preview,
}


@contextmanager
def _memory_limit(extra: int) -> Iterator[None]:
    """Let the process grow by at most this number of bytes while a job runs."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    # On top of what the process has: libraries and kernels were loaded before the job.
    limit = _address_space() + extra
    ceiling = limit if before[1] == resource.RLIM_INFINITY else min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
