"""Job events: learn of a job's changes through PostgreSQL notifications instead of polling.

One connection of the process listens, and sets the subscriptions to a job when the job's id is announced. If the
connection is lost, every subscription is set, so that no change is missed, and the connection is opened again.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from uuid import UUID

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from service.runtime.logs import log_failure
from storage.jobs.protocol import CHANNEL

_RETRY_SECONDS = 1.0


class JobEvents:
    """The subscriptions of all requests of this process that wait for a job."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._subscriptions: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.closing = asyncio.Event()
        """Set on shutdown: requests that wait for a job end now."""
        self.listening = asyncio.Event()

    @contextmanager
    def subscribe(self, job_id: UUID) -> Iterator[asyncio.Event]:
        """An event that is set on every change of the job."""
        subscription = asyncio.Event()
        key = str(job_id)
        self._subscriptions[key].add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions[key].discard(subscription)
            if not self._subscriptions[key]:
                del self._subscriptions[key]

    def close(self) -> None:
        """Wake all subscriptions for the last time."""
        self.closing.set()
        self._set_all()

    async def listen(self) -> None:
        """Listen until cancelled, connecting again whenever the connection is lost."""
        while True:
            try:
                async with self._connection() as connection:
                    self.listening.set()
                    self._set_all()
                    async for note in connection.notifies():
                        self._set(note.payload)
            except (psycopg.Error, SQLAlchemyError, OSError) as error:
                log_failure("listening failed", error)
            self.listening.clear()
            self._set_all()
            await asyncio.sleep(_RETRY_SECONDS)

    @asynccontextmanager
    async def _connection(self) -> "AsyncIterator[psycopg.AsyncConnection[tuple[object, ...]]]":
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text(f"LISTEN {CHANNEL}"))
            raw = await connection.get_raw_connection()
            try:
                assert isinstance(raw.driver_connection, psycopg.AsyncConnection)
                yield raw.driver_connection
            finally:
                await connection.invalidate()

    def _set(self, job_id: str) -> None:
        for subscription in self._subscriptions.get(job_id, ()):
            subscription.set()

    def _set_all(self) -> None:
        for subscriptions in self._subscriptions.values():
            for subscription in subscriptions:
                subscription.set()


async def changed(subscription: asyncio.Event, seconds: float) -> bool:
    """Whether a change came within this time; the subscription is then clear for the next one."""
    try:
        async with asyncio.timeout(seconds):
            await subscription.wait()
    except TimeoutError:
        return False
    subscription.clear()
    return True
