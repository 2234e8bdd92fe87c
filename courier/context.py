"""Context: the connections and keys of the courier."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy.ext.asyncio import AsyncEngine

from courier.calls import Caller
from courier.metrics import Metrics
from storage.crypto.keys import load_private_key, load_release_key, required
from storage.database.session import async_main_engine
from storage.outbound.addresses import allowed_by
from storage.settings import Settings

Result = TypeVar("Result")


@dataclass(frozen=True)
class Context:
    """Settings, engine, keys, caller and metrics of the courier."""

    settings: Settings
    main: AsyncEngine
    private_key: X25519PrivateKey
    release_key: bytes
    caller: Caller
    metrics: Metrics

    async def transact(self, work: Callable[..., Result], *values: Any) -> Result:
        """Run a function of the store in its own transaction."""
        async with self.main.begin() as connection:
            return await connection.run_sync(work, *values)


def build_context(settings: Settings) -> Context:
    """The context of a courier with these settings."""
    return Context(
        settings=settings,
        main=async_main_engine(settings, "courier"),
        private_key=load_private_key(required(settings.courier_key_file, "ANTIFAZ_COURIER_KEY_FILE")),
        release_key=load_release_key(required(settings.release_key_file, "ANTIFAZ_RELEASE_KEY_FILE")),
        caller=Caller(allowed_by(settings.outbound_networks)),
        metrics=Metrics(),
    )
