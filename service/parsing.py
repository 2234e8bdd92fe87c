"""Parsing: long documents are read beside the event loop, and no tenant's keep another's waiting.

A policy with thousands of values takes a good part of a second to read, during which the loop answers nobody. Such
documents are read by a few threads, one of each tenant at a time. What takes longer than that, a large hierarchy, is
read by a process of its own: in a thread it would still hold the interpreter for as long as one call takes.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar, TypeVarTuple

from api_schemas.strict_json import BadJson, parse_json
from service.problems import json_problem

LONG_BYTES = 1 << 16
"""Texts up to this size are read at once: to hand them to a thread would cost more."""

Read = TypeVar("Read")
Given = TypeVarTuple("Given")


class Readers:
    """A few threads; each tenant has one of them at a time, and waits for it without holding another's up."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._places: dict[str, asyncio.Semaphore] = {}
        self._wanted: Counter[str] = Counter()

    async def read(self, whose: str, work: Callable[[*Given], Read], *given: *Given) -> Read:
        """What the work gives, done by a thread."""
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
"""For documents that a request brings."""
WAITERS = Readers(2, "waiter")
"""For processes that read."""


async def read_json(content: bytes, max_depth: int, whose: str, pointer: str = "") -> Any:
    """The value of a JSON text, or its problem."""
    try:
        if len(content) <= LONG_BYTES:
            return parse_json(content, max_depth)
        return await READERS.read(whose, parse_json, content, max_depth)
    except BadJson as error:
        raise json_problem(error, pointer) from None
