"""Samples for tests of jobs."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Connection, func, select, update

from storage.jobs.jobs import JobRecord, get_job
from storage.jobs.protocol import CHANNEL
from storage.orm import Job, Outbox
from tests.patience import patience

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


@contextmanager
def listening(databases: Any) -> Iterator[Callable[[], list[str]]]:
    """A function that returns the jobs of which it was notified since it was last called."""
    address = databases.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(address, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")

        def heard() -> list[str]:
            """All up to a notice of our own: they come in the order of the commits."""
            listener.execute(f"NOTIFY {CHANNEL}, 'so far'")
            notices = iter(listener.notifies(timeout=patience()))
            return list(iter(lambda: next(notices).payload, "so far"))

        yield heard
