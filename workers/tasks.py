"""The one Celery task: run the job whose id rang.

Everything that can go wrong ends here: an error becomes the job's own end, a lost database leaves the job to its
lease and the sweeper, and a cancelled job is marked so.
"""

import logging
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from antifaz.errors import AntifazError, Cancelled, InvalidDataset
from storage import audit, hierarchies, jobs
from storage.errors import Shredded
from storage.failpoints import reach
from workers import hierarchy_maker, pipeline, sources
from workers.app import RUN_TASK, app
from workers.context import Context, context
from workers.problems import TIME_LIMIT, is_full, problem_of
from workers.watch import JobWatch, LostLease

_LOGGER = logging.getLogger(__name__)


@app.task(name=RUN_TASK)
def run(job_id: str) -> None:
    """Claim a job and carry it to its end; a message for a job that is done or taken is dropped."""
    run_job(context(), UUID(job_id))


def run_job(ctx: Context, job_id: UUID) -> None:
    """Claim a job and carry it to its end."""
    with ctx.main.begin() as connection:
        claim = jobs.claim(connection, job_id, ctx.settings.lease_seconds, ctx.settings.max_attempts)
    if claim is None:
        return
    reach("claimed")
    with JobWatch(ctx.main, ctx.settings, job_id, claim.fence) as watch, _memory_limit(ctx.settings.job_memory_bytes):
        _carry_out(ctx, claim.job, watch)


def _carry_out(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    try:
        _TASKS[job.task](ctx, job, watch)
    except LostLease:
        _LOGGER.warning("the lease was lost", extra={"fields": {"job": str(job.id)}})
    except pipeline.Overtaken:
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
        # The database went away: the lease will run out and the sweeper rings again.
        _LOGGER.error("the database went away", exc_info=error, extra={"fields": {"job": str(job.id)}})
    except SoftTimeLimitExceeded:
        _end(ctx, job, watch, "failed", TIME_LIMIT)
    except Exception as error:  # noqa: BLE001 - whatever happens is the job's end, not the worker's
        _fail(ctx, job, watch, error)


def _will_pass(error: DBAPIError | psycopg.Error) -> bool:
    """Whether another attempt may fare better: the database is away or busy, not full, and the fault is not ours.

    A COPY speaks to the driver directly, so its errors come as the driver's own.
    """
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return (lost or isinstance(error, OperationalError | psycopg.OperationalError)) and not is_full(error)


def _fail(ctx: Context, job: jobs.JobRecord, watch: JobWatch, error: Exception) -> None:
    if not isinstance(error, AntifazError):
        _LOGGER.error("a job failed", exc_info=error, extra={"fields": {"job": str(job.id), "stage": watch.stage}})
    if isinstance(error, InvalidDataset) and error.shred:
        sources.condemn(ctx, sources.dataset_record(ctx, job), problem_of(error))
    if isinstance(error, Shredded):
        sources.shred_deleted(ctx, job)
    _end(ctx, job, watch, "failed", problem_of(error))


def _give_back(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Let the job wait for its next turn, unless its cancellation was asked for meanwhile."""
    with ctx.main.begin() as connection:
        if jobs.release_lease(connection, job.id, watch.fence) == "cancelled":
            _tell(connection, job, "cancelled", None)


def _end(ctx: Context, job: jobs.JobRecord, watch: JobWatch, status: str, problem: dict[str, Any] | None) -> None:
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, status, error=problem):
            return
        if job.hierarchy_id is not None and problem is not None:
            hierarchies.fail_hierarchy(connection, job.hierarchy_id, problem)
        _tell(connection, job, status, problem)


def _tell(connection: Connection, job: jobs.JobRecord, status: str, problem: dict[str, Any] | None) -> None:
    """Append the end of a publishing job to its tenant's audit trail, in the transaction that ends it."""
    if job.task == "publish":
        details = {"problem": problem["type"]} if problem else {}
        audit.append(connection, job.tenant_id, pipeline.ACTOR, jobs.ENDINGS[status], str(job.id), details)


def _profile(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Read a dataset that came without a policy, so that its columns' types and its size are known."""
    sources.read_dataset(ctx, sources.dataset_of(ctx, job), watch)
    with ctx.main.begin() as connection:
        jobs.finish(connection, job.id, watch.fence, "done")


_TASKS: dict[str, Callable[[Context, jobs.JobRecord, JobWatch], None]] = {
    "publish": pipeline.publish_dataset,
    "profile": _profile,
    "hierarchy": hierarchy_maker.generate,
}


@contextmanager
def _memory_limit(extra: int) -> Iterator[None]:
    """Let the process grow by so many bytes and no more while a job runs."""
    before = resource.getrlimit(resource.RLIMIT_AS)
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
