"""Degree centrality: whether the nodes with most neighbors still have them.

Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1979.

The degree as a share of the other nodes (in plus out in a directed graph). The value is the Jaccard index of the top
5 % of both graphs, nodes that tie with the last included, reported with the mean error of all nodes relative to the
mean. Exact.

Guarantees: none, it measures.
Cost: O(n + m).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.centrality import compare
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class DegreeCentrality(GraphUtility):
    """Agreement of the nodes of highest degree, and the mean error of all."""

    name: Literal["degree_centrality"] = "degree_centrality"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the degrees of both graphs, node by node."""
        watch(0.0)
        return compare(_centrality(graph), _centrality(released.graph), released) | {"exact": True}


def _centrality(graph: Graph) -> NDArray[np.float64]:
    return graph.degrees / max(1, graph.n - 1)
