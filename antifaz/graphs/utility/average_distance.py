"""Average distance: how many edges lie between two nodes on average.

Watts and Strogatz, "Collective dynamics of small-world networks", Nature 1998; the harmonic mean after Latora and
Marchiori, "Efficient Behavior of Small-World Networks", Physical Review Letters 2001.

Mean over the pairs of the largest component, directions ignored. The share of connected pairs and the harmonic mean
over all pairs are reported too, since a disconnected graph has no finite average. Exact if searches from every node are
affordable, otherwise over random sources, with the standard error.

Guarantees: none, it measures.
Cost: O(n·m), at most 2·10^8 edge visits per graph.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.distances import both_distances
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class AverageDistance(GraphUtility):
    """Average distance between nodes of the largest component, before and after."""

    name: Literal["average_distance"] = "average_distance"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Run breadth-first searches in both graphs."""
        watch(0.0)
        before, after = both_distances(graph, released, rng, watch)
        return as_loss(before.mean or 0.0, after.mean or 0.0) | {
            "exact": before.exact and after.exact,
            "standard_error": {"original": before.standard_error, "released": after.standard_error},
            "pair_coverage": {"original": before.pair_coverage, "released": after.pair_coverage},
            "harmonic_mean": {"original": before.harmonic_mean, "released": after.harmonic_mean},
        }
