"""Second smallest Laplacian eigenvalue: how hard the graph is to cut into two.

Fiedler, "Algebraic connectivity of graphs", Czechoslovak Mathematical Journal 1973; as a measure of what randomization
keeps, Ying and Wu, "Randomizing Social Networks: a Spectrum Preserving Approach", SDM 2008.

For the largest component, directions ignored, because that of a graph in pieces is 0. The error is the distance from
the value within which an eigenvalue certainly lies; a long chain in a large graph converges slowly, and then the result
reports it. Only in a report if requested.

Guarantees: none, it measures.
Cost: O(m) for each conjugate gradient; ten steps of inverse iteration take some hundreds of them, at most 180,000.
"""

from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.spectrum import largest_component, second_smallest_laplacian
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch, within


class SecondSmallestLaplacianEigenvalue(GraphUtility):
    """The algebraic connectivity of the largest component, before and after."""

    default: ClassVar[bool] = False

    name: Literal["second_smallest_laplacian_eigenvalue"] = "second_smallest_laplacian_eigenvalue"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the algebraic connectivity of both graphs."""
        watch(0.0)
        first = within(watch, 0.0, 0.5)
        before = graph.found.once("connectivity", partial(second_smallest_laplacian, graph, rng, first))
        after = second_smallest_laplacian(released.graph, rng, within(watch, 0.5, 1.0))
        return as_loss(before.value, after.value) | {
            "error": {"original": before.residual, "released": after.residual},
            "share_of_nodes": {"original": _share(graph), "released": _share(released.graph)},
        }


def _share(graph: Graph) -> float:
    """The share of nodes in the largest component."""
    return len(largest_component(graph)) / max(1, graph.n)
