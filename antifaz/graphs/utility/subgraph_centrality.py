"""Subgraph centrality: the number of closed walks that a node takes part in, with most weight on short ones.

Estrada and Rodríguez-Velázquez, "Subgraph centrality in complex networks", Physical Review E 2005; estimated after
Ubaru, Chen and Saad, "Fast Estimation of tr(f(A)) via Stochastic Lanczos Quadrature", 2017.

The logarithm of the mean over the nodes of the diagonal of exp(A), which is the Estrada index divided by n; directions
are ignored, and the logarithm is used because walks grow exponentially. Exact in small graphs; otherwise the largest
eigenvalue's share is computed and the rest estimated from random vectors, with the standard error.

Guarantees: none, it measures.
Cost: O(n^3) up to 600 nodes, beyond O(24·probes·(m + 24·n)).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.spectrum import adjacency, log_mean_exponential
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch, within


class SubgraphCentrality(GraphUtility):
    """Logarithm of the mean subgraph centrality, before and after."""

    default: ClassVar[bool] = False

    name: Literal["subgraph_centrality"] = "subgraph_centrality"
    probes: int = Field(default=20, ge=2, le=1000)
    """Number of random vectors from which a large graph's value is estimated."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the mean subgraph centrality of both graphs."""
        watch(0.0)
        before, error_before = graph.found.once(
            ("log mean exponential", self.probes),
            lambda: log_mean_exponential(adjacency(graph), self.probes, rng, within(watch, 0.0, 0.5)),
        )
        after, error_after = log_mean_exponential(adjacency(released.graph), self.probes, rng, within(watch, 0.5, 1.0))
        return as_loss(before, after) | {
            "exact": not (error_before or error_after),
            "standard_error": {"original": error_before, "released": error_after},
        }
