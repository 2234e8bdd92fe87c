"""State: what one API process holds while it runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.bells import Bells
from service.dispatch import Ringer, sender
from service.limits import RateLimit, Turns
from service.metrics import Metrics
from storage.keeper import KeyKeeper
from storage.keys import load_public_key, load_release_key
from storage.lookups import Lookups
from storage.session import async_keyring_engine, async_main_engine
from storage.settings import Settings

_MOST_UPLOADS = 16
"""Uploads at one time in one process: each holds a connection for as long as its body takes."""


@dataclass(frozen=True)
class Service:
    """Engines, keys and tasks of the process. Uploads have connections of their own: slow ones starve nobody."""

    settings: Settings
    main: AsyncEngine
    intake: AsyncEngine
    keyring: AsyncEngine
    lookups: Lookups
    keeper: KeyKeeper
    public_key: X25519PublicKey
    release_key: bytes
    bells: Bells
    ringer: Ringer
    metrics: Metrics
    requests: RateLimit
    uploads: RateLimit
    reads: Turns
    writes: Turns
    upload_slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MOST_UPLOADS))

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection whose statements stand each for themselves: no round trips for a transaction."""
        async with self.main.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed when the block ends, rolled back when it raises."""
        async with self.main.begin() as connection:
            yield connection

    async def dispose(self) -> None:
        """Close every connection."""
        await self.lookups.close()
        await self.keeper.close()
        for engine in (self.main, self.intake, self.keyring):
            await engine.dispose()


def build_service(settings: Settings) -> Service:
    """The state of a process with these settings."""
    if settings.worker_public_key_file is None or settings.release_key_file is None:
        raise RuntimeError("ANTIFAZ_WORKER_PUBLIC_KEY_FILE and ANTIFAZ_RELEASE_KEY_FILE must be set")
    main, metrics = async_main_engine(settings), Metrics()
    return Service(
        settings=settings,
        main=main,
        intake=async_main_engine(settings),
        keyring=async_keyring_engine(settings),
        lookups=Lookups(settings),
        keeper=KeyKeeper(settings),
        public_key=load_public_key(settings.worker_public_key_file),
        release_key=load_release_key(settings.release_key_file),
        bells=Bells(main),
        ringer=Ringer(main, sender(settings), metrics),
        metrics=metrics,
        requests=RateLimit(settings.requests_per_minute),
        uploads=RateLimit(settings.uploads_per_minute),
        reads=Turns(settings.max_reads_at_once),
        writes=Turns(settings.max_writes_at_once),
    )


def service_of(request: Request) -> Service:
    """The state of the process that answers a request."""
    state: Service = request.app.state.service
    return state
