"""Wire: a client with little overhead, so that a measurement is of the server.

Requests are bytes prepared in advance. Of an answer, only the status, the length and the `Retry-After` header are
read. Each connection sends its next request when its last was answered (`flood`), or requests are sent on a schedule,
whatever the server does (`pace`). In that case latency is measured from the moment at which the request was due, so a
server that falls behind cannot hide it.
"""

import asyncio
import contextlib
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

HOST = "127.0.0.1"
PATIENCE_SECONDS = 60.0
"""Longest wait for the last answers after the end of a run."""
_END = b"\r\n\r\n"
_ADVISED = (429, 503)


def request(
    method: str, path: str, token: str = "", body: Any = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """A request as it goes over the wire."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", *(f"{k}: {v}" for k, v in (headers or {}).items())]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join(lines).encode() + _END + content


@dataclass
class Tally:
    """The answers of a run."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: dict[int, list[float]] = field(default_factory=dict)
    """Seconds of each answer, by status."""
    unadvised: int = 0
    """Answers 429 or 503 without `Retry-After`."""
    broken: int = 0
    """Requests without an answer, or whose connection ended."""

    @property
    def answers(self) -> int:
        """Number of answers."""
        return sum(self.statuses.values())

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answers / self.seconds

    def rate_of(self, *statuses: int) -> float:
        """Answers of these statuses per second."""
        return sum(self.statuses[status] for status in statuses) / self.seconds

    def note(self, head: bytes, seconds: float) -> None:
        """Count one answer."""
        status = int(head[9:12])
        self.statuses[status] += 1
        self.latencies.setdefault(status, []).append(seconds)
        if status in _ADVISED and b"retry-after:" not in head.lower():
            self.unadvised += 1

    def percentile(self, share: float, *statuses: int) -> float:
        """Seconds within which this share of the answers arrived: of these statuses, or of all."""
        chosen = statuses or tuple(self.latencies)
        return percentile([value for status in chosen for value in self.latencies.get(status, ())], share)

    def others(self, *expected: int) -> int:
        """Number of answers with an unexpected status, and of requests without an answer."""
        return self.broken + sum(count for status, count in self.statuses.items() if status not in expected)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


class _Line(asyncio.Protocol):
    """One connection: one request at a time."""

    def __init__(self, tally: Tally, answered: "Callable[[_Line], None]") -> None:
        self._tally = tally
        self._answered = answered
        self._buffer = b""
        self._due = 0.0
        self.waiting = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self.waiting:
            self.give_up()
            self._answered(self)

    def send(self, content: bytes, due: float | None = None) -> None:
        """Send a request; its latency is measured from the moment it was due."""
        self._due = time.perf_counter() if due is None else due
        self.waiting = True
        if self.transport is None:
            self.give_up()
        else:
            self.transport.write(content)

    def give_up(self) -> None:
        """Count the request as unanswered."""
        self.waiting = False
        self._tally.broken += 1

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(_END)
        if not found or len(rest) < _length(head):
            return
        self._buffer = b""
        self.waiting = False
        self._tally.note(head, time.perf_counter() - self._due)
        self._answered(self)


def _length(head: bytes) -> int:
    """Length of the body that follows a head; our servers state it whenever there is one."""
    for line in head.split(b"\r\n"):
        if line[:15].lower() == b"content-length:":
            return int(line[15:])
    return 0


async def _open(port: int, tally: Tally, answered: "Callable[[_Line], None]") -> _Line:
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(lambda: _Line(tally, answered), HOST, port)
    return line


async def _flood(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Tally:
    tally, supply = Tally(), cycle(requests)
    until = math.inf

    def go_on(line: _Line) -> None:
        if line.transport is not None and time.perf_counter() < until:
            line.send(next(supply))

    lines = [await _open(port, tally, go_on) for _ in range(connections)]
    began = time.perf_counter()
    until = began + seconds
    for line in lines:
        line.send(next(supply))
    await _answered(lines, until)
    tally.seconds = max(time.perf_counter() - began, seconds)
    _close(lines)
    return tally


def flood(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Tally:
    """Every connection sends its next request as soon as it is answered."""
    return asyncio.run(_flood(port, requests, connections, seconds))


async def _pace(port: int, requests: Sequence[bytes], connections: int, seconds: float, rate: float) -> Tally:
    tally, supply = Tally(), cycle(requests)
    due: asyncio.Queue[float] = asyncio.Queue()
    idle: asyncio.Queue[_Line] = asyncio.Queue()
    lines = [await _open(port, tally, idle.put_nowait) for _ in range(connections)]
    for line in lines:
        idle.put_nowait(line)

    async def hand_out() -> None:
        while True:
            moment = await due.get()
            line = await idle.get()
            if line.transport is None:
                lines.remove(line)
                line = await _open(port, tally, idle.put_nowait)
                lines.append(line)
            line.send(next(supply), moment)
            due.task_done()

    handing = asyncio.create_task(hand_out())
    began = time.perf_counter()
    sent, total = 0, math.ceil(seconds * rate)
    # By number and not by time: a client that was delayed by its machine sends later, but the same number.
    while sent < total:
        now = time.perf_counter()
        while sent < total and began + sent / rate <= now:
            due.put_nowait(began + sent / rate)
            sent += 1
        await asyncio.sleep(0.001)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await due.join()
    await _answered(lines, began + seconds)
    tally.broken += due.qsize()
    tally.seconds = max(time.perf_counter() - began, seconds)
    handing.cancel()
    _close(lines)
    return tally


def pace(port: int, requests: Sequence[bytes], connections: int, seconds: float, rate: float) -> Tally:
    """Send a fixed number of requests per second, whatever the server does."""
    return asyncio.run(_pace(port, requests, connections, seconds, rate))


async def _answered(lines: Sequence[_Line], until: float) -> None:
    """Wait for the end of the run and then, for a limited time, for every answer."""
    while time.perf_counter() < until + PATIENCE_SECONDS and any(line.waiting for line in lines):
        await asyncio.sleep(0.01)
    for line in lines:
        if line.waiting:
            line.give_up()


def _close(lines: Sequence[_Line]) -> None:
    for line in lines:
        if line.transport is not None:
            line.transport.close()
