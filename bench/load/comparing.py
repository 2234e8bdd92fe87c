"""Comparing: rounds of two measurements in turns, and when they prove nothing."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MOST_VARIATION = 0.30


@dataclass(frozen=True)
class Comparison:
    """Rounds of two measurements in turns."""

    yardstick: list[float]
    own: list[float]

    @property
    def ratio(self) -> float:
        """Median over the rounds of ours by the yardstick."""
        return statistics.median(own / other for own, other in zip(self.own, self.yardstick, strict=True))

    @property
    def variation(self) -> float:
        """How far the yardstick itself wandered, as a share of its median."""
        return variation(self.yardstick)

    @property
    def void(self) -> str | None:
        """Why the comparison proves nothing, if it does not."""
        return unsteady("hello", self.yardstick)


def variation(values: Sequence[float]) -> float:
    """The distance of the extremes as a share of the median."""
    return (max(values) - min(values)) / statistics.median(values)


def unsteady(name: str, values: Sequence[float]) -> str | None:
    """What to say of a yardstick that wandered too far to measure by; None if it did not."""
    if variation(values) <= MOST_VARIATION:
        return None
    return f"{name} varied by {variation(values):.0%}, more than {MOST_VARIATION:.0%}"


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The slope of the straight line that fits best; flat for fewer than two points."""
    return statistics.linear_regression(xs, ys).slope if len(set(xs)) > 1 else 0.0
