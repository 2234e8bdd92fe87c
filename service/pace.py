"""Pace: how fast a body must come, so that nobody holds a place by sending next to nothing.

A sender has some seconds of patience. Waiting for it uses them up, and every byte that comes earns some back, never
more than there were at first: whoever keeps the least rate may go on, up to a limit on all of the waiting. Only the
time that we wait for the sender counts, not what we need ourselves.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from service.problems import Problem
from storage.settings import Settings


@dataclass
class Pace:
    """What is left of the patience with one sender."""

    bytes_per_second: float
    """The least rate."""
    patience: float
    """Seconds without a byte."""
    seconds: float
    """Seconds of waiting altogether."""
    clock: Callable[[], float] = time.monotonic
    _credit: float = field(init=False)
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._credit = self.patience
        self._left = self.seconds

    async def read(self, pieces: AsyncIterator[bytes]) -> bytes | None:
        """The next piece, None after the last; the 408 if it comes too late."""
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
            return Problem("body-timeout", f"A body of this kind may take {self.seconds:g} s to send.")
        rate = f"Send at least {self.bytes_per_second:g} bytes a second, with no pause of {self.patience:g} s."
        return Problem("body-timeout", rate)


def upload_pace(settings: Settings) -> Pace:
    """For files."""
    return Pace(settings.least_bytes_per_second, settings.patience_seconds, settings.upload_seconds)


def body_pace(settings: Settings) -> Pace:
    """For bodies that are read as a whole."""
    return Pace(settings.least_bytes_per_second, settings.patience_seconds, settings.body_seconds)
