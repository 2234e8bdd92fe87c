"""Subscriptions to the changes of a job."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

import pytest
from sqlalchemy import text

from service.runtime import job_events
from service.runtime.job_events import JobEvents, changed
from storage.database.session import async_main_engine
from storage.settings import Settings
from tests.patience import patience


@asynccontextmanager
async def listening(url: str) -> AsyncIterator[tuple[JobEvents, object]]:
    """JobEvents on a database, and a connection that can announce."""
    engine = async_main_engine(Settings(database_url=url), process="job-events")
    found = JobEvents(engine)
    task = asyncio.create_task(found.listen())
    try:
        await asyncio.wait_for(found.listening.wait(), patience())
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            yield found, connection
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await engine.dispose()


def test_only_the_subscription_to_the_job_that_changed_is_set(databases):
    async def run() -> None:
        mine, other = uuid4(), uuid4()
        async with listening(databases.service_url) as (found, connection):
            with (
                found.subscribe(mine) as first,
                found.subscribe(mine) as second,
                found.subscribe(other) as silent,
            ):
                await connection.execute(text("SELECT pg_notify('antifaz_jobs', :id)"), {"id": str(mine)})
                assert await changed(first, patience())
                assert await changed(second, patience())
                assert not await changed(silent, 0.05)
                assert not await changed(first, 0.05)
            assert not found._subscriptions

    asyncio.run(run())


def test_a_lost_connection_rings_everybody_and_is_opened_anew(databases, monkeypatch):
    monkeypatch.setattr(job_events, "_RETRY_SECONDS", 0.05)

    async def run() -> None:
        mine = uuid4()
        async with listening(databases.url) as (found, connection):
            with found.subscribe(mine) as subscription:
                await connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
                    )
                )
                assert await changed(subscription, patience())
                for _ in range(4_000):
                    await connection.execute(text("SELECT pg_notify('antifaz_jobs', :id)"), {"id": str(mine)})
                    if found.listening.is_set() and await changed(subscription, 0.1):
                        return
                    await asyncio.sleep(0.05)
        pytest.fail("nobody listened again")

    asyncio.run(run())


def test_closing_rings_everybody():
    async def run() -> None:
        found = JobEvents(async_main_engine(Settings()))
        with found.subscribe(uuid4()) as subscription:
            found.close()
            assert await changed(subscription, patience())
        assert found.closing.is_set()

    asyncio.run(run())
