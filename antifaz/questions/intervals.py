"""Intervals: how far noise moves an answer, in at least 95 of 100 draws.

The noise of a count is a whole number, and so are the ends of its interval. The interval covers at least 95 %, and its
exact coverage is stated. The upper end may be one farther away than the lower one, to come closer to 95 %. A mean or a
variance is a quotient of noisy numbers: its interval contains every value that is consistent with their joint noise
(Fieller, "Some Problems in Interval Estimation", JRSS B 1954), and covers 95 %.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.questions.declarations import Measure

Numbers = NDArray[np.float64]

COVERED = 0.95
_NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
_SMOOTH = 200.0
"""From this scale on, probabilities of a discrete and a continuous Gaussian agree to six decimals."""
_CLOSE = 1e-3
_NOTHING = 1e-9
_NEWTON_STEPS = 8
_INTERVAL_STEPS = 5


class Reach(NamedTuple):
    """Distances of the ends of an interval from a value with whole-number noise."""

    below: int
    above: int
    coverage: float
    """The probability that the noise stays within the interval."""


def whole_reach(measure: Measure, scale: float) -> Reach:
    """Return the shortest interval that contains the truth in at least 95 of 100 draws; the upper side may be one
    longer."""
    wide = _whole_width(measure, scale)
    both = [_whole_coverage(measure, scale, away) for away in (wide - 1, wide)]
    if wide > 0 and sum(both) / 2 >= COVERED:
        return Reach(wide - 1, wide, sum(both) / 2)
    return Reach(wide, wide, both[1])


def _whole_width(measure: Measure, scale: float) -> int:
    """Return the smallest whole number that bounds discrete noise of one scale in at least 95 of 100 draws."""
    if measure == "zcdp":
        wide = max(0, math.floor(_NORMAL * scale - 0.5) - 1)
        while _whole_coverage(measure, scale, wide) < COVERED:
            wide += 1
        return wide
    chance = 2.0 / (1.0 + math.exp(-1.0 / scale)) / (1.0 - COVERED)
    return max(0, math.ceil(scale * math.log(chance) - 1.0))


def _whole_coverage(measure: Measure, scale: float, wide: int) -> float:
    """Return the probability that discrete noise is at most a whole number in size.

    Narrow noise takes so few values that no probability is near 95 %: then it is higher, and answers state it.
    """
    if wide < 0:
        return 0.0
    if measure == "pure":
        return 1.0 - 2.0 * math.exp(-(wide + 1.0) / scale) / (1.0 + math.exp(-1.0 / scale))
    if scale > _SMOOTH:
        return math.erf((wide + 0.5) / (scale * math.sqrt(2.0)))
    weights = np.exp(-0.5 * (np.arange(int(12 * scale) + 2) / scale) ** 2)
    weights[1:] *= 2.0
    return float(weights[: wide + 1].sum() / weights.sum())


def width(measure: Measure, scales: Sequence[Numbers | float]) -> Numbers:
    """Return the bound of the sum of independent noises of these scales in 95 of 100 draws, for all cells together."""
    wide = np.array(np.broadcast_arrays(*scales), dtype=np.float64)
    if measure == "zcdp":
        return np.asarray(_NORMAL * np.sqrt((wide**2).sum(axis=0)))
    # By partial fractions of the characteristic function, which need different scales: equal scales are moved apart, by
    # less than is visible in the interval.
    wide = np.sort(np.maximum(wide, wide.max(axis=0) * _NOTHING), axis=0)
    for place in range(1, len(wide)):
        wide[place] = np.maximum(wide[place], wide[place - 1] * (1.0 + _CLOSE))
    weights = np.ones_like(wide)
    for place in range(len(wide)):
        for other in range(len(wide)):
            if other != place:
                weights[place] *= wide[place] ** 2 / (wide[place] ** 2 - wide[other] ** 2)
    # Newton's method on the logarithm of the tail probability, which is concave: from the second step on, the steps
    # approach from the far side and never pass the root.
    limit = wide.sum(axis=0) * -math.log(1.0 - COVERED)
    for _ in range(_NEWTON_STEPS):
        terms = weights * np.exp(-limit / wide)
        beyond = np.maximum(terms.sum(axis=0), _NOTHING)
        limit = np.maximum(limit + np.log(beyond / (1.0 - COVERED)) * beyond / (terms / wide).sum(axis=0), 0.0)
    return np.asarray(limit)


def quotient_interval(
    ratio: Numbers, count: Numbers, allowed: Callable[[Numbers], Numbers], ends: tuple[float, float]
) -> tuple[Numbers, Numbers]:
    """Return the interval of values that noise allows for a quotient: those at most ``allowed(value) / count`` away.

    If the count may be zero, all values between the ends are allowed.
    """
    found = []
    for end, sign in zip(ends, (-1.0, 1.0), strict=True):
        value = ratio
        for _ in range(_INTERVAL_STEPS):
            value = np.clip(ratio + sign * allowed(value) / np.maximum(count, 1.0), *ends)
        unknown = count * max(abs(end) for end in ends) <= allowed(np.full_like(ratio, max(ends, key=abs)))
        found.append(np.where(unknown | (count <= 0), end, value))
    return found[0], found[1]
