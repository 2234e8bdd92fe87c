"""Betweenness centrality: whether the nodes that lie between others still do, snapshot by snapshot.

Freeman, "A set of measures of centrality based on betweenness", Sociometry 1977; Brandes, "A faster algorithm for
betweenness centrality", Journal of Mathematical Sociology 2001.

Shortest paths follow the edges' directions if they have one. The value is the mean over the snapshots of the Jaccard
index of the top 5 % of both graphs, ties broken by node number; ``clear_top`` leaves out nodes that depend on ties. If
measuring all snapshots costs too much, they are sampled, and very large ones are searched from random nodes, the same
people before and after; the result states how many.

Guarantees: none, it measures.
Cost: O(n·m) for each snapshot, at most about 2·10^8 edge visits together.
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.centrality import compare_path_scores
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class BetweennessCentrality(TemporalUtility):
    """Agreement of the nodes of highest betweenness, snapshot by snapshot."""

    name: Literal["betweenness_centrality"] = "betweenness_centrality"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Count shortest paths in every snapshot."""
        watch(0.0)
        return compare_path_scores("betweenness", snapshots, released, rng, watch)
