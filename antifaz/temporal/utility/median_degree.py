"""Median degree: the number of contacts of the median node in every snapshot, before and after.

Newman, "Networks: An Introduction", Oxford University Press 2010.

It is reported over all nodes, including those without edges, and over the nodes with an edge: in a sparse snapshot the
first is 0. Degrees are in plus out if directed. Reports both series, their means and the relative change of the means.
Exact.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.comparison import as_series
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class MedianDegree(TemporalUtility):
    """The median degree in every snapshot, before and after."""

    name: Literal["median_degree"] = "median_degree"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the median degrees, snapshot by snapshot."""
        watch(0.0)
        before, busy = medians(snapshots)
        watch(0.5)
        after, still_busy = medians(released.snapshots)
        return as_series(before, after) | {"of_nodes_with_edges": as_series(busy, still_busy)}


def medians(snapshots: Snapshots) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the median degree of every snapshot: of all nodes, and of those with an edge (0 if there is none)."""
    overall, busy = np.zeros(len(snapshots)), np.zeros(len(snapshots))
    n = snapshots.n
    for t in range(len(snapshots)):
        keys = snapshots.keys_at(t)
        if not len(keys):
            continue
        ends = np.sort(np.concatenate([keys // n, keys % n]))
        degrees = np.sort(np.diff(np.flatnonzero(np.diff(ends, prepend=-1, append=n))))
        busy[t] = np.median(degrees)
        overall[t] = _median_with_zeros(degrees, n)
    return overall, busy


def _median_with_zeros(degrees: NDArray[np.int64], n: int) -> float:
    """Return the median of some sorted positive numbers, padded with zeros to n numbers."""
    zeros = n - len(degrees)
    low, high = (0 if place < zeros else int(degrees[place - zeros]) for place in ((n - 1) // 2, n // 2))
    return (low + high) / 2
