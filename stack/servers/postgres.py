"""PostgreSQL: an embedded cluster with a private folder and a free port of the loopback address."""

import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from stack.children.processes import lives, spawn, works_in
from stack.servers.folders import run_as, server_environment, write_private
from stack.servers.ports import LOOPBACK
from stack.servers.programs import find_postgres, within_reach
from stack.servers.server import Server

POSTGRES_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    "shared_buffers": "96MB",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Error details and statement parameters can contain personal data: neither is ever logged.
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_statement": "none",
}
# These settings lose data only if the operating system crashes: a killed server still has every committed transaction.
# They are for tests, which start many services on one server.
_UNDURABLE = {"fsync": "off", "full_page_writes": "off", "max_connections": "300"}


@dataclass(frozen=True)
class PostgresAddress:
    """The address and the administrator of a PostgreSQL server."""

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
        """A connection as administrator that commits each statement."""
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


class PostgresServer(Server):
    """An embedded PostgreSQL cluster."""

    name = "PostgreSQL"
    death_signal = signal.SIGINT
    farewell = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))
    admin = "postgres"

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "cluster"

    @property
    def address(self) -> PostgresAddress:
        """The address of the server."""
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

    def prepare(self) -> None:
        marker = self.cluster / "PG_VERSION"
        major = int(marker.read_text().split(".")[0]) if marker.exists() else None
        found = find_postgres(major, install=self.install)
        self.programs = within_reach(found, self.home / "programs", self.account)
        if major is None:
            self._make_cluster()
        self._clear_stale_pid()

    def _make_cluster(self) -> None:
        """Run initdb in a folder of another name, so that an interrupted run is never taken for a cluster."""
        unfinished = self.home / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        self.hand_over(unfinished)
        word = self.home / "initial-password"
        write_private(word, self.password, self.account)
        command: list[str | Path] = [
            self.programs.companion("initdb"),
            f"--pgdata={unfinished}",
            f"--username={self.admin}",
        ]
        command += [f"--pwfile={word}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        command += ["--data-checksums"] if self.durable else ["--no-sync"]
        try:
            run_as(command, self.account, self.home)
        finally:
            word.unlink()
        unfinished.rename(self.cluster)

    def _clear_stale_pid(self) -> None:
        """Remove the file of a dead postmaster whose process number was reused (common in containers).

        PostgreSQL itself notices that a process is gone, and then also looks for orphaned backends. It cannot
        distinguish another process of the same user from a postmaster, so only that case is handled here.
        """
        file = self.cluster / "postmaster.pid"
        if not file.exists():
            return
        first = file.read_text().split("\n", 1)[0].strip()
        if not first.isdigit():
            file.unlink()
            return
        self.wait_for_predecessor(int(first), self.cluster)
        if _is_stranger(int(first), self.cluster):
            file.unlink(missing_ok=True)

    def spawn_process(self) -> subprocess.Popen[bytes]:
        settings = {**POSTGRES_SETTINGS, "port": str(self.port), **({} if self.durable else _UNDURABLE)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return spawn(
            [self.programs.server, "-D", self.cluster, *options],
            environment=server_environment(),
            log=self.log,
            folder=self.home,
            account=self.account,
            death_signal=self.death_signal,
        )

    def answers(self) -> bool:
        try:
            self.address.connect().close()
        except psycopg.OperationalError:
            return False
        return True


def _is_stranger(process: int, folder: Path) -> bool:
    return lives(process) and not works_in(process, folder)
