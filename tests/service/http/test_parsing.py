"""Parsing: outside the event loop, with tenants' documents in turn."""

import asyncio
import threading

import pytest

from service.http.parsing import LONG_BYTES, Readers, read_json
from service.http.problems import Problem
from tests.patience import patience


def test_a_tenant_with_many_documents_has_one_reader_and_another_tenant_the_other() -> None:
    async def race() -> list[str]:
        readers, ended, go_on = Readers(2, "test"), [], threading.Event()

        async def read(whose: str, wait: bool) -> None:
            await readers.read(whose, lambda: wait and go_on.wait(patience()))
            ended.append(whose)

        many = [asyncio.create_task(read("many", True)) for _ in range(10)]
        await asyncio.sleep(0.05)
        await asyncio.wait_for(read("one", False), patience())
        go_on.set()
        await asyncio.gather(*many)
        assert not readers._places
        return ended

    assert asyncio.run(race()) == ["one", *["many"] * 10]


def test_a_reader_that_fails_lets_the_next_one_in() -> None:
    async def fail() -> None:
        readers = Readers(1, "test")
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await readers.read("one", lambda: 1 // 0)
        assert not readers._places

    asyncio.run(fail())


@pytest.mark.parametrize("length", [10, LONG_BYTES + 10])
def test_long_and_short_json_is_read_alike(length: int) -> None:
    text = b'"' + b"x" * length + b'"'
    assert asyncio.run(read_json(text, 5, "one")) == "x" * length
    with pytest.raises(Problem) as caught:
        asyncio.run(read_json(text + b"}", 5, "one", "/policy"))
    assert caught.value.errors[0]["pointer"] == "/policy"
