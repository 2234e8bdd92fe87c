"""Limits: request rates per token, or per address without a token, and the number of concurrent requests.

A bucket fills at a constant rate up to one minute's worth; each request takes one drop. In addition, only a limited
number of requests run at the same time. A request that arrives when all turns are taken is refused immediately with a
time to retry, so that the running ones finish in time. One tenant gets only a share of the turns, so that it cannot
block the others. Buckets and turns are per process: n API processes together allow n times as much.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from service.problems import RETRY_SECONDS, Problem

_SECONDS = 60.0
_MOST_BUCKETS = 10_000


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
    """A limit on concurrent requests, in total and per tenant."""

    def __init__(self, most: int, share: int | None = None) -> None:
        self._most = most
        self._share = most if share is None else min(share, most)
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """Number of turns that are taken."""
        return self._taken.total()

    def check(self) -> None:
        """Raise a 503 with a time to retry if every turn is taken."""
        if self.taken >= self._most:
            raise _busy("Try again in a moment.")

    def give_back(self, whose: str) -> None:
        """Free a turn."""
        self._taken[whose] -= 1
        if not self._taken[whose]:
            del self._taken[whose]

    @contextmanager
    def turn(self, whose: str = "") -> Iterator[Turn]:
        """A turn for the duration of the block, unless it is ended before."""
        self.check()
        if self._taken[whose] >= self._share:
            raise _busy("This tenant has reached its limit of concurrent requests of this kind. Try again in a moment.")
        self._taken[whose] += 1
        turn = Turn(self, whose)
        try:
            yield turn
        finally:
            turn.end()
