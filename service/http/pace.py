"""Pace: the minimum rate at which a body must arrive, so that a slow sender cannot hold a slot.

A sender starts with a credit of some seconds. Waiting uses it up, and every received byte earns some back, up to the
initial credit. A sender that keeps the minimum rate may continue, up to a limit on the total waiting time. Only time
spent waiting for the sender counts, not our processing time.

While other requests wait for the sender's place, a second credit applies, of a few seconds at a higher rate: many slow
senders cannot keep a quick one out.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from service.http.problems import Problem
from storage.settings import Settings

HASTE = 16
"""How many times the minimum rate is required while others wait for the sender's place."""
HASTE_SECONDS = 2.0
"""Credit of a sender while others wait."""
_LOOK_AGAIN_SECONDS = 0.5
"""Interval at which a sender that is being waited for is checked."""


def _never() -> bool:
    return False


@dataclass
class Pace:
    """The remaining credit of one sender."""

    bytes_per_second: float
    """Minimum rate."""
    patience: float
    """Longest pause without a byte, in seconds."""
    seconds: float
    """Limit on the total waiting time, in seconds."""
    clock: Callable[[], float] = time.monotonic
    pressed: Callable[[], bool] = _never
    """Whether other requests wait for this sender's place."""
    _credit: float = field(init=False)
    _haste: float = field(init=False)
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._credit = self.patience
        self._haste = min(HASTE_SECONDS, self.patience)
        self._left = self.seconds

    async def read(self, pieces: AsyncIterator[bytes]) -> bytes | None:
        """The next piece, None after the last; raises a 408 if it arrives too late."""
        coming = asyncio.ensure_future(_next(pieces))
        try:
            while not coming.done():
                self._check()
                began, pressed = self.clock(), self.pressed()
                await asyncio.wait((coming,), timeout=min(self._credit, self._left, _LOOK_AGAIN_SECONDS))
                self._spend(self.clock() - began, pressed)
        finally:
            if not coming.done():
                # Wait for its end: the stream may be read on, to drain it.
                coming.cancel()
                await asyncio.wait((coming,))
        piece = coming.result()
        self._check()
        self._earn(len(piece or b""))
        return piece

    def _spend(self, waited: float, pressed: bool) -> None:
        self._left -= waited
        self._credit -= waited
        if pressed:
            self._haste -= waited

    def _earn(self, size: int) -> None:
        self._credit = min(self._credit + size / self.bytes_per_second, self.patience)
        hasty = HASTE * self.bytes_per_second
        self._haste = min(self._haste + size / hasty, HASTE_SECONDS, self.patience)

    def _check(self) -> None:
        if min(self._left, self._credit, self._haste) > 0:
            return
        if self._left <= 0:
            raise _too_slow(f"A body of this kind may take at most {self.seconds:g} s to send.")
        if self._credit <= 0:
            rate = f"Send at least {self.bytes_per_second:g} bytes a second, with no pause of {self.patience:g} s."
            raise _too_slow(rate)
        raise _too_slow(f"Send at least {HASTE * self.bytes_per_second:g} bytes a second while others wait.")


def _too_slow(rule: str) -> Problem:
    """The answer to a slow sender, after which the connection is closed: the rest would come as slowly."""
    return Problem("body-timeout", rule, headers={"Connection": "close"})


async def _next(pieces: AsyncIterator[bytes]) -> bytes | None:
    return await anext(pieces, None)


def upload_pace(settings: Settings, pressed: Callable[[], bool] = _never) -> Pace:
    """The pace of file uploads."""
    rate, patience = settings.least_bytes_per_second, settings.patience_seconds
    return Pace(rate, patience, settings.upload_seconds, pressed=pressed)


def body_pace(settings: Settings, pressed: Callable[[], bool] = _never) -> Pace:
    """The pace of bodies that are read as a whole."""
    rate, patience = settings.least_bytes_per_second, settings.body_patience_seconds
    return Pace(rate, patience, settings.body_seconds, pressed=pressed)
