"""Connected components: the number of pieces of the graph, and the size of the largest.

Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", Communications of the ACM 1973.

The number of components, directions ignored, and the share of nodes in the largest. Exact.

Guarantees: none, it measures.
Cost: O(n + m).
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.kernels.graphs.paths import components
from antifaz.watch import Watch


class ConnectedComponents(GraphUtility):
    """The number of connected components and the share of the largest, before and after."""

    name: Literal["connected_components"] = "connected_components"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Count the components of both graphs."""
        watch(0.0)
        before, largest_before = _pieces(graph)
        after, largest_after = _pieces(released.graph)
        return as_loss(before, after) | {"largest": as_loss(largest_before, largest_after), "exact": True}


def _pieces(graph: Graph) -> tuple[int, float]:
    """Number of components, and the share of nodes in the largest."""
    if graph.n == 0:
        return 0, 0.0
    sizes = np.bincount(components(*graph.neighbors))
    return len(sizes), float(sizes.max()) / graph.n
