"""Louvain: whether the communities of high modularity are still the same.

Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", Journal of Statistical
Mechanics 2008.

The communities of both graphs are compared by the Jaccard index of the best matching (the value), normalized mutual
information, precision and modularity, and those of the original with others of the original under other node numbers
(``noise``): many partitions are nearly as good as the best, and no release can agree more than the original with
itself. Directions are ignored. Graphs of more than 200,000 nodes are compared on that many nodes around a random one.

Guarantees: none, it measures.
Cost: O(m) for each pass over the nodes; a few dozen passes in all, three times.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.communities import compare_clusterings
from antifaz.graphs.analysis.louvain import louvain
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

MOST_NODES = 200_000
"""Larger graphs are compared on this number of nodes around a random one."""


class Louvain(GraphUtility):
    """Agreement of the communities that Louvain finds."""

    name: Literal["louvain"] = "louvain"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Find communities in both graphs and compare."""
        watch(0.0)
        return compare_clusterings(louvain, graph, released, rng, watch, MOST_NODES)
