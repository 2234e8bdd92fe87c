"""State: the shared objects of one API process."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.runtime.dispatch import Announcer, sender
from service.runtime.identity_provider import Provider
from service.runtime.job_events import JobEvents
from service.runtime.limits import RateLimit, Turns
from service.runtime.metrics import Metrics
from service.runtime.queues import QueueTimes, ShownQueue
from service.runtime.quotas import Intake
from storage.blobs.key_writer import KeyWriter
from storage.crypto.heads import HeadSigner
from storage.crypto.keys import load_audit_keys, load_public_key, load_release_key, load_token_key, required
from storage.database.session import async_keyring_engine, async_main_engine
from storage.operations import consumers
from storage.operations.lookups import Lookups
from storage.settings import Settings


@dataclass(frozen=True)
class Service:
    """Engines, keys and tasks of the process. Uploads have their own connections: slow ones block nothing else."""

    settings: Settings
    main: AsyncEngine
    intake: AsyncEngine
    keyring: AsyncEngine
    lookups: Lookups
    key_writer: KeyWriter
    public_key: X25519PublicKey
    courier_key: X25519PublicKey
    """The courier's public key: data sealed to it cannot be read back here."""
    release_key: bytes
    token_key: bytes
    head_signer: HeadSigner
    oidc: Provider | None
    """The OpenID provider, if one is configured."""
    job_events: JobEvents
    announcer: Announcer
    metrics: Metrics
    queue_times: QueueTimes
    requests: RateLimit
    uploads: RateLimit
    under_way: Intake
    reads: Turns
    writes: Turns
    uploading: Turns
    """Turns of uploads being received, which take as long as their senders do."""
    sending: Turns
    """Turns of other bodies being received."""

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection that commits each statement on its own: no round trips for a transaction."""
        async with self.main.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed when the block ends, rolled back when it raises."""
        async with self.main.begin() as connection:
            yield connection

    async def queues(self) -> list[ShownQueue]:
        """The state of every queue, as it may be shown."""
        limits = (self.settings.consumer_seconds, self.settings.rering_seconds)
        async with self.reading() as connection:
            states = await connection.run_sync(consumers.states, *limits)
        return self.queue_times.show(states, time.monotonic())

    async def dispose(self) -> None:
        """Close every connection."""
        await self.lookups.close()
        await self.key_writer.close()
        for engine in (self.main, self.intake, self.keyring):
            await engine.dispose()


def build_service(settings: Settings) -> Service:
    """Build the state of a process with these settings."""
    public_key = load_public_key(required(settings.worker_public_key_file, "ANTIFAZ_WORKER_PUBLIC_KEY_FILE"))
    courier_key = load_public_key(required(settings.courier_public_key_file, "ANTIFAZ_COURIER_PUBLIC_KEY_FILE"))
    release_key = load_release_key(required(settings.release_key_file, "ANTIFAZ_RELEASE_KEY_FILE"))
    token_key = load_token_key(required(settings.token_key_file, "ANTIFAZ_TOKEN_KEY_FILE"))
    head_signer = HeadSigner(load_audit_keys(required(settings.audit_key_file, "ANTIFAZ_AUDIT_KEY_FILE")))
    main, metrics = async_main_engine(settings), Metrics()
    return Service(
        settings=settings,
        main=main,
        intake=async_main_engine(settings),
        keyring=async_keyring_engine(settings),
        lookups=Lookups(settings, token_key),
        key_writer=KeyWriter(settings),
        public_key=public_key,
        courier_key=courier_key,
        release_key=release_key,
        token_key=token_key,
        head_signer=head_signer,
        oidc=None if settings.oidc_issuer is None else Provider(settings, settings.oidc_issuer),
        job_events=JobEvents(main),
        announcer=Announcer(main, sender(settings), metrics),
        metrics=metrics,
        queue_times=QueueTimes(),
        requests=RateLimit(settings.requests_per_minute),
        uploads=RateLimit(settings.uploads_per_minute),
        under_way=Intake(settings),
        reads=_shared(settings.max_reads_at_once, settings.turn_seconds),
        writes=_shared(settings.max_writes_at_once, settings.turn_seconds),
        uploading=Turns(settings.max_uploads_at_once, settings.tenant_uploads_at_once, settings.turn_seconds),
        sending=Turns(settings.max_bodies_at_once, settings.tenant_bodies_at_once, settings.turn_seconds),
    )


def _shared(most: int, patience: float) -> Turns:
    """Turns of which one tenant gets at most three quarters: the rest is for the others."""
    return Turns(most, -(-most * 3 // 4), patience)


def service_of(request: Request) -> Service:
    """The state of the process that serves a request."""
    state: Service = request.app.state.service
    return state
