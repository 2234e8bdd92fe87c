"""Audits of mechanisms: draws on two neighboring inputs that contradict what is promised of them.

Ding, Wang, Wang, Zhang and Kifer, "Detecting Violations of Differential Privacy", CCS 2018: the event that speaks most
against the promise is looked for on one half of the draws and judged on the other, by exact bounds on its chances
(Clopper and Pearson, 1934). So whatever the search comes upon, a right mechanism fails with at most the stated chance.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ALARM = 1e-11
"""The chance with which one audit fails a right mechanism: two bounds, each missed with half of it."""


def excess(first: NDArray[np.int64], second: NDArray[np.int64], epsilon: float, alarm: float = ALARM) -> float:
    """How much more likely an event certainly is than e^epsilon times its chance on the neighbor: a lower bound of
    delta, for the event (all outcomes from some number on, or up to it, or just it) that looks worst."""
    found = max(_candidates(first[::2], second[::2], epsilon), key=lambda event: event[0])[1]
    hits = [int(found(draws[1::2]).sum()) for draws in (first, second)]
    sizes = [len(draws[1::2]) for draws in (first, second)]
    least = stats.beta.ppf(alarm / 2, hits[0], sizes[0] - hits[0] + 1) if hits[0] else 0.0
    most = stats.beta.isf(alarm / 2, hits[1] + 1, sizes[1] - hits[1]) if hits[1] < sizes[1] else 1.0
    return float(least - np.exp(epsilon) * most)


def _candidates(first, second, epsilon):  # type: ignore[no-untyped-def]
    for limit in np.unique(first):
        for event in (
            lambda draws, limit=limit: draws >= limit,
            lambda draws, limit=limit: draws <= limit,
            lambda draws, limit=limit: draws == limit,
        ):
            chances = event(first).mean(), event(second).mean()
            # Rare events promise much and can be shown of none: each side is taken two deviations off.
            sure = 3.0 * np.sqrt((np.array(chances) + 1.0 / len(first)) / len(first))
            yield chances[0] - sure[0] - np.exp(epsilon) * (chances[1] + sure[1]), event


def gaussian_delta(scale: float, distance: float, epsilon: float) -> float:
    """The delta of Gaussian noise at an epsilon: Balle and Wang, "Improving the Gaussian Mechanism", ICML 2018."""
    ratio = distance / scale
    above, below = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return float(stats.norm.cdf(above) - np.exp(epsilon) * stats.norm.cdf(below))
