"""Edge Jaccard: contacts in both original and release, as a share of those in either, snapshot by snapshot.

Jaccard, "Étude comparative de la distribution florale dans une portion des Alpes et des Jura", 1901.

In each snapshot the edges of the release, traced back to the original nodes, are compared with the original's; two
snapshots without edges agree. The value is the unweighted mean over the snapshots. Exact.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together.
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.comparison import by_person, over_snapshots
from antifaz.temporal.pairs import shared_edges
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class EdgeJaccard(TemporalUtility):
    """The edges that original and release share, as a share of those in either: the mean over the snapshots."""

    name: Literal["edge_jaccard"] = "edge_jaccard"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the edges of every snapshot."""
        watch(0.0)
        person = by_person(released)
        shared = shared_edges(snapshots, person)
        either = np.diff(snapshots.starts) + np.diff(person.starts) - shared
        values = np.divide(shared, either, out=np.ones(len(shared)), where=either > 0)
        return over_snapshots(values, np.arange(len(snapshots)), len(snapshots))
