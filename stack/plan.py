"""Plan: the processes to start, each with only its own credentials and none inherited."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stack import kernels
from stack.children import commands
from stack.children.hearing import Hearing
from stack.children.keeper import SILENCE
from stack.children.supervisor import Child
from stack.options import Connections, Options
from stack.servers import databases
from stack.servers.broker import RedisServer
from stack.servers.databases import KEYRING, MAIN, ROOT, Login
from stack.servers.memory import Memory
from stack.servers.postgres import PostgresServer
from storage.jobs.protocol import FAST, LARGE, SMALL
from storage.settings import Settings

_OURS = (
    "ANTIFAZ_DATABASE_URL",
    "ANTIFAZ_KEYRING_URL",
    "ANTIFAZ_BROKER_URL",
    "ANTIFAZ_DATABASE_ROLE",
    "ANTIFAZ_BOOTSTRAP_TOKEN",
    "ANTIFAZ_WORKER_KEY_FILE",
    "ANTIFAZ_WORKER_PUBLIC_KEY_FILE",
    "ANTIFAZ_COURIER_KEY_FILE",
    "ANTIFAZ_COURIER_PUBLIC_KEY_FILE",
    "ANTIFAZ_RELEASE_KEY_FILE",
    "ANTIFAZ_TOKEN_KEY_FILE",
    "ANTIFAZ_AUDIT_KEY_FILE",
    "ANTIFAZ_BEAT_FILE",
)
"""Credentials: each process gets only its own and inherits none."""

_PRIVATE = ("ANTIFAZ_WORKER_KEY_FILE", "ANTIFAZ_COURIER_KEY_FILE")
"""Keys that the API must not have."""
_OF_WORKERS = ("ANTIFAZ_WORKER_PUBLIC_KEY_FILE", "ANTIFAZ_WORKER_KEY_FILE", "ANTIFAZ_RELEASE_KEY_FILE")
_OF_THE_COURIER = ("ANTIFAZ_COURIER_KEY_FILE", "ANTIFAZ_RELEASE_KEY_FILE")


@dataclass(frozen=True)
class Servers:
    """The embedded servers; None if an external address was given."""

    postgres: PostgresServer | None
    redis: RedisServer | None


def connections(options: Options, servers: Servers, memory: Memory, login: Login | None) -> Connections:
    """The addresses for a login or for the owner; an external database has one login, which takes a role."""
    external = bool(options.database_url or options.keyring_url)
    own = login if login and not external else None
    word = memory.password(own) if own else None

    def address(given: str | None, database: str) -> str:
        if given:
            return given
        assert servers.postgres is not None, "PostgreSQL is started unless both addresses are given"
        return servers.postgres.url(database, own.name if own else None, word)

    broker = options.broker_url or (servers.redis.work_url if servers.redis else "")
    role = login.role if login and external else None
    return Connections(address(options.database_url, MAIN), address(options.keyring_url, KEYRING), broker, role)


def make_keys(folder: Path) -> dict[str, str]:
    """Create missing keys. Return the variables that name their files."""
    from storage.crypto.keys import ensure_keys

    ensure_keys(folder)
    return {
        "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": str(folder / "worker.pub"),
        "ANTIFAZ_WORKER_KEY_FILE": str(folder / "worker.key"),
        "ANTIFAZ_COURIER_PUBLIC_KEY_FILE": str(folder / "courier.pub"),
        "ANTIFAZ_COURIER_KEY_FILE": str(folder / "courier.key"),
        "ANTIFAZ_RELEASE_KEY_FILE": str(folder / "release.key"),
        "ANTIFAZ_TOKEN_KEY_FILE": str(folder / "token.key"),
        "ANTIFAZ_AUDIT_KEY_FILE": str(folder / "audit.key"),
    }


def plan(
    options: Options, servers: Servers, memory: Memory, keys: dict[str, str], token: str | None
) -> tuple[Child, ...]:
    """The API, the workers, the sweeper and the courier, each with its own credentials and no other's."""
    logs = options.data_dir / "logs"
    service = connections(options, servers, memory, databases.API).environment()
    work = connections(options, servers, memory, databases.WORKER).environment()
    send = connections(options, servers, memory, databases.COURIER).environment()
    # The courier needs neither the keyring nor the broker.
    sending_to = {name: send[name] for name in ("ANTIFAZ_DATABASE_URL", "ANTIFAZ_DATABASE_ROLE") if name in send}
    serving = {name: path for name, path in keys.items() if name not in _PRIVATE}
    working = {name: keys[name] for name in _OF_WORKERS}
    signing = {"ANTIFAZ_AUDIT_KEY_FILE": keys["ANTIFAZ_AUDIT_KEY_FILE"]}
    sending = {name: keys[name] for name in _OF_THE_COURIER}
    first = {"ANTIFAZ_BOOTSTRAP_TOKEN": token} if token else {}
    base = bare_environment()
    silence = SILENCE * Settings().consumer_seconds

    def consumer(name: str, command: list[str], environment: dict[str, str], **more: Any) -> Child:
        """A process that shows that it takes work."""
        file = (logs / f"{name}.beat").absolute()
        own = base | environment | {"ANTIFAZ_BEAT_FILE": str(file)}
        return Child(name, command, own, logs / f"{name}.log", ROOT, hearing=Hearing(file, silence), **more)

    api = Child(
        "API", commands.api(options.host, options.port), base | service | serving | first, logs / "api.log", ROOT
    )
    workers = [
        consumer(
            name,
            command,
            work | working,
            # If we are killed, a worker must not continue its job for minutes: the lease ends and another claims it.
            death_signal=signal.SIGQUIT,
            farewell=((signal.SIGTERM, commands.DRAIN_SECONDS), (signal.SIGQUIT, 5.0)),
        )
        for name, command in (
            ("worker", commands.worker((SMALL, LARGE), options.processes)),
            ("questions", commands.worker((FAST,), 1)),
        )
    ]
    sweeper = consumer("sweeper", commands.sweeper(), work | signing)
    courier = consumer("courier", commands.courier(), sending_to | sending)
    return api, *workers, sweeper, courier


def bare_environment() -> dict[str, str]:
    """Our environment without any credential, with the kernels' cache and the modules' folder."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    kept.setdefault("NUMBA_CACHE_DIR", str(kernels.cache_folder()))
    kept["PYTHONUNBUFFERED"] = "1"
    return kept
