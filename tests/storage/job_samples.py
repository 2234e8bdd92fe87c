"""Samples for tests of jobs."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, select, update

from storage.jobs.jobs import JobRecord, get_job
from storage.orm import Job, Outbox

KEY = secrets.token_bytes(32)
LEASE = 3600.0
ATTEMPTS = 3


def lapse(engines: Any, job_id: UUID) -> None:
    """Let a job's lease run out."""
    with engines.main.begin() as connection:
        over = func.now() - timedelta(seconds=1)
        connection.execute(update(Job).where(Job.id == job_id).values(lease_until=over))


def messages(c: Connection, job_id: UUID) -> int:
    return c.execute(select(func.count()).where(Outbox.job_id == job_id)).scalar_one()


def stored(engines: Any, job: JobRecord) -> JobRecord:
    with engines.main.connect() as connection:
        found = get_job(connection, job.tenant_id, job.id)
        assert found is not None
        return found


def ended(engines: Any, job_id: UUID) -> None:
    with engines.main.begin() as connection:
        connection.execute(update(Job).where(Job.id == job_id).values(status="cancelled", finished_at=func.now()))
