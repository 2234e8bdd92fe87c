"""Limits: request rates per token, or per address without a token, and the number of concurrent requests.

A bucket fills at a constant rate up to one minute's worth; each request takes one drop. In addition, only a limited
number of requests run at the same time. A request that arrives when all turns are taken waits for one, up to a limit of
time, behind at most eight others per turn; then it is refused with a time to retry. One tenant gets only a share of the
turns, and free turns go to tenants by rotation, so that none can block the others. Buckets and turns are per process: n
API processes together allow n times as much.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from service.http.problems import RETRY_SECONDS, Problem

_SECONDS = 60.0
_MOST_BUCKETS = 10_000
_WAITING_PER_TURN = 8


@dataclass(slots=True)
class _Bucket:
    drops: float
    filled_at: float


class RateLimit:
    """A limit on requests per minute for each key; 0 is no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key: str) -> None:
        """Take one drop from the key's bucket, or raise a 429 that states when there will be one."""
        if self._capacity == 0:
            return
        now = self._clock()
        bucket = self._buckets.get(key) or self._new_bucket(key, now)
        bucket.drops = min(self._capacity, bucket.drops + (now - bucket.filled_at) * self._capacity / _SECONDS)
        bucket.filled_at = now
        if bucket.drops < 1.0:
            raise _too_many((1.0 - bucket.drops) * _SECONDS / self._capacity)
        bucket.drops -= 1.0

    def _new_bucket(self, key: str, now: float) -> _Bucket:
        if len(self._buckets) >= _MOST_BUCKETS:
            self._drop_full_ones(now)
        return self._buckets.setdefault(key, _Bucket(self._capacity, now))

    def _drop_full_ones(self, now: float) -> None:
        """Drop keys without a request for a minute: a full bucket is the same as none."""
        self._buckets = {key: kept for key, kept in self._buckets.items() if now - kept.filled_at < _SECONDS}


def _too_many(wait: float) -> Problem:
    seconds = max(1, math.ceil(wait))
    return Problem("too-many-requests", f"Try again in {seconds} s.", headers={"Retry-After": str(seconds)})


def _busy(detail: str) -> Problem:
    return Problem("busy", detail, headers={"Retry-After": str(RETRY_SECONDS)})


class Turn:
    """A slot of one running request. It may end before the request does: a request that only waits needs no slot."""

    def __init__(self, turns: "Turns", whose: str) -> None:
        self._turns: Turns | None = turns
        self._whose = whose

    def end(self) -> None:
        """Free the slot; a second call does nothing."""
        turns, self._turns = self._turns, None
        if turns is not None:
            turns.give_back(self._whose)


class Turns:
    """A limit on concurrent requests, in total and per tenant, and on the time and number of those that wait."""

    def __init__(self, most: int, share: int | None = None, patience: float = 0.0) -> None:
        self._most = most
        self._share = most if share is None else min(share, most)
        self._patience = patience
        self._taken: Counter[str] = Counter()
        # In the order in which tenants are served next; the requests of one tenant in the order of their arrival.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @property
    def taken(self) -> int:
        """Number of turns that are taken."""
        return self._taken.total()

    def pressed(self, whose: str) -> bool:
        """Whether a request waits for a turn that this tenant could free."""
        return whose in self._waiting or (bool(self._waiting) and self.taken >= self._most)

    def check(self) -> None:
        """Raise a 503 with a time to retry if every turn is taken and as many wait as may."""
        if self.taken >= self._most and self._waits(self._waiting.values()) >= self._longest(self._most):
            raise _busy("Try again in a moment.")

    def give_back(self, whose: str) -> None:
        """Free a turn, which the next of those that wait takes."""
        self._taken[whose] -= 1
        if not self._taken[whose]:
            del self._taken[whose]
        self._pass_on()

    @asynccontextmanager
    async def turn(self, whose: str = "") -> AsyncIterator[Turn]:
        """A turn for the duration of the block, unless it is ended before; waits for one if necessary."""
        await self._take(whose)
        turn = Turn(self, whose)
        try:
            yield turn
        finally:
            turn.end()

    async def _take(self, whose: str) -> None:
        if whose not in self._waiting and self._is_free(whose):
            self._taken[whose] += 1
            return
        self.check()
        if self._waits([self._waiting.get(whose, ())]) >= self._longest(self._share):
            raise _busy("This tenant has reached its limit of concurrent requests of this kind. Try again in a moment.")
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(whose, deque()).append(place)
        try:
            async with asyncio.timeout(self._patience):
                await place
        except TimeoutError:
            self._leave(whose, place)
            raise _busy(f"No turn became free in {self._patience:g} s. Try again in a moment.") from None
        except asyncio.CancelledError:
            self._leave(whose, place)
            raise

    def _is_free(self, whose: str) -> bool:
        return self.taken < self._most and self._taken[whose] < self._share

    def _longest(self, turns: int) -> int:
        """How many may wait for this many turns."""
        return _WAITING_PER_TURN * turns if self._patience else 0

    def _waits(self, queues: Iterable[Collection[object]]) -> int:
        return sum(map(len, queues))

    def _pass_on(self) -> None:
        """Give free turns to those that wait, to each tenant in turn."""
        while whose := next((name for name in self._waiting if self._is_free(name)), None):
            queue = self._waiting.pop(whose)
            place = queue.popleft()
            if queue:
                # Behind the other tenants.
                self._waiting[whose] = queue
            if not place.done():
                self._taken[whose] += 1
                place.set_result(None)

    def _leave(self, whose: str, place: "asyncio.Future[None]") -> None:
        """Stop waiting; a turn that came at the last moment goes to the next."""
        if place.done() and not place.cancelled():
            self.give_back(whose)
            return
        queue = self._waiting.get(whose, deque())
        if place in queue:
            queue.remove(place)
        if not queue:
            self._waiting.pop(whose, None)
