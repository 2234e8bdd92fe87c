"""Context: the connections and keys of one worker process, created on first use."""

from dataclasses import dataclass
from functools import cache

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from sqlalchemy import Engine

from storage.crypto.keys import load_private_key, load_release_key, required
from storage.database.session import keyring_engine, main_engine
from storage.settings import Settings, settings


@dataclass(frozen=True)
class Context:
    """Settings, engines and keys of a worker."""

    settings: Settings
    main: Engine
    keyring: Engine
    private_key: X25519PrivateKey
    release_key: bytes

    @property
    def public_key(self) -> X25519PublicKey:
        return self.private_key.public_key()


@cache
def context() -> Context:
    """The context of this process."""
    chosen = settings()
    return Context(
        chosen,
        main_engine(chosen),
        keyring_engine(chosen),
        load_private_key(required(chosen.worker_key_file, "ANTIFAZ_WORKER_KEY_FILE")),
        load_release_key(required(chosen.release_key_file, "ANTIFAZ_RELEASE_KEY_FILE")),
    )


def forget() -> None:
    """Drop the connections that a forked child inherited, without closing the parent's."""
    if context.cache_info().currsize:
        inherited = context()
        inherited.main.dispose(close=False)
        inherited.keyring.dispose(close=False)
        context.cache_clear()
