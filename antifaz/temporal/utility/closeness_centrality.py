"""Closeness centrality: whether the nodes that are close to others still are, snapshot by snapshot.

Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1979; over components, Wasserman and
Faust, "Social Network Analysis", Cambridge University Press 1994.

The closeness of a node is the share of nodes that reach it, divided by their mean distance, along the edges' directions
if they have one. The value is the mean over the snapshots of the Jaccard index of the top 5 % of both graphs, ties
broken by node number; ``clear_top`` leaves out nodes that depend on ties. If measuring all snapshots costs too much,
they are sampled, and very large ones are searched from random nodes, the same people before and after; the result
states how many.

Guarantees: none, it measures.
Cost: O(n·m) for each snapshot, at most about 2·10^8 edge visits together.
"""

from typing import Any, Literal

import numpy as np

from antifaz.temporal.centrality import compare_path_scores
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch


class ClosenessCentrality(TemporalUtility):
    """Agreement of the nodes of highest closeness, snapshot by snapshot."""

    name: Literal["closeness_centrality"] = "closeness_centrality"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Search shortest paths in every snapshot."""
        watch(0.0)
        return compare_path_scores("closeness", snapshots, released, rng, watch)
