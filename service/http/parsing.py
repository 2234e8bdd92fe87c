"""Parsing: long documents are read outside the event loop, and no tenant makes another wait.

A policy with thousands of values takes a large part of a second to read, during which the loop is blocked. Such
documents are read by a few threads, one per tenant at a time. A large hierarchy takes longer still and is read in a
separate process: in a thread, one long call would still hold the interpreter.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar, TypeVarTuple

from api_schemas.strict_json import BadJson, parse_json
from service.http.problems import json_problem

LONG_BYTES = 1 << 16
"""Texts up to this size are read directly: handing them to a thread would cost more."""

Read = TypeVar("Read")
Given = TypeVarTuple("Given")


class Readers:
    """A few threads. Each tenant uses one at a time and does not block other tenants while it waits."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._places: dict[str, asyncio.Semaphore] = {}
        self._wanted: Counter[str] = Counter()

    async def read(self, whose: str, work: Callable[[*Given], Read], *given: *Given) -> Read:
        """Run the work in a thread and return its result."""
        async with self._place(whose):
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *given)

    @asynccontextmanager
    async def _place(self, whose: str) -> AsyncIterator[None]:
        self._wanted[whose] += 1
        try:
            async with self._places.setdefault(whose, asyncio.Semaphore(1)):
                yield
        finally:
            self._wanted[whose] -= 1
            if not self._wanted[whose]:
                del self._wanted[whose], self._places[whose]


READERS = Readers(2, "reader")
"""For documents in requests."""
WAITERS = Readers(2, "waiter")
"""For processes that read large hierarchies."""


def _as_it_is(value: Any) -> Any:
    return value


async def read_json(
    content: bytes, max_depth: int, whose: str, pointer: str = "", then: Callable[[Any], Any] = _as_it_is
) -> Any:
    """The value of a JSON text, or its problem. A long text is also passed to ``then``, outside the event loop."""
    try:
        if len(content) <= LONG_BYTES:
            return parse_json(content, max_depth)
        return await READERS.read(whose, lambda: then(parse_json(content, max_depth)))
    except BadJson as error:
        raise json_problem(error, pointer) from None
