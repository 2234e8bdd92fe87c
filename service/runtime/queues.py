"""Queues: what anyone may see of their state.

Whether a queue is served is said at once. Times are read at most every ten seconds: rounding alone would not hide when
something happens from someone who asks often, because the rounded time changes at that moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.operations.consumers import QueueState

COARSE_SECONDS = 10


@dataclass(frozen=True)
class ShownQueue:
    """A queue as readiness and metrics show it."""

    queue: str
    consumers: int
    is_served: bool
    waiting: int | None
    """Seconds that the oldest work had waited when times were last read, rounded down; None if there was none."""
    consumed: int | None
    """Seconds since something was last taken, likewise; None if that was not known."""


class QueueTimes:
    """The times of the queues as they were last read."""

    def __init__(self) -> None:
        self._period: int | None = None
        self._read: dict[str, tuple[int | None, int | None]] = {}

    def show(self, states: Sequence[QueueState], now: float) -> list[ShownQueue]:
        """The queues as they are shown at this moment of a monotonic clock."""
        period = int(now // COARSE_SECONDS)
        if period != self._period:
            self._period = period
            self._read = {state.queue: (_coarse(state.waiting), _coarse(state.consumed)) for state in states}
        return [ShownQueue(state.queue, state.consumers, state.is_served, *self._read[state.queue]) for state in states]


def _coarse(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds // COARSE_SECONDS * COARSE_SECONDS)
