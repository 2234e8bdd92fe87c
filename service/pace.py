"""Pace: the minimum rate at which a body must arrive, so that a slow sender cannot hold a slot.

A sender starts with a credit of some seconds. Waiting uses it up, and every received byte earns some back, up to the
initial credit. A sender that keeps the minimum rate may continue, up to a limit on the total waiting time. Only time
spent waiting for the sender counts, not our processing time.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from service.problems import Problem
from storage.settings import Settings


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
    _credit: float = field(init=False)
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._credit = self.patience
        self._left = self.seconds

    async def read(self, pieces: AsyncIterator[bytes]) -> bytes | None:
        """The next piece, None after the last; raises a 408 if it arrives too late."""
        began, allowed = self.clock(), max(min(self._credit, self._left), 0.0)
        try:
            async with asyncio.timeout(allowed):
                piece = await anext(pieces, None)
        except TimeoutError:
            raise self._too_slow() from None
        waited = self.clock() - began
        if waited > allowed:
            raise self._too_slow()
        self._left -= waited
        self._credit = min(self._credit - waited + len(piece or b"") / self.bytes_per_second, self.patience)
        return piece

    def _too_slow(self) -> Problem:
        if self._left <= self._credit:
            return Problem("body-timeout", f"A body of this kind may take at most {self.seconds:g} s to send.")
        rate = f"Send at least {self.bytes_per_second:g} bytes a second, with no pause of {self.patience:g} s."
        return Problem("body-timeout", rate)


def upload_pace(settings: Settings) -> Pace:
    """The pace of file uploads."""
    return Pace(settings.least_bytes_per_second, settings.patience_seconds, settings.upload_seconds)


def body_pace(settings: Settings) -> Pace:
    """The pace of bodies that are read as a whole."""
    return Pace(settings.least_bytes_per_second, settings.patience_seconds, settings.body_seconds)
