"""Servers: PostgreSQL and Redis as children of ours, on a private folder and a free port of the loopback address.

Both ask for a random password, log no statement and no parameter, and end with us. Started by root they run as
another user: PostgreSQL refuses root, and neither needs its powers. Permissions are only ever set inside the folder
that the caller gave (or, when no other user could reach that folder, inside one of our own below /var/lib/antifaz).
"""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO
from urllib.parse import quote

import psycopg
import redis

from cli.processes import (
    Account,
    NotReady,
    account_of,
    end,
    kill_group,
    lives,
    say,
    spawn,
    tail,
    wait_until,
    works_in,
)
from cli.programs import Programs, can_reach, find_postgres, find_redis, server_account, within_reach

LOOPBACK = "127.0.0.1"
FAR_HOMES = Path("/var/lib/antifaz")
"""Where root's servers keep their files when their own user cannot reach the data directory (say, below /root)."""

POSTGRES_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    "shared_buffers": "96MB",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # An error's detail and a statement's parameters can hold a person's values: neither is ever logged.
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_statement": "none",
}
# Only the operating system's crash is given up here: a killed server still finds every committed transaction.
_UNDURABLE = {"fsync": "off", "full_page_writes": "off"}


BROKER_USER = "antifaz"
BROKER_RIGHTS = "~* +@all -@admin -@dangerous -@pubsub -@hyperloglog -@geo -@bitmap -@stream"
"""Queues and their scripts, whose commands are bound by the same rights; no settings, no list of keys, no emptying, no
broadcasts, and none of the types of value that Celery does not use: their parsers have had the most faults."""


class AlreadyRunning(Exception):
    """Another process of ours holds the data directory."""


@dataclass(frozen=True)
class PostgresAddress:
    """Where a PostgreSQL server answers, and who administers it."""

    host: str
    port: int
    admin: str
    password: str

    def url(self, database: str, user: str | None = None, password: str | None = None) -> str:
        """The SQLAlchemy address of a database, for the administrator unless a login is given."""
        name, word = (user, password or "") if user else (self.admin, self.password)
        return f"postgresql+psycopg://{quote(name)}:{quote(word, safe='')}@{self.host}:{self.port}/{quote(database)}"

    @property
    def admin_url(self) -> str:
        """The administrator's address of the maintenance database."""
        return self.url("postgres")

    def connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[Any, ...]]":
        """A connection of the administrator that commits each statement."""
        return psycopg.connect(
            host=self.host,
            port=self.port,
            user=self.admin,
            password=self.password,
            dbname=database,
            connect_timeout=10,
            autocommit=True,
        )

    @property
    def version(self) -> str:
        """The version that the running server reports."""
        with self.connect() as connection:
            return str(connection.info.parameter_status("server_version"))


class _Server:
    """What both servers share: a folder under a lock, a port and a password that last, and a process."""

    name: str
    death_signal: signal.Signals
    farewell: tuple[tuple[signal.Signals, float], ...]

    def __init__(self, data_dir: Path, *, durable: bool, port: int | None, install: bool) -> None:
        self.durable = durable
        self._fixed_port = port
        self._install = install
        self._process: subprocess.Popen[bytes] | None = None
        data_dir.mkdir(parents=True, exist_ok=True)
        self._data_dir = data_dir
        self._lock = self._claim()
        try:
            self._account, self.home = settle(data_dir)
            memory = self._remember()
            self.port: int = port or int(memory.get("port", 0)) or free_port()
            self.password = str(memory.get("password") or secrets.token_urlsafe(24))
            self._note()
        except BaseException:
            self._lock.close()
            raise

    @property
    def log(self) -> Path:
        """The server's log: start-up, shutdown and errors without values."""
        return self.home / "server.log"

    @property
    def pid(self) -> int:
        """The process number of the server."""
        if self._process is None:
            raise NotReady(f"{self.name} is not running")
        return self._process.pid

    def alive(self) -> bool:
        """Whether the server's process exists."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Shut down in an orderly way and give the data directory free."""
        self._end()
        self._lock.close()

    def kill(self) -> None:
        """Kill the server as a power failure would; `restart` brings it back on the same port."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)

    def restart(self) -> None:
        """Start again on the same data directory and port, after `stop`, `kill`, a crash, or while running."""
        self._end()
        if self._lock.closed:
            self._lock = self._claim()
        self._launch(tries=5, keep_port=True)

    def _claim(self) -> TextIO:
        return hold(self._data_dir / "lock", f"{self.name} already runs on {self._data_dir}")

    def _end(self) -> None:
        if self._process is not None:
            end(self._process, self.farewell)
            self._process = None

    def _launch(self, tries: int = 5, *, keep_port: bool = False) -> None:
        """Start and wait; a port that was taken meanwhile is exchanged, unless the caller fixed it."""
        fixed = keep_port or self._fixed_port is not None
        for attempt in range(1, tries + 1):
            if not fixed and not port_is_free(self.port):
                self.port = free_port()
                self._note()
            _shorten(self.log)
            self._process = self._spawn()
            try:
                wait_until(self._answers, self.name, alive=self.alive)
            except NotReady as cause:
                kill_group(self._process)
                if attempt == tries:
                    raise NotReady(f"{cause}; its log ends:\n{tail(self.log)}") from None
                say(f"{cause}; trying again ({attempt} of {tries - 1})")
                time.sleep(attempt)
            else:
                self._note()
                return

    def _remember(self) -> dict[str, Any]:
        file = self.home / "server.json"
        return dict(json.loads(file.read_text())) if file.exists() else {}

    def _note(self) -> None:
        running = self._process.pid if self._process else None
        note = {"port": self.port, "password": self.password, "pid": running}
        write_private(self.home / "server.json", json.dumps(note))

    def _wait_for_predecessor(self, process: int, folder: Path) -> None:
        """A server whose owner was killed is still shutting down; give it the time to finish."""
        deadline = time.monotonic() + 30
        while works_in(process, folder):
            if time.monotonic() > deadline:
                self._lock.close()
                raise AlreadyRunning(f"{self.name} already runs on {folder} (process {process})")
            time.sleep(0.1)

    def _owned(self, folder: Path) -> None:
        """Hand one of our folders to the server's user, closed to everyone else."""
        folder.chmod(0o700)
        if self._account:
            os.chown(folder, self._account.uid, self._account.gid)

    def _spawn(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def _answers(self) -> bool:
        raise NotImplementedError


class PostgresServer(_Server):
    """A PostgreSQL cluster of our own."""

    name = "PostgreSQL"
    death_signal = signal.SIGINT
    farewell = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))
    admin = "postgres"

    @classmethod
    def start(cls, data_dir: Path, *, durable: bool, port: int | None = None, install: bool = False) -> Self:
        """Make the cluster if there is none, start it, and wait until it answers.

        Without `durable` nothing is synced to disk, for tests. `install` lets root fetch the distribution's package
        as the last resort.
        """
        server = cls(data_dir, durable=durable, port=port, install=install)
        try:
            server._prepare()
            server._launch()
        except BaseException:
            server.stop()
            raise
        return server

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "cluster"

    @property
    def address(self) -> PostgresAddress:
        """Where it answers."""
        return PostgresAddress(LOOPBACK, self.port, self.admin, self.password)

    @property
    def version(self) -> str:
        """The version that the running server reports."""
        return self.address.version

    @property
    def admin_url(self) -> str:
        """The administrator's address of the maintenance database."""
        return self.address.admin_url

    def url(self, database: str, user: str | None = None, password: str | None = None) -> str:
        """The SQLAlchemy address of a database, for the administrator unless a login is given."""
        return self.address.url(database, user, password)

    def _prepare(self) -> None:
        marker = self.cluster / "PG_VERSION"
        major = int(marker.read_text().split(".")[0]) if marker.exists() else None
        found = find_postgres(major, install=self._install)
        self.programs = within_reach(found, self.home / "programs", self._account)
        if major is None:
            self._make_cluster()
        self._clear_stale_pid()

    def _make_cluster(self) -> None:
        """initdb into a folder of another name, so that an interrupted one is never taken for a cluster."""
        unfinished = self.home / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        self._owned(unfinished)
        word = self.home / "initial-password"
        write_private(word, self.password, self._account)
        command: list[str | Path] = [
            self.programs.companion("initdb"),
            f"--pgdata={unfinished}",
            f"--username={self.admin}",
        ]
        command += [f"--pwfile={word}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        command += ["--data-checksums"] if self.durable else ["--no-sync"]
        try:
            run_as(command, self._account, self.home)
        finally:
            word.unlink()
        unfinished.rename(self.cluster)

    def _clear_stale_pid(self) -> None:
        """A dead postmaster's file names a process number that a stranger may have by now (common in containers).

        PostgreSQL itself sees that a process is gone, and then also looks for orphaned backends; it cannot tell a
        stranger of the same user from a postmaster, so only that case is ours.
        """
        file = self.cluster / "postmaster.pid"
        if not file.exists():
            return
        first = file.read_text().split("\n", 1)[0].strip()
        if not first.isdigit():
            file.unlink()
            return
        self._wait_for_predecessor(int(first), self.cluster)
        if _is_stranger(int(first), self.cluster):
            file.unlink(missing_ok=True)

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = {**POSTGRES_SETTINGS, "port": str(self.port), **({} if self.durable else _UNDURABLE)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return spawn(
            [self.programs.server, "-D", self.cluster, *options],
            environment=server_environment(),
            log=self.log,
            folder=self.home,
            account=self._account,
            death_signal=self.death_signal,
        )

    def _answers(self) -> bool:
        try:
            self.address.connect().close()
        except psycopg.OperationalError:
            return False
        return True


class RedisServer(_Server):
    """A Redis (or Valkey) server of our own."""

    name = "Redis"
    death_signal = signal.SIGTERM
    farewell = ((signal.SIGTERM, 20.0),)

    @classmethod
    def start(cls, data_dir: Path, *, durable: bool, port: int | None = None, install: bool = False) -> Self:
        """Start and wait until it answers; `durable` keeps an append-only file."""
        server = cls(data_dir, durable=durable, port=port, install=install)
        try:
            server._prepare()
            server._launch()
        except BaseException:
            server.stop()
            raise
        return server

    @property
    def store(self) -> Path:
        """Where Redis keeps its append-only file."""
        return self.home / "store"

    @property
    def url(self) -> str:
        """The broker's address for its owner, password included."""
        return f"redis://:{quote(self.password, safe='')}@{LOOPBACK}:{self.port}/0"

    @property
    def work_url(self) -> str:
        """The broker's address for the API, the workers and the sweeper, who need not be able to administer it."""
        return f"redis://{BROKER_USER}:{self._work_password()}@{LOOPBACK}:{self.port}/0"

    def _work_password(self) -> str:
        """Made from the owner's password, which it does not tell."""
        return hashlib.blake2b(BROKER_USER.encode(), key=self.password.encode()).hexdigest()

    @property
    def version(self) -> str:
        """The version that the running server reports; Valkey gives the Redis version it is compatible with."""
        with contextlib.closing(self._client()) as client:
            report: Mapping[str, Any] = client.info("server")  # type: ignore[assignment]
        own = report.get("valkey_version")
        return f"{own} (Valkey)" if own else str(report["redis_version"])

    def _prepare(self) -> None:
        found: Programs = find_redis(install=self._install)
        self.programs = within_reach(found, self.home / "programs", self._account)
        former = self._remember().get("pid")
        if former:
            self._wait_for_predecessor(int(former), self.store)
        self.store.mkdir(exist_ok=True)
        self._owned(self.store)

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = self.home / "redis.conf"
        write_private(settings, self._settings(), self._account)
        return spawn(
            [self.programs.server, settings],
            environment=server_environment(),
            log=self.log,
            folder=self.home,
            account=self._account,
            death_signal=self.death_signal,
        )

    def _settings(self) -> str:
        """A lost or refused message costs a sweep, a silently evicted one a job: so nothing is ever evicted."""
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

    def _answers(self) -> bool:
        try:
            with contextlib.closing(self._client()) as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            return False


def settle(data_dir: Path) -> tuple[Account | None, Path]:
    """Who runs the server and where its files live: the data directory, unless that user cannot reach it."""
    account = server_account()
    pointer = data_dir / "home"
    home = Path(pointer.read_text()) if pointer.exists() else data_dir.resolve()
    if not home.is_dir():
        raise NotReady(f"the files in {home}, which {pointer} names, are gone; remove {data_dir} to start again")
    if account is None:
        home.chmod(0o700)
        return None, home
    kept = next((home / part for part in ("cluster", "store") if (home / part).exists()), None)
    if kept is not None and kept.stat().st_uid != 0:
        account = account_of(kept.stat().st_uid)
    home.chmod(0o711)
    if not can_reach(home, account):
        home = _far_home(pointer)
    return account, home


def _far_home(pointer: Path) -> Path:
    """A folder of our own that every user can reach; a new data directory never meets an old one's files there."""
    FAR_HOMES.mkdir(mode=0o755, parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="", dir=FAR_HOMES))
    home.chmod(0o711)
    write_private(pointer, str(home))
    say(f"the servers' user cannot reach {pointer.parent}: their files are kept in {home}")
    return home


def run_as(command: Sequence[str | Path], account: Account | None, folder: Path) -> None:
    """Run a short command as the server's user; its output is shown only when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        env=server_environment(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        check=False,
    )
    if done.returncode:
        raise NotReady(f"{Path(str(command[0])).name} failed:\n{done.stdout}{done.stderr}")


def server_environment() -> dict[str, str]:
    """No setting, password or library path of ours reaches a server."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def write_private(file: Path, text: str, owner: Account | None = None) -> None:
    """Replace a file at once, readable by its owner alone from its first byte."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(text)
        if owner:
            os.fchown(stream.fileno(), owner.uid, owner.gid)
    unfinished.rename(file)


def hold(file: Path, refusal: str) -> TextIO:
    """Hold a lock file until it is closed or we die; raise AlreadyRunning when another process holds it."""
    stream = open(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+")  # noqa: SIM115 - held open on purpose
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = stream.read().strip()
        stream.close()
        raise AlreadyRunning(f"{refusal} (process {owner})" if owner else refusal) from None
    stream.truncate(0)
    stream.write(str(os.getpid()))
    stream.flush()
    return stream


def free_port() -> int:
    """A port of the loopback address that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether we could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def _is_stranger(process: int, folder: Path) -> bool:
    return lives(process) and not works_in(process, folder)


def _shorten(log: Path, limit: int = 16 * 2**20) -> None:
    """Keep one earlier log, so that years of restarts do not fill the disk."""
    if log.exists() and log.stat().st_size > limit:
        log.replace(log.with_suffix(".log.1"))
