"""Sessions: the engines of both databases, for the service (asynchronous) and the workers.

Every connection hides the parameters of failing statements, takes the process's role where one login serves several
processes, and is looked at before it is used again: one that its server hung up is replaced. The API bounds how long a
statement or a lock may take; uploads lift the bound for their own transaction. An engine that is inherited through a
fork forgets its parent's connections.
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
# A worker that hangs inside a transaction must not keep its job from the others for ever.
WORKER_LIMITS = {"statement_timeout": "600s", "lock_timeout": "30s", "idle_in_transaction_session_timeout": "900s"}
_BY_KEY = {"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off"}
"""For connections that only look up rows by their keys: planned once instead of each time, which takes twice as long as
the looking up, and never by reading a whole table, however small it was when the plan was made."""

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
    """How the driver connects to the main database by itself, without an engine."""
    return _arguments(settings.database_url, settings, process)


def keyring_arguments(settings: Settings, process: str = "service") -> dict[str, Any]:
    """How the driver connects to the keyring by itself, without an engine."""
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
    """Have the pool replace a connection that the server has ended, at the price of a glance instead of a ping.

    A new one is not looked at: a server that hangs up on those is away, and its first statement says so, whereas a
    pool that replaces in vain gives up with an error that nobody can tell from a fault of ours.
    """

    def greet(adapted: Any, record: Any) -> None:
        record.info[_NEW] = True

    def look(adapted: Any, record: Any, proxy: Any) -> None:
        if not record.info.pop(_NEW, False) and hung_up(record.driver_connection):
            raise DisconnectionError("the server has ended the connection")

    event.listen(engine, "connect", greet)
    event.listen(engine, "checkout", look)


def hung_up(connection: "psycopg.Connection[Any] | psycopg.AsyncConnection[Any]") -> bool:
    """Whether an idle connection is over: a server that nobody asked says nothing unless it says goodbye."""
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
