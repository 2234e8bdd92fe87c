"""Neighborhood twins: every node has at least k - 1 others with exactly the same neighbors.

Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012;
Stokes, "Graph k-Anonymity through k-Means and as Modular Decomposition", NordSec 2013.

The adjacency matrix is read as a table in which every row occurs k times; in a directed graph rows and columns
together. Twins are never joined to each other. It is the strongest of the structural guarantees: degrees, refinement,
isomorphic neighborhoods and automorphisms follow from it. It is demanding: a node's neighbors come in sets of k, so
a node has no neighbors or at least k, and at least k nodes that it is not joined to; 0 or at least k nodes have no
neighbors.

Guarantees: an attacker who knows all neighbors of a node still finds k nodes; nothing about what these have in common,
nor about which nodes are joined: that is certain.
Cost: O(n + m).
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.kernels.numba.lists import number_lists
from antifaz.part import Examples


class NeighborhoodTwins(GraphGuarantee):
    """Every node's neighbors are exactly the neighbors of at least k nodes."""

    assumes: ClassVar[str] = "The attacker knows all neighbors of a node, and anything else about the structure."
    examples: ClassVar[Examples] = ({"k": 3},)

    model: Literal["neighborhood_twins"] = "neighborhood_twins"
    k: int = Field(ge=2)
    """The smallest number of nodes that may have the same neighbors."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph with fewer than k nodes."""
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether k nodes or more share every set of neighbors."""
        if graph.n == 0:
            return True
        return self._can_hold(graph) and int(np.bincount(twin_classes(graph)).min()) >= self.k

    def _can_hold(self, graph: Graph) -> bool:
        """Whether the degrees allow it: none, or from k to n - k, in each direction."""
        degrees = [graph.out_degrees, graph.in_degrees] if graph.directed else [graph.degrees]
        return all(bool(((d == 0) | ((d >= self.k) & (d <= graph.n - self.k))).all()) for d in degrees)


def twin_classes(graph: Graph) -> NDArray[np.int64]:
    """For every node the number of its set of neighbors (of both sets in a directed graph)."""
    if not graph.directed:
        offsets, neighbors = graph.neighbors
        return np.asarray(number_lists(offsets, neighbors)[0], dtype=np.int64)
    leaving = _row_numbers(graph.n, graph.sources, graph.targets)
    arriving = _row_numbers(graph.n, graph.targets, graph.sources)
    classes = np.unique(leaving * np.int64(graph.n) + arriving, return_inverse=True)[1]
    return np.asarray(classes, dtype=np.int64)


def _row_numbers(n: int, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.lexsort((others, rows))
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(rows, minlength=n))])
    return np.asarray(number_lists(offsets, others[order].astype(np.int32))[0], dtype=np.int64)
