"""Intervals: how far noise carries an answer, at most and in 95 of 100 draws.

The noise of a count is a whole number, and so are the ends of its interval, which covers at least 95 %; how much
exactly is stated with it. The upper end may be one farther away than the lower one, which comes closer to 95 %. A mean
or a variance is a quotient of noisy numbers: its interval holds every value that the noise of all of them together does
not speak against (Fieller, "Some Problems in Interval Estimation", JRSS B 1954), and covers 95 %.
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
"""From this scale on a discrete Gaussian is a continuous one, as far as the first six decimals of a chance show."""
_CLOSE = 1e-3
_NOTHING = 1e-9
_NEWTON_STEPS = 8
_INTERVAL_STEPS = 5


class Reach(NamedTuple):
    """How far the ends of an interval are from a value with noise in whole numbers."""

    below: int
    above: int
    coverage: float
    """The chance with which the noise stays within."""


def whole_reach(measure: Measure, scale: float) -> Reach:
    """The shortest interval that holds the truth in at least 95 of 100 draws; the upper side may be longer by one."""
    wide = _whole_width(measure, scale)
    both = [_whole_coverage(measure, scale, away) for away in (wide - 1, wide)]
    if wide > 0 and sum(both) / 2 >= COVERED:
        return Reach(wide - 1, wide, sum(both) / 2)
    return Reach(wide, wide, both[1])


def _whole_width(measure: Measure, scale: float) -> int:
    """The smallest whole number that discrete noise of one scale stays within in at least 95 of 100 draws."""
    if measure == "zcdp":
        wide = max(0, math.floor(_NORMAL * scale - 0.5) - 1)
        while _whole_coverage(measure, scale, wide) < COVERED:
            wide += 1
        return wide
    chance = 2.0 / (1.0 + math.exp(-1.0 / scale)) / (1.0 - COVERED)
    return max(0, math.ceil(scale * math.log(chance) - 1.0))


def _whole_coverage(measure: Measure, scale: float, wide: int) -> float:
    """The chance with which discrete noise stays within a whole number.

    Of narrow noise the numbers are so few that none has a chance near 95 %: then it is more, and answers say how much.
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
    """What the sum of independent noises of these scales stays within in 95 of 100 draws; for every cell at once."""
    wide = np.array(np.broadcast_arrays(*scales), dtype=np.float64)
    if measure == "zcdp":
        return np.asarray(_NORMAL * np.sqrt((wide**2).sum(axis=0)))
    # By partial fractions of the characteristic function, for which scales must differ: those that are equal are moved
    # apart by less than the interval shows.
    wide = np.sort(np.maximum(wide, wide.max(axis=0) * _NOTHING), axis=0)
    for place in range(1, len(wide)):
        wide[place] = np.maximum(wide[place], wide[place - 1] * (1.0 + _CLOSE))
    weights = np.ones_like(wide)
    for place in range(len(wide)):
        for other in range(len(wide)):
            if other != place:
                weights[place] *= wide[place] ** 2 / (wide[place] ** 2 - wide[other] ** 2)
    # Newton's steps on the logarithm of the chance to be beyond, which is concave: from the second on they come from
    # the far side and never pass the root.
    limit = wide.sum(axis=0) * -math.log(1.0 - COVERED)
    for _ in range(_NEWTON_STEPS):
        terms = weights * np.exp(-limit / wide)
        beyond = np.maximum(terms.sum(axis=0), _NOTHING)
        limit = np.maximum(limit + np.log(beyond / (1.0 - COVERED)) * beyond / (terms / wide).sum(axis=0), 0.0)
    return np.asarray(limit)


def quotient_interval(
    ratio: Numbers, count: Numbers, allowed: Callable[[Numbers], Numbers], ends: tuple[float, float]
) -> tuple[Numbers, Numbers]:
    """All values between the ends that noise allows for a quotient: those at most ``allowed(value) / count`` away.

    Of a count that may be none, all values are allowed.
    """
    found = []
    for end, sign in zip(ends, (-1.0, 1.0), strict=True):
        value = ratio
        for _ in range(_INTERVAL_STEPS):
            value = np.clip(ratio + sign * allowed(value) / np.maximum(count, 1.0), *ends)
        unknown = count * max(abs(end) for end in ends) <= allowed(np.full_like(ratio, max(ends, key=abs)))
        found.append(np.where(unknown | (count <= 0), end, value))
    return found[0], found[1]
