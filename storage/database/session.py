"""Sessions: the engines of both databases, for the service (asynchronous) and the workers.

Every connection hides the parameters of failing statements, takes the process's role if one login serves several
processes, and is checked before it is used again: one that the server closed is replaced. The API limits the duration
of statements and locks; uploads lift the limit for their own transaction. An engine that is inherited through a fork
drops its parent's connections.
"""

import os
import select
import weakref
from typing import Any

import psycopg
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from storage.settings import Settings

API_LIMITS = {"statement_timeout": "30s", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "300s"}
# A worker that hangs inside a transaction must not block its job for other workers forever.
WORKER_LIMITS = {"statement_timeout": "600s", "lock_timeout": "30s", "idle_in_transaction_session_timeout": "900s"}
_BY_KEY = {"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off"}
"""For connections that only look up rows by key. Statements are planned once, because planning takes twice as long as
the lookup, and never with a sequential scan, however small the table was when the plan was made."""

_NEW = "new"


def main_engine(settings: Settings, process: str = "worker") -> Engine:
    """The main database, for a worker or the sweeper."""
    return _engine(settings.database_url, settings, process)


def keyring_engine(settings: Settings, process: str = "worker") -> Engine:
    """The keyring, for a worker or the sweeper."""
    return _engine(settings.keyring_url, settings, process)


def async_main_engine(settings: Settings, process: str = "service") -> AsyncEngine:
    """The main database, for the service."""
    return _async_engine(settings.database_url, settings, process)


def async_keyring_engine(settings: Settings, process: str = "service") -> AsyncEngine:
    """The keyring, for the service."""
    return _async_engine(settings.keyring_url, settings, process)


def main_arguments(settings: Settings, process: str = "service") -> dict[str, Any]:
    """The driver's arguments to connect to the main database without an engine."""
    return _arguments(settings.database_url, settings, process)


def keyring_arguments(settings: Settings, process: str = "service") -> dict[str, Any]:
    """The driver's arguments to connect to the keyring without an engine."""
    return _arguments(settings.keyring_url, settings, process)


def _arguments(address: SecretStr, settings: Settings, process: str) -> dict[str, Any]:
    url = make_url(address.get_secret_value())
    place = url.translate_connect_args(username="user", database="dbname")
    return {**place, **url.query, **_connect_arguments(settings, process, API_LIMITS | _BY_KEY)}


def _engine(url: SecretStr, settings: Settings, process: str) -> Engine:
    engine = create_engine(
        url.get_secret_value(),
        hide_parameters=True,
        pool_size=4,
        max_overflow=8,
        connect_args=_connect_arguments(settings, process, WORKER_LIMITS),
    )
    _replace_hung_up(engine)
    _forget_after_fork(engine)
    return engine


def _async_engine(url: SecretStr, settings: Settings, process: str) -> AsyncEngine:
    engine = create_async_engine(
        url.get_secret_value(),
        hide_parameters=True,
        pool_size=10,
        max_overflow=20,
        pool_timeout=10,
        connect_args=_connect_arguments(settings, process, API_LIMITS),
    )
    _replace_hung_up(engine.sync_engine)
    return engine


def _connect_arguments(settings: Settings, process: str, limits: dict[str, str]) -> dict[str, Any]:
    chosen = dict(limits)
    if settings.database_role:
        chosen["role"] = settings.database_role
    return {
        "connect_timeout": 5,
        "application_name": f"antifaz-{process}",
        "options": " ".join(f"-c {name}={value}" for name, value in chosen.items()),
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }


def _replace_hung_up(engine: Engine) -> None:
    """Make the pool replace a connection that the server has closed; it polls the socket, which is cheaper than a ping.

    New connections are not checked: if the server closes those, it is down, and the first statement reports that. A
    pool that replaces them in vain would give up with an error that looks like an internal one.
    """

    def greet(adapted: Any, record: Any) -> None:
        record.info[_NEW] = True

    def look(adapted: Any, record: Any, proxy: Any) -> None:
        if not record.info.pop(_NEW, False) and hung_up(record.driver_connection):
            raise DisconnectionError("the server has ended the connection")

    event.listen(engine, "connect", greet)
    event.listen(engine, "checkout", look)


def hung_up(connection: "psycopg.Connection[Any] | psycopg.AsyncConnection[Any]") -> bool:
    """Whether an idle connection was closed: a server sends nothing unprompted, except when it closes."""
    if connection.closed:
        return True
    glance = select.poll()
    glance.register(connection.fileno(), select.POLLIN)
    return bool(glance.poll(0))


def _forget_after_fork(engine: Engine) -> None:
    """Two processes on one socket would read each other's answers, so a child starts with an empty pool."""
    remembered = weakref.ref(engine)

    def forget() -> None:
        inherited = remembered()
        if inherited is not None:
            inherited.dispose(close=False)

    os.register_at_fork(after_in_child=forget)
