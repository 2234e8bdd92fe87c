"""Mean degree: the mean number of contacts of a node in every snapshot, before and after.

Newman, "Networks: An Introduction", Oxford University Press 2010.

Number of edge ends divided by the number of nodes, including nodes without edges; in plus out if directed. Reports both
series, their means and the relative change of the means. Exact.

Guarantees: none, it measures.
Cost: O(T).
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.comparison import as_series
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class MeanDegree(TemporalUtility):
    """The mean degree in every snapshot, before and after."""

    name: Literal["mean_degree"] = "mean_degree"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the mean degrees, snapshot by snapshot."""
        watch(0.0)
        before, after = (2.0 * np.diff(each.starts) / max(1, each.n) for each in (snapshots, released.snapshots))
        return as_series(before, after)
