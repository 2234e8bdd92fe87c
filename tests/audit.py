"""Audits of mechanisms: they search draws on two neighboring inputs for a contradiction of the promise.

Ding, Wang, Wang, Zhang and Kifer, "Detecting Violations of Differential Privacy", CCS 2018: one half of
the draws is searched for the event that contradicts the promise most; the other half decides, with exact bounds on its
probability (Clopper and Pearson, 1934). So a correct mechanism fails with at most the stated probability.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ALARM = 1e-11
"""Probability that one audit fails a correct mechanism: two bounds, each missed with half of it."""


def excess(first: NDArray[np.int64], second: NDArray[np.int64], epsilon: float, alarm: float = ALARM) -> float:
    """A lower bound of delta: by how much the probability of an event exceeds e^epsilon times its probability on the
    neighbor, for the worst event found (all outcomes from some number on, or up to it, or just it)."""
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
            # Estimates for rare events are unreliable: both sides are moved by two deviations.
            sure = 3.0 * np.sqrt((np.array(chances) + 1.0 / len(first)) / len(first))
            yield chances[0] - sure[0] - np.exp(epsilon) * (chances[1] + sure[1]), event


def gaussian_delta(scale: float, distance: float, epsilon: float) -> float:
    """The delta of Gaussian noise at an epsilon: Balle and Wang, "Improving the Gaussian Mechanism", ICML 2018."""
    ratio = distance / scale
    above, below = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return float(stats.norm.cdf(above) - np.exp(epsilon) * stats.norm.cdf(below))
