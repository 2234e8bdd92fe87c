"""Diameter: the longest of all shortest paths.

Watts and Strogatz, "Collective dynamics of small-world networks", Nature 1998.

For the largest component, directions ignored. If searches from every node are not affordable, the longest distance
from random sources is given: a lower bound, marked as not exact.

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


class Diameter(GraphUtility):
    """The longest distance in the largest component, before and after."""

    name: Literal["diameter"] = "diameter"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Run breadth-first searches in both graphs."""
        watch(0.0)
        before, after = both_distances(graph, released, rng, watch)
        return as_loss(before.longest, after.longest) | {"exact": before.exact and after.exact}
