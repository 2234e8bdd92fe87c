"""Bells: learn of a job's change from PostgreSQL's notifications instead of by asking again and again.

One connection of the process listens; whoever waits for a job has a bell that rings when the job's id is announced. A
lost connection rings every bell, so that nobody misses a change, and is opened anew.
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

from api_schemas.messages import CHANNEL
from service.logs import log_failure

_RETRY_SECONDS = 1.0


class Bells:
    """The bells of everybody who waits for a job in this process."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._bells: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.closing = asyncio.Event()
        """Set when the process is asked to stop: whoever waits answers now."""
        self.listening = asyncio.Event()

    @contextmanager
    def bell(self, job_id: UUID) -> Iterator[asyncio.Event]:
        """A bell that rings on every change of the job."""
        ringing = asyncio.Event()
        key = str(job_id)
        self._bells[key].add(ringing)
        try:
            yield ringing
        finally:
            self._bells[key].discard(ringing)
            if not self._bells[key]:
                del self._bells[key]

    def close(self) -> None:
        """Ring everybody for the last time."""
        self.closing.set()
        self._ring_all()

    async def listen(self) -> None:
        """Listen until cancelled, connecting again whenever the connection is lost."""
        while True:
            try:
                async with self._connection() as connection:
                    self.listening.set()
                    self._ring_all()
                    async for note in connection.notifies():
                        self._ring(note.payload)
            except (psycopg.Error, SQLAlchemyError, OSError) as error:
                log_failure("listening failed", error)
            self.listening.clear()
            self._ring_all()
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

    def _ring(self, job_id: str) -> None:
        for ringing in self._bells.get(job_id, ()):
            ringing.set()

    def _ring_all(self) -> None:
        for bells in self._bells.values():
            for ringing in bells:
                ringing.set()


async def rung(bell: asyncio.Event, seconds: float) -> bool:
    """Wait for a bell at most so long; it is then silent again."""
    try:
        async with asyncio.timeout(seconds):
            await bell.wait()
    except TimeoutError:
        return False
    bell.clear()
    return True
