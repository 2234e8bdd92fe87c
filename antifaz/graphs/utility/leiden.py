"""Leiden: whether the well connected communities of high modularity are still the same.

Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific Reports 2019.

Like Louvain, but every community is connected. The communities of both graphs are compared by the Jaccard index of the
best matching (the value), normalized mutual information, precision and modularity, and those of the original with
others of the original under other node numbers (``noise``). Directions are ignored. Graphs of more than 200,000 nodes
are compared on that many nodes around a random one.

Guarantees: none, it measures.
Cost: O(m) for each pass over the nodes; a few dozen passes in all, three times.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.analysis.communities import compare_clusterings
from antifaz.graphs.analysis.louvain import leiden
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

MOST_NODES = 200_000
"""Larger graphs are compared on this number of nodes around a random one."""


class Leiden(GraphUtility):
    """Agreement of the communities that Leiden finds."""

    default: ClassVar[bool] = False

    name: Literal["leiden"] = "leiden"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Find communities in both graphs and compare."""
        watch(0.0)
        return compare_clusterings(leiden, graph, released, rng, watch, MOST_NODES)
