"""Mean degree: how many contacts a node has on average in every snapshot, before and after.

Newman, "Networks: An Introduction", Oxford University Press 2010.

Edge ends over nodes, nodes without edges included; in plus out if directed. Both series, their means and the relative
change of these. Exact.

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
