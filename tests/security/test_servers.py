"""PostgreSQL and Redis as they run: no access without a password, no unneeded rights, no value in logs."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from stack.servers.broker import RedisServer
from stack.servers.postgres import PostgresServer
from storage.database.session import main_engine
from storage.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def broker(redis_server: Any) -> RedisServer:
    if not isinstance(redis_server, RedisServer):
        pytest.skip("the Redis server was given: its users are its owner's matter")
    return redis_server


@pytest.fixture
def worker(broker: RedisServer) -> Iterator["redis.Redis"]:
    """The broker as our processes see it."""
    with redis.Redis.from_url(broker.work_url) as client:
        yield client


@pytest.mark.parametrize(("user", "password"), [(None, None), (None, "wrong"), ("antifaz", ""), ("antifaz", "wrong")])
def test_redis_answers_nobody_without_the_password(broker: RedisServer, user: str | None, password: str | None) -> None:
    stranger = redis.Redis(port=broker.port, username=user, password=password, retry=Retry(NoBackoff(), 0))
    with stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


FORBIDDEN = [
    *("CONFIG GET *", "CONFIG SET dir /tmp", "CONFIG REWRITE", "KEYS *", "FLUSHALL", "FLUSHDB", "SHUTDOWN NOSAVE"),
    *("DEBUG SLEEP 0", "MODULE LIST", "MONITOR", "SAVE", "BGSAVE", "REPLICAOF NO ONE", "CLIENT LIST", "CLIENT KILL x"),
    *("ACL LIST", "ACL SETUSER x on", "INFO", "SLOWLOG GET", "MIGRATE h 1 k 0 1", "RESTORE k 0 x", "SWAPDB 0 1"),
    *("PFADD k x", "PFCOUNT k", "PFMERGE k k", "GEOADD k 1 1 x", "SETBIT k 1 1", "BITFIELD k GET u8 0", "XADD k * a b"),
    *("PUBLISH c x", "SUBSCRIBE c", "PSUBSCRIBE *"),
]


@pytest.mark.parametrize("command", FORBIDDEN)
def test_our_processes_cannot_administer_redis(worker: "redis.Redis", command: str) -> None:
    with pytest.raises(redis.exceptions.ResponseError, match=r"permission|not allowed"):
        worker.execute_command(*command.split())


@pytest.mark.parametrize("command", ["config", "keys", "flushall"])
def test_a_script_has_no_more_rights_than_who_sends_it(worker: "redis.Redis", command: str) -> None:
    """Celery's transport uses scripts for locks, so they cannot be forbidden; the commands they call can."""
    arguments = {"config": "'get', '*'", "keys": "'*'", "flushall": "'async'"}[command]
    with pytest.raises(redis.exceptions.ResponseError, match=r"(?i)permission|not allowed|can't run this command"):
        worker.eval(f"return redis.call('{command}', {arguments})", 0)
    assert worker.eval("return redis.call('ping')", 0)


def test_our_processes_can_do_what_queues_need(worker: "redis.Redis") -> None:
    name = f"test-{secrets.token_hex(8)}"
    with worker.pipeline() as pipe:
        pipe.lpush(name, "x").hset(f"{name}-h", "a", "1").zadd(f"{name}-z", {"a": 1}).sadd(f"{name}-s", "a")
        assert pipe.execute() == [1, 1, 1, 1]
    assert worker.brpop([name], 1) == (name.encode(), b"x")
    worker.delete(*(f"{name}-{each}" for each in "hzs"))


def test_production_has_the_same_user_with_the_same_rights() -> None:
    from stack.servers.broker import BROKER_RIGHTS, BROKER_USER

    compose = (ROOT / "docker-compose.yml").read_text()
    assert f'"user {BROKER_USER} on >$$(cat /run/secrets/broker_password) {BROKER_RIGHTS}"' in compose
    assert f"redis://{BROKER_USER}:" in (ROOT / "deploy" / "make-secrets").read_text()


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["", "wrong"])
@pytest.mark.parametrize("login", ["owner", "antifaz_api", "antifaz_work"])
def test_postgres_answers_nobody_without_the_password(databases: Any, login: str, password: str) -> None:
    address = databases.address
    user = address.admin if login == "owner" else login
    with pytest.raises(psycopg.OperationalError, match=r"password|no password supplied"):
        psycopg.connect(
            host=address.host, port=address.port, user=user, password=password, dbname=databases.main, passfile="/none"
        )


def test_postgres_keeps_passwords_by_scram_and_asks_everybody(postgres: Any, databases: Any) -> None:
    with databases.address.connect() as connection:
        stored = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolpassword IS NOT NULL").fetchall()
        ways = {way for (way,) in connection.execute("SELECT auth_method FROM pg_hba_file_rules").fetchall()}
    assert stored
    assert all(word.startswith("SCRAM-SHA-256$") for (word,) in stored)
    if isinstance(postgres, PostgresServer):
        assert ways == {"scram-sha-256"}


def test_no_login_of_ours_is_more_than_a_login(databases: Any) -> None:
    ask = (
        "SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls FROM pg_roles"
        " WHERE rolname LIKE 'antifaz%'"
    )
    with databases.address.connect() as connection:
        powers = dict(connection.execute(ask).fetchall())
    assert {"antifaz_api", "antifaz_work", "antifaz_service", "antifaz_worker"} <= set(powers)
    assert not any(powers.values())


@pytest.fixture(scope="module")
def server(postgres: Any) -> PostgresServer:
    if not isinstance(postgres, PostgresServer):
        pytest.skip("the PostgreSQL server was given: its settings and its log are its owner's matter")
    return postgres


QUIET = {
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_statement": "none",
}


@pytest.mark.parametrize("name", QUIET)
def test_postgres_runs_with_the_settings_that_keep_values_out_of_its_log(server: PostgresServer, name: str) -> None:
    with server.address.connect() as connection:
        assert connection.execute(f"SHOW {name}").fetchone() == (QUIET[name],)


def test_neither_an_error_nor_the_log_of_postgres_repeats_a_value(server: PostgresServer, databases: Any) -> None:
    """Rows that break a rule, as our own sessions would send them, from the driver up to the server's log."""
    canary = f"cnry_{secrets.token_hex(12)}"
    engine = main_engine(Settings(database_url=databases.url), "test")
    broken = {
        "check": "INSERT INTO people VALUES (:name, 400)",
        "unique": "INSERT INTO people VALUES (:name, 1), (:name, 1)",
        "not null": "INSERT INTO people (name) VALUES (:name)",
        "syntax": f"INSERT INTO people VALUES ('{canary}' 1)",
        "length": "UPDATE people SET name = repeat(:name, 9)",
    }
    with engine.begin() as connection:
        connection.execute(text("CREATE TEMPORARY TABLE warm (x int)"))
        connection.execute(text("CREATE TABLE people (name varchar(60) UNIQUE, age int NOT NULL CHECK (age < 200))"))
        connection.execute(text("INSERT INTO people VALUES ('somebody', 1)"))
        connection.execute(text(f"INSERT INTO people VALUES ('{canary}', 2)"))
        connection.execute(text("DELETE FROM people WHERE name = :name"), {"name": canary})
    for statement in broken.values():
        with pytest.raises(DBAPIError) as caught, engine.begin() as connection:
            connection.execute(text(statement), {"name": canary})
        if canary not in statement:
            told = str(caught.value).replace(statement, "")
            assert "[parameters" not in told
            assert canary not in told.partition("DETAIL")[0]
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE people"))
    engine.dispose()
    assert canary not in server.log.read_text()


def test_production_postgres_is_as_quiet() -> None:
    said = "\n".join(file.read_text() for file in sorted((ROOT / "deploy" / "postgres").rglob("*")) if file.is_file())
    said += (ROOT / "docker-compose.yml").read_text()
    for name, value in QUIET.items():
        assert f"{name}={value}" in said.replace(" ", ""), name
