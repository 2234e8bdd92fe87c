"""Density: the share of pairs that are joined in every snapshot, before and after.

Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023, whose method is designed to
keep it.

Number of edges divided by the number of pairs of nodes (ordered pairs if directed), with the same nodes in all
snapshots. Reports both series, their means and the relative change of the means; ``largest_change`` is the largest
change of any snapshot. Exact.

Guarantees: none, it measures.
Cost: O(T).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.edits.pair_noise import pairs_of
from antifaz.temporal.comparison import as_series
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class Density(TemporalUtility):
    """The share of pairs that are joined in every snapshot, before and after."""

    name: Literal["density"] = "density"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the densities, snapshot by snapshot."""
        watch(0.0)
        before, after = _densities(snapshots), _densities(released.snapshots)
        return as_series(before, after) | {"largest_change": float(np.abs(after - before).max(initial=0.0))}


def _densities(snapshots: Snapshots) -> NDArray[np.float64]:
    return np.diff(snapshots.starts) / max(1, pairs_of(snapshots.n, snapshots.directed))
