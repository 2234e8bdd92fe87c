"""Comparing: rounds of two measurements in turns, and when they are void."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MOST_VARIATION = 0.30


@dataclass(frozen=True)
class Comparison:
    """Rounds of two alternating measurements."""

    yardstick: list[float]
    own: list[float]

    @property
    def ratio(self) -> float:
        """Median over the rounds of our rate divided by the yardstick's."""
        return statistics.median(own / other for own, other in zip(self.own, self.yardstick, strict=True))

    @property
    def variation(self) -> float:
        """Variation of the yardstick itself, as a share of its median."""
        return variation(self.yardstick)

    @property
    def void(self) -> str | None:
        """Why the comparison is void; None if it is valid."""
        return unsteady("hello", self.yardstick)


def variation(values: Sequence[float]) -> float:
    """The range of the values as a share of their median."""
    return (max(values) - min(values)) / statistics.median(values)


def unsteady(name: str, values: Sequence[float]) -> str | None:
    """The message about a yardstick that varied too much to measure by; None if it did not."""
    if variation(values) <= MOST_VARIATION:
        return None
    return f"{name} varied by {variation(values):.0%}, more than {MOST_VARIATION:.0%}"


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The slope of the best-fitting straight line; 0 for fewer than two points."""
    return statistics.linear_regression(xs, ys).slope if len(set(xs)) > 1 else 0.0
