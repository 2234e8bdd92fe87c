"""Edges: number of edges.

Casas-Roma, Herrera-Joancomartí and Torra, "A survey of graph-modification techniques for privacy-preserving on
networks", Artificial Intelligence Review 2017 (measures of information loss).

Guarantees: none, it measures.
Cost: O(1).
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class Edges(GraphUtility):
    """The number of edges before and after."""

    name: Literal["edges"] = "edges"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the numbers of edges."""
        watch(0.0)
        return as_loss(graph.m, released.graph.m)
