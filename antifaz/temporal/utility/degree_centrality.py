"""Degree centrality: whether the nodes with the most contacts stay the same, snapshot by snapshot.

Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1979.

The score is the degree, in plus out if directed. The value is the mean over the snapshots of the Jaccard index of the
top 5 % of both graphs, ties broken by node number; ``clear_top`` leaves out nodes that depend on ties. Exact.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together.
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.centrality import Agreement, compare_tops
from antifaz.temporal.comparison import both_at, by_person
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class DegreeCentrality(TemporalUtility):
    """Agreement of the nodes of highest degree, snapshot by snapshot."""

    name: Literal["degree_centrality"] = "degree_centrality"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the degrees in every snapshot."""
        person, tops = by_person(released), []
        for t in range(len(snapshots)):
            watch(t / len(snapshots))
            one, other, busy = both_at(snapshots, person, t)
            tops.append(Agreement(one.degrees, other.degrees, busy, snapshots.n))
        return compare_tops(tops, np.arange(len(snapshots)), len(snapshots))
