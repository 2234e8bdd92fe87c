"""Empty snapshots: the number of snapshots without edges, before and after.

Garcia Dausà, "Privacy in dynamic graphs", 2025, who found most snapshots of sparse data empty after k-degree
anonymization by rebuilding.

Reports both numbers, and the number of snapshots that became empty. Exact.

Guarantees: none, it measures.
Cost: O(T).
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class EmptySnapshots(TemporalUtility):
    """The number of snapshots without edges, before and after."""

    name: Literal["empty_snapshots"] = "empty_snapshots"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Count the snapshots without edges."""
        watch(0.0)
        before, after = (np.diff(each.starts) == 0 for each in (snapshots, released.snapshots))
        lost = int((after & ~before).sum())
        return {
            "original": int(before.sum()),
            "released": int(after.sum()),
            "loss": lost / max(1, len(snapshots)),
            "became_empty": lost,
            "of": len(snapshots),
        }
