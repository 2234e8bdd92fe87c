"""Stack: the service's processes with their own servers, started as in production, to measure the whole."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from stack import kernels
from stack.children import commands
from stack.children.processes import end, spawn, wait_until
from stack.servers import databases
from stack.servers.broker import RedisServer
from stack.servers.ports import free_port
from stack.servers.postgres import PostgresServer
from storage.crypto.keys import ensure_keys
from storage.jobs.protocol import FAST, LARGE, SMALL

ROOT = Path(__file__).resolve().parents[1]
ADMIN = "bench-admin-" + "0" * 32
UNLIMITED = {"ANTIFAZ_REQUESTS_PER_MINUTE": "0", "ANTIFAZ_UPLOADS_PER_MINUTE": "0", "ANTIFAZ_RECOGNIZE_FILES": "false"}
"""Settings without limits on requests."""
WORKERS = 2
"""Number of worker processes: one for each core of a small machine."""
_STEPS = [(signal.SIGTERM, 40.0), (signal.SIGKILL, 10.0)]
_KIBIBYTE = 1024


@dataclass
class Stack:
    """Running processes, each with its environment."""

    folder: Path
    postgres: PostgresServer
    redis: RedisServer
    port: int
    hello_port: int
    api_environment: dict[str, str]
    worker_environment: dict[str, str]
    courier_environment: dict[str, str]
    processes: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    """The additional settings of each process."""

    def start(self, name: str, **extra: str) -> None:
        """Start a process, with additional settings if given, and wait until it answers. `worker` runs all jobs;
        `releases` and `questions` can be started instead of it."""
        command, environment = {
            "hello": ([sys.executable, "-m", "bench.hello", str(self.hello_port)], dict(os.environ)),
            "api": (commands.api("127.0.0.1", self.port), self.api_environment),
            "worker": (commands.worker(processes=WORKERS), self.worker_environment),
            "releases": (commands.worker((SMALL, LARGE), WORKERS), self.worker_environment),
            "questions": (commands.worker((FAST,), 1), self.worker_environment),
            "sweeper": (commands.sweeper(), self.worker_environment),
            "courier": (commands.courier(), self.courier_environment),
        }[name]
        process = spawn(command, environment=environment | extra, log=self.folder / f"{name}.log", folder=ROOT)
        self.processes[name], self.settings[name] = process, extra
        # Not /readyz: it is 503 while work of an earlier measurement waits for a worker that was stopped.
        address = {"hello": (self.hello_port, "hello"), "api": (self.port, "healthz")}.get(name)
        if address is not None:
            wait_until(lambda: _answers(*address), name, alive=lambda: process.poll() is None)

    def ensure(self, name: str, **extra: str) -> None:
        """Start a process with these settings, unless it already runs with them."""
        running = name in self.processes and self.processes[name].poll() is None
        if running and self.settings[name] == extra:
            return
        self.restart(name, **extra)

    def restart(self, name: str, **extra: str) -> None:
        """Stop a process if it is running, and start it with these settings."""
        self.stop(name)
        self.start(name, **extra)

    def stop(self, name: str) -> None:
        """Ask a process to end, and wait for it."""
        process = self.processes.pop(name, None)
        if process is not None:
            end(process, _STEPS)

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a process and all its children."""
        os.killpg(self.processes[name].pid, number)

    def client(self, token: str = ADMIN) -> httpx.Client:
        """A client of the API."""
        address = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=600)

    def memory(self, name: str) -> int:
        """Current memory of a process in bytes."""
        return self._status(name, "VmRSS")

    def most_memory(self, name: str) -> int:
        """Peak memory of a process since its start, in bytes."""
        return self._status(name, "VmHWM")

    def _status(self, name: str, key: str) -> int:
        status = Path(f"/proc/{self.processes[name].pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(f"{key}:"))
        return int(line.split()[1]) * _KIBIBYTE

    def cpu(self, name: str) -> float:
        """CPU seconds of a process and its children."""
        group, ticks = self.processes[name].pid, 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            # The process group, then the CPU times of the process itself and of its ended children.
            if int(fields[2]) == group:
                ticks += sum(int(field) for field in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def descriptors(self, name: str) -> int:
        """Number of open files and sockets of a process."""
        return len(os.listdir(f"/proc/{self.processes[name].pid}/fd"))

    def connections(self) -> tuple[int, int]:
        """Number of the API's connections to the database server, and of those that are in a transaction."""
        with self.postgres.address.connect() as connection:
            ask = """SELECT count(*), count(*) FILTER (WHERE state NOT IN ('idle', 'active'))
                     FROM pg_stat_activity WHERE application_name = 'antifaz-service'"""
            row: Any = connection.execute(ask).fetchone()
        return int(row[0]), int(row[1])

    def forget_queue(self) -> None:
        """Cancel all queued jobs, so that one part's jobs do not slow down the next."""
        with self.postgres.address.connect(databases.MAIN) as connection:
            connection.execute("DELETE FROM outbox")
            connection.execute("UPDATE jobs SET status = 'cancelled', finished_at = now() WHERE status = 'queued'")

    def is_idle(self) -> bool:
        """Whether every job has ended."""
        with self.postgres.address.connect(databases.MAIN) as connection:
            row: Any = connection.execute("SELECT count(*) FROM jobs WHERE finished_at IS NULL").fetchone()
        return int(row[0]) == 0

    def versions(self) -> str:
        """Versions of the servers and the interpreter."""
        python = ".".join(str(number) for number in sys.version_info[:3])
        return f"Python {python}, PostgreSQL {self.postgres.version}, Redis {self.redis.version}"


@contextmanager
def running_stack() -> Iterator[Stack]:
    """Servers and databases in a temporary folder, no process started yet; everything ends with the block."""
    with tempfile.TemporaryDirectory(prefix="antifaz-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        postgres = PostgresServer.start(folder / "postgres", durable=True)
        try:
            redis = RedisServer.start(folder / "redis", durable=True)
            try:
                stack = _prepared(folder, postgres, redis)
                try:
                    yield stack
                finally:
                    for process in reversed(list(stack.processes)):
                        stack.stop(process)
            finally:
                redis.stop()
        finally:
            postgres.stop()


def _prepared(folder: Path, postgres: PostgresServer, redis: RedisServer) -> Stack:
    address = postgres.address
    passwords = {login.name: secrets.token_urlsafe(16) for login in databases.LOGINS}
    for database in (databases.MAIN, databases.KEYRING):
        databases.create_database(address, database)
    databases.migrate(address.url(databases.MAIN), address.url(databases.KEYRING))
    databases.grant_logins(address, passwords)
    keys = folder / "keys"
    ensure_keys(keys)
    base = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANTIFAZ_")},
        "NUMBA_CACHE_DIR": str(kernels.cache_folder()),
        "ANTIFAZ_BROKER_URL": redis.url,
        "ANTIFAZ_RELEASE_KEY_FILE": str(keys / "release.key"),
        "ANTIFAZ_TOKEN_KEY_FILE": str(keys / "token.key"),
        "ANTIFAZ_AUDIT_KEY_FILE": str(keys / "audit.key"),
        "ANTIFAZ_WORKER_PUBLIC_KEY_FILE": str(keys / "worker.pub"),
        "ANTIFAZ_COURIER_PUBLIC_KEY_FILE": str(keys / "courier.pub"),
        "ANTIFAZ_METRICS_PORT": str(free_port()),
    }

    def urls(login: databases.Login) -> dict[str, str]:
        word = passwords[login.name]
        return {
            "ANTIFAZ_DATABASE_URL": address.url(databases.MAIN, login.name, word),
            "ANTIFAZ_KEYRING_URL": address.url(databases.KEYRING, login.name, word),
        }

    return Stack(
        folder=folder,
        postgres=postgres,
        redis=redis,
        port=free_port(),
        hello_port=free_port(),
        api_environment=base | urls(databases.API) | {"ANTIFAZ_BOOTSTRAP_TOKEN": ADMIN},
        worker_environment=base | urls(databases.WORKER) | {"ANTIFAZ_WORKER_KEY_FILE": str(keys / "worker.key")},
        courier_environment=base
        | {"ANTIFAZ_DATABASE_URL": urls(databases.COURIER)["ANTIFAZ_DATABASE_URL"]}
        | {"ANTIFAZ_COURIER_KEY_FILE": str(keys / "courier.key"), "ANTIFAZ_COURIER_METRICS_PORT": "0"},
    )


def _answers(port: int, path: str) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/{path}", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def finished(stack: Stack, job_id: str, token: str = ADMIN, seconds: float = 600.0) -> dict[str, Any]:
    """Wait until a job has ended."""
    deadline = time.monotonic() + seconds
    with stack.client(token) as client:
        while time.monotonic() < deadline:
            answer = client.get(f"/v1/jobs/{job_id}", params={"wait": 5})
            answer.raise_for_status()
            job: dict[str, Any] = answer.json()
            if job["finished_at"] is not None:
                return job
    raise RuntimeError("a job did not end")
