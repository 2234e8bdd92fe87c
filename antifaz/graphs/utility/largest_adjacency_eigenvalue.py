"""Largest adjacency eigenvalue: how easily something spreads along the edges.

Chakrabarti, Wang, Wang, Leskovec and Faloutsos, "Epidemic Thresholds in Real Networks", ACM TISSEC 2008; as a measure
of what randomization keeps, Ying and Wu, "Randomizing Social Networks: a Spectrum Preserving Approach", SDM 2008.

Of the symmetric 0/1 matrix, directions ignored. The error is the distance from the value within which an eigenvalue
certainly lies.

Guarantees: none, it measures.
Cost: O(m) for each of at most 1,440 steps; usually a few dozen.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.spectrum import adjacency, largest_eigenvalue
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch, within


class LargestAdjacencyEigenvalue(GraphUtility):
    """The largest eigenvalue of the adjacency matrix, before and after."""

    name: Literal["largest_adjacency_eigenvalue"] = "largest_adjacency_eigenvalue"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the largest eigenvalues of both graphs."""
        watch(0.0)
        before = graph.found.once(
            "largest eigenvalue", lambda: largest_eigenvalue(adjacency(graph), rng, within(watch, 0.0, 0.5))
        )
        after = largest_eigenvalue(adjacency(released.graph), rng, within(watch, 0.5, 1.0))
        return as_loss(before.value, after.value) | {
            "error": {"original": before.residual, "released": after.residual},
        }
