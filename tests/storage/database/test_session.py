"""Sessions: the right role, no values in errors, no connection shared across a fork."""

import asyncio
import os
import secrets
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from storage.database.session import async_keyring_engine, async_main_engine, keyring_engine, main_engine
from storage.settings import Settings


def ask(engine: Any, statement: str) -> Any:
    with engine.connect() as connection:
        return connection.execute(text(statement)).scalar_one()


@pytest.mark.parametrize("role", ["antifaz_service", "antifaz_worker"])
def test_one_login_takes_the_role_of_its_process(databases: Any, role: str) -> None:
    settings = Settings(
        database_url=SecretStr(databases.url), keyring_url=SecretStr(databases.keyring_url), database_role=role
    )
    for engine in (main_engine(settings), keyring_engine(settings)):
        assert ask(engine, "SELECT current_user") == role
        engine.dispose()


def test_the_service_takes_its_role_too_and_bounds_its_statements(databases: Any) -> None:
    settings = Settings(
        database_url=SecretStr(databases.url),
        keyring_url=SecretStr(databases.keyring_url),
        database_role="antifaz_service",
    )

    async def work() -> list[Any]:
        answers = []
        for engine in (async_main_engine(settings), async_keyring_engine(settings)):
            async with engine.connect() as connection:
                for statement in ("SELECT current_user", "SHOW statement_timeout", "SHOW application_name"):
                    answers.append((await connection.execute(text(statement))).scalar_one())
            await engine.dispose()
        return answers

    assert asyncio.run(work()) == ["antifaz_service", "30s", "antifaz-service"] * 2


def test_processes_are_told_apart_by_name(worker: Any) -> None:
    assert ask(worker.main, "SHOW application_name") == "antifaz-test"


def test_a_worker_that_hangs_in_a_transaction_is_cut_off_some_day(worker: Any) -> None:
    assert ask(worker.main, "SHOW idle_in_transaction_session_timeout") == "15min"


def test_an_error_does_not_repeat_the_parameters(worker: Any) -> None:
    canary = f"cnry_{secrets.token_hex(12)}"
    with pytest.raises(DBAPIError) as caught, worker.main.connect() as connection:
        connection.execute(text("INSERT INTO nowhere VALUES (:value)"), {"value": canary})
    assert canary not in str(caught.value)


def test_an_unreachable_database_fails_soon() -> None:
    settings = Settings(database_url=SecretStr("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))
    with pytest.raises(OperationalError):
        ask(main_engine(settings), "SELECT 1")


def test_a_connection_that_the_server_ended_is_replaced(owner: Any, worker: Any) -> None:
    pid = ask(worker.main, "SELECT pg_backend_pid()")
    ask(owner.main, f"SELECT pg_terminate_backend({pid}, 5000)")
    assert ask(worker.main, "SELECT 1") == 1


def test_a_server_that_hangs_up_on_new_connections_is_away(owner: Any, worker_settings: Settings) -> None:
    engine = main_engine(worker_settings)

    @event.listens_for(engine, "connect")
    def end_at_once(connection: Any, record: Any) -> None:
        ask(owner.main, f"SELECT pg_terminate_backend({connection.info.backend_pid}, 5000)")

    with pytest.raises(OperationalError):
        ask(engine, "SELECT 1")
    engine.dispose()


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_opens_its_own_connections(worker_settings: Settings) -> None:
    engine = main_engine(worker_settings)
    mine = ask(engine, "SELECT pg_backend_pid()")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(ask(engine, "SELECT pg_backend_pid()")).encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert int(os.read(reading, 100)) != mine
    os.close(reading)
    os.close(writing)
    assert ask(engine, "SELECT pg_backend_pid()") == mine
    engine.dispose()
