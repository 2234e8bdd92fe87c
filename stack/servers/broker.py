"""Broker: an embedded Redis (or Valkey) server with a private folder and a free port of the loopback address."""

import contextlib
import hashlib
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import redis

from stack.children.processes import spawn
from stack.servers.folders import server_environment, write_private
from stack.servers.ports import LOOPBACK
from stack.servers.programs import Programs, find_redis, within_reach
from stack.servers.server import Server

BROKER_USER = "antifaz"
BROKER_RIGHTS = "~* +@all -@admin -@dangerous -@pubsub -@hyperloglog -@geo -@bitmap -@stream"
"""Queues and scripts, whose commands have the same rights. No settings, listing of keys, flushing or broadcasts, and no
value types that Celery does not use: their parsers have had the most bugs."""


class RedisServer(Server):
    """An embedded Redis (or Valkey) server."""

    name = "Redis"
    death_signal = signal.SIGTERM
    farewell = ((signal.SIGTERM, 20.0),)

    @property
    def store(self) -> Path:
        """The folder of Redis's append-only file."""
        return self.home / "store"

    @property
    def url(self) -> str:
        """The broker's address for its owner, password included."""
        return f"redis://:{quote(self.password, safe='')}@{LOOPBACK}:{self.port}/0"

    @property
    def work_url(self) -> str:
        """The broker's address for the API, the workers and the sweeper, which must not administer it."""
        return f"redis://{BROKER_USER}:{self._work_password()}@{LOOPBACK}:{self.port}/0"

    def _work_password(self) -> str:
        """A password derived from the owner's, which it does not reveal."""
        return hashlib.blake2b(BROKER_USER.encode(), key=self.password.encode()).hexdigest()

    @property
    def version(self) -> str:
        """The version that the running server reports; Valkey gives the Redis version it is compatible with."""
        with contextlib.closing(self._client()) as client:
            report: Mapping[str, Any] = client.info("server")  # type: ignore[assignment]
        own = report.get("valkey_version")
        return f"{own} (Valkey)" if own else str(report["redis_version"])

    def prepare(self) -> None:
        found: Programs = find_redis(install=self.install)
        self.programs = within_reach(found, self.home / "programs", self.account)
        former = self.remembered().get("pid")
        if former:
            self.wait_for_predecessor(int(former), self.store)
        self.store.mkdir(exist_ok=True)
        self.hand_over(self.store)

    def spawn_process(self) -> subprocess.Popen[bytes]:
        settings = self.home / "redis.conf"
        write_private(settings, self._settings(), self.account)
        return spawn(
            [self.programs.server, settings],
            environment=server_environment(),
            log=self.log,
            folder=self.home,
            account=self.account,
            death_signal=self.death_signal,
        )

    def _settings(self) -> str:
        """Nothing is ever evicted: a lost or refused message is sent again, a silently evicted one loses a job."""
        lines = [
            f"bind {LOOPBACK}",
            f"port {self.port}",
            "protected-mode yes",
            f"requirepass {self.password}",
            f"user {BROKER_USER} on >{self._work_password()} {BROKER_RIGHTS}",
            f'dir "{self.store}"',
            f"appendonly {'yes' if self.durable else 'no'}",
            "appendfsync everysec",
            'save ""',
            "maxmemory-policy noeviction",
            "daemonize no",
            "loglevel notice",
        ]
        return "\n".join(lines) + "\n"

    def _client(self) -> redis.Redis:
        return redis.Redis(host=LOOPBACK, port=self.port, password=self.password, socket_timeout=10)

    def answers(self) -> bool:
        try:
            with contextlib.closing(self._client()) as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            return False
