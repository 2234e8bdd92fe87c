"""Edge Jaccard: edges in both graphs divided by edges in either.

Jaccard, "The distribution of the flora in the alpine zone", New Phytologist 1912.

1 is the same graph, 0 is a graph without any original edge; two graphs without edges agree.

Guarantees: none, it measures.
Cost: O(m log m).
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import kept_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class EdgeJaccard(GraphUtility):
    """The share of edges that both graphs have among those that either has."""

    name: Literal["edge_jaccard"] = "edge_jaccard"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the edge sets through the sealed map."""
        watch(0.0)
        kept = kept_edges(graph, released)
        either = graph.m + released.graph.m - kept
        return {"value": kept / either if either else 1.0}
