"""DeltaCon: how similarly nodes influence one another in both graphs.

Koutra, Vogelstein and Faloutsos, "DeltaCon: A Principled Massive-Graph Similarity Function", SDM 2013.

The affinity of two nodes adds up the walks between them, longer ones counting less: S = [I + e²D - eA]^-1. The nodes
are put into g random groups, and each node's affinity to every group is compared: d is the root Euclidean distance
over all of them, and the value 1 / (1 + d), which is 1 for equal graphs. The result depends on g, and values with
different g must not be compared; g stands in the result. Directions are ignored, e is one over one plus the largest
degree of either graph, and nodes that a method made up are taken for nodes without edges in the original.

Guarantees: none, it measures.
Cost: O(g·m) for each of at most 100 steps; usually about ten.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import sparse

from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

STEPS = 100
"""Conjugate gradients at most; dense regular graphs need most of them."""
SETTLED = 1e-9
"""Residuals below this end the iteration."""


class Deltacon(GraphUtility):
    """Similarity of the nodes' affinities to random groups of nodes."""

    name: Literal["deltacon"] = "deltacon"
    groups: int = Field(default=10, ge=1, le=200)
    """Into how many random groups the nodes are put; only values with the same number compare."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the affinities in both graphs."""
        watch(0.0)
        before, after = _over_the_same_nodes(graph, released)
        membership = np.zeros((before.n, self.groups))
        membership[np.arange(before.n), rng.integers(0, self.groups, before.n)] = 1.0
        closeness = 1.0 / (1.0 + max(_largest_degree(before), _largest_degree(after)))
        one = affinities(adjacency(before), membership, closeness)
        watch(0.5)
        other = affinities(adjacency(after), membership, closeness)
        apart = float(np.sqrt(((np.sqrt(one) - np.sqrt(other)) ** 2).sum()))
        return {"value": 1.0 / (1.0 + apart), "distance": apart, "groups": self.groups, "directions": "ignored"}


def affinities(matrix: sparse.csr_array, membership: NDArray[np.float64], closeness: float) -> NDArray[np.float64]:
    """Each node's affinity to every group: [I + e²D - eA]^-1 times the membership, by conjugate gradients.

    Rounding can take an affinity below zero, of which no root is taken: it counts as 0.
    """
    diagonal = 1.0 + closeness**2 * np.asarray(matrix.sum(axis=1)).ravel()[:, None]
    found = np.zeros_like(membership)
    rest, direction = membership.copy(), membership.copy()
    squares = (rest**2).sum(axis=0)
    for _ in range(STEPS):
        if squares.max(initial=0.0) <= SETTLED**2 * max(1, len(membership)):
            break
        image = diagonal * direction - closeness * (matrix @ direction)
        lengths = squares / np.maximum((direction * image).sum(axis=0), 1e-300)
        found += lengths * direction
        rest -= lengths * image
        before, squares = squares, (rest**2).sum(axis=0)
        direction = rest + squares / np.maximum(before, 1e-300) * direction
    return np.maximum(found, 0.0)


def _over_the_same_nodes(graph: Graph, released: ProtectedGraph) -> tuple[Graph, Graph]:
    """Both graphs over the original nodes and those that were made up."""
    made_up = np.flatnonzero(released.origin < 0)
    n = graph.n + len(made_up)
    place = released.origin.copy()
    place[made_up] = graph.n + np.arange(len(made_up))
    before = Graph.from_pairs(n, graph.sources, graph.targets)
    after = Graph.from_pairs(n, place[released.graph.sources], place[released.graph.targets])
    return before, after


def _largest_degree(graph: Graph) -> int:
    return int(graph.degrees.max(initial=0))
