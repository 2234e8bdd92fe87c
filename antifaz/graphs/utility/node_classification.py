"""Node classification: how well the labels of some nodes predict those of the others along the edges.

Zhu and Ghahramani, "Learning from Labeled and Unlabeled Data with Label Propagation", Carnegie Mellon University 2002.

The labels of some nodes are hidden, and the others spread along the edges: each node takes the mean of its neighbors'
labels, known labels do not change, and a hidden node gets its likeliest label. The accuracy on hidden nodes, the same
ones in both graphs, is averaged over several draws and reported with that of always guessing the most common label.
Labels are the values of an attribute, or its groups if it has very many values; labels of fewer than ten nodes are left
out, and released nodes have the labels of their originals. Directions are ignored. If nodes have no labels there is no
value.

Guarantees: none, it measures.
Cost: O(m·labels) for each of 30 steps, for each draw.
"""

from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.node_types import NodeTypes, node_types
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

STEPS = 30


class NodeClassification(GraphUtility):
    """Accuracy of labels found by label propagation, before and after."""

    default: ClassVar[bool] = False

    name: Literal["node_classification"] = "node_classification"
    attribute: str | None = Field(default=None, max_length=1000)
    """The attribute whose values are predicted; the first suitable one if omitted."""
    hidden: float = Field(default=0.5, gt=0, lt=1)
    """Share of the labels to hide."""
    draws: int = Field(default=5, ge=1, le=100)
    """Number of draws of hidden labels."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Predict the same hidden labels on both graphs."""
        watch(0.0)
        found = node_types(graph, self.attribute)
        if found is None:
            return {"value": None, "detail": "the nodes have no attribute with two labels of ten nodes"}
        matrices = _averaging(graph), _averaging(released.graph)
        rights = np.zeros((self.draws, 2))
        for draw in range(self.draws):
            watch(draw / self.draws)
            hidden = rng.random(graph.n) < self.hidden
            rights[draw] = self._accuracies(matrices, found, released, hidden)
        before, after = (float(right) for right in rights.mean(axis=0))
        errors = rights.std(axis=0, ddof=1) / np.sqrt(self.draws) if self.draws > 1 else np.zeros(2)
        counts = np.bincount(found.types[found.types >= 0])
        return as_loss(before, after) | {
            "standard_error": {"original": float(errors[0]), "released": float(errors[1])},
            "baseline": float(counts.max() / counts.sum()),
            "attribute": found.attribute,
            "labels": found.count,
        }

    def _accuracies(
        self,
        matrices: "tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]",
        found: NodeTypes,
        released: ProtectedGraph,
        hidden: NDArray[np.bool_],
    ) -> tuple[float, float]:
        """Share of hidden labels predicted correctly on either graph."""
        hidden_there = (released.origin >= 0) & hidden[released.origin]
        return (
            _accuracy(matrices[0], found.types, hidden, found.count),
            _accuracy(matrices[1], found.released(released), hidden_there, found.count),
        )


def _averaging(graph: Graph) -> "scipy.sparse.csr_array":
    """The matrix that gives every node the mean of its neighbors."""
    matrix = adjacency(graph)
    return scipy.sparse.diags_array(1.0 / np.maximum(np.diff(matrix.indptr), 1)).tocsr() @ matrix


def _accuracy(
    matrix: "scipy.sparse.csr_array", types: NDArray[np.int64], hidden: NDArray[np.bool_], count: int
) -> float:
    """The share of hidden nodes whose likeliest label is their own."""
    known = np.flatnonzero((types >= 0) & ~hidden)
    asked = np.flatnonzero((types >= 0) & hidden)
    if not len(known) or not len(asked):
        return 0.0
    given = np.zeros((len(types), count))
    given[known, types[known]] = 1.0
    spread = np.tile(given[known].mean(axis=0), (len(types), 1))
    spread[known] = given[known]
    for _ in range(STEPS):
        spread = matrix @ spread
        spread[known] = given[known]
    # A node that no label reaches gets the most common one.
    spread[spread.sum(axis=1) == 0] = given[known].mean(axis=0)
    return float((spread[asked].argmax(axis=1) == types[asked]).mean())
