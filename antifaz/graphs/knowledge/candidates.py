"""Candidate sets: the nodes that fit an attacker's knowledge, and what may be reported about their sizes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import ProtectedGraph

SMALLEST_COUNT = 10
"""Counts of the original below this are withheld."""
BINS = (("1", 1, 1), ("2-4", 2, 4), ("5-10", 5, 10), ("11-20", 11, 20), ("21+", 21, None))


def class_sizes(knowledge: NDArray[Any]) -> NDArray[np.int64]:
    """For every node the number of nodes that look the same."""
    _, members, sizes = np.unique(knowledge, return_inverse=True, return_counts=True)
    return sizes[members].astype(np.int64)


def shares(sizes: NDArray[np.int64]) -> dict[str, float]:
    """Shares of nodes by the size of their candidate sets."""
    return {label: count / max(1, len(sizes)) for label, count in histogram(sizes).items()}


def withheld_shares(sizes: NDArray[np.int64]) -> dict[str, float | str]:
    """The same for the original: a share of fewer than ten nodes is withheld."""
    counts, bound = histogram(sizes), f"{SMALLEST_COUNT / max(1, len(sizes)):.3g}"
    shown: dict[str, float | str] = {label: count / max(1, len(sizes)) for label, count in counts.items()}
    for label in withheld_bins(counts):
        shown[label] = f"<{bound}" if counts[label] < SMALLEST_COUNT else f">={bound}"
    return shown


def withheld_bins(counts: Mapping[str, int]) -> set[str]:
    """The bins of the original that are not shown: those under ten, and the smallest other if only one is unknown.

    Reports state how many nodes are alone in their sets, so anyone who can subtract knows the first bin.
    """
    first, *others = counts
    hidden = {label for label, count in counts.items() if count < SMALLEST_COUNT}
    shown = sorted((label for label in others if label not in hidden), key=lambda label: counts[label])
    return hidden | set(shown[:1]) if hidden and len(hidden - {first}) <= 1 else hidden


def withheld(count: int) -> int | str:
    """A count of the original, shown if it is at least ten."""
    return f"<{SMALLEST_COUNT}" if count < SMALLEST_COUNT else count


def smallest(sizes: NDArray[np.int64]) -> int:
    """The size of the smallest candidate set; 0 if there are no nodes."""
    return int(sizes.min()) if len(sizes) else 0


def chances(known: NDArray[Any], seen: NDArray[Any], released: ProtectedGraph) -> NDArray[np.float64]:
    """For every original node, the probability that a guess among its candidates in the release finds it.

    ``known`` is the attacker's knowledge of each original node, ``seen`` what each released node shows.
    """
    values, counts = np.unique(seen, return_counts=True)
    found = np.zeros(len(known))
    hits = np.flatnonzero(released.origin >= 0)
    hits = hits[seen[hits] == known[released.origin[hits]]]
    found[released.origin[hits]] = 1.0 / counts[np.searchsorted(values, seen[hits])]
    return found


def guess(released: ProtectedGraph) -> float:
    """The probability of success when picking any released node."""
    return 1.0 / released.graph.n if released.graph.n else 0.0


def mean(numbers: NDArray[np.float64]) -> float:
    """Mean of some figures; 0 if there are none."""
    return float(numbers.mean()) if len(numbers) else 0.0


def histogram(sizes: NDArray[np.int64]) -> dict[str, int]:
    """Nodes by the size of their candidate sets."""
    return {
        label: int(((sizes >= low) & (sizes <= (high if high is not None else sizes))).sum())
        for label, low, high in BINS
    }
