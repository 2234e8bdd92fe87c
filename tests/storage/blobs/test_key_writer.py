"""The writer of sealed keys."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from storage.blobs.key_writer import KeyWriter
from storage.blobs.keyring import fetch_sealed
from storage.settings import Settings


@pytest.fixture
def with_key_writer(service_settings: Settings) -> Callable[[Callable[[KeyWriter], Awaitable[Any]]], Any]:
    """Runs a coroutine with its own key writer."""

    def run(work: Callable[[KeyWriter], Awaitable[Any]]) -> Any:
        async def kept() -> Any:
            key_writer = KeyWriter(service_settings)
            try:
                return await work(key_writer)
            finally:
                await key_writer.close()

        return asyncio.run(kept())

    return run


def found(worker: Any, *blob_ids: UUID) -> list[bytes | None]:
    with worker.keyring.connect() as connection:
        return [fetch_sealed(connection, blob_id) for blob_id in blob_ids]


def test_keys_of_many_at_once_are_each_kept(worker: Any, with_key_writer: Any) -> None:
    keys = {uuid4(): f"sealed {number}".encode() for number in range(40)}

    async def all_at_once(key_writer: KeyWriter) -> None:
        await asyncio.gather(*(key_writer.keep({blob_id: sealed}) for blob_id, sealed in keys.items()))

    with_key_writer(all_at_once)
    assert found(worker, *keys) == list(keys.values())


def test_a_key_is_committed_when_the_answer_comes(worker: Any, with_key_writer: Any) -> None:
    first, second = uuid4(), uuid4()

    async def look(key_writer: KeyWriter) -> list[bytes | None]:
        await key_writer.keep({first: b"one", second: b"two"})
        return found(worker, first, second)

    assert with_key_writer(look) == [b"one", b"two"]


def test_keeping_a_key_again_changes_nothing(worker: Any, with_key_writer: Any) -> None:
    blob_id = uuid4()

    async def twice(key_writer: KeyWriter) -> None:
        await key_writer.keep({blob_id: b"sealed"})
        await key_writer.keep({blob_id: b"sealed"})

    with_key_writer(twice)
    assert found(worker, blob_id) == [b"sealed"]


def test_nothing_to_keep_asks_nobody() -> None:
    nowhere = Settings(keyring_url=SecretStr("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))
    asyncio.run(KeyWriter(nowhere).keep({}))


def test_an_unreachable_keyring_is_an_error() -> None:
    nowhere = Settings(keyring_url=SecretStr("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))
    with pytest.raises(psycopg.OperationalError):
        asyncio.run(KeyWriter(nowhere).keep({uuid4(): b"sealed"}))


def test_a_connection_that_the_server_ended_is_replaced(owner: Any, worker: Any, with_key_writer: Any) -> None:
    blob_id = uuid4()
    end_all = text(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
        " WHERE application_name = 'antifaz-service' AND datname = current_database()"
    )

    async def over_a_restart(key_writer: KeyWriter) -> int:
        await key_writer.keep({uuid4(): b"before"})
        with owner.keyring.begin() as connection:
            ended = connection.execute(end_all).scalar_one()
        await key_writer.keep({blob_id: b"after"})
        return int(ended)

    assert with_key_writer(over_a_restart) >= 1
    assert found(worker, blob_id) == [b"after"]
