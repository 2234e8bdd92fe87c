"""Edges: the number of contacts in every snapshot, before and after.

Casteigts, Flocchini, Quattrociocchi and Santoro, "Time-varying graphs and dynamic networks", International Journal of
Parallel, Emergent and Distributed Systems 2012 (the sequence of footprints).

Reports both series, their means and the relative change of the means, and where each point of a series begins. Exact.

Guarantees: none, it measures.
Cost: O(T).
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.comparison import as_series, points_width
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class Edges(TemporalUtility):
    """The number of edges of every snapshot, before and after."""

    name: Literal["edges"] = "edges"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Count the edges of both, snapshot by snapshot."""
        watch(0.0)
        before, after = (np.diff(each.starts).astype(np.float64) for each in (snapshots, released.snapshots))
        width = points_width(len(snapshots))
        return as_series(before, after) | {"labels": list(snapshots.labels[::width]), "snapshots_per_point": width}
