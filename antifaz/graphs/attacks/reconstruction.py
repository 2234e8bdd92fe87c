"""Reconstruction: an attacker filters the noise out of a perturbed graph.

Wu, Ying and Wu, "Reconstruction from Randomized Graph via Low Rank Approximation", SDM 2010.

Random additions and deletions hardly affect the leading eigenvectors. The attacker approximates the released adjacency
matrix by the eigenvalues of largest magnitude and takes its largest entries, as many as the release has edges, for the
original edges. The rate is the share of the original's edges found in this way; ``as_released`` is the share that the
release shows anyway: the attack succeeds if the rate is higher. Large graphs are attacked in random rows. Directions
are ignored.

Guarantees: none, it measures.
Cost: O(m·rank), and O(n·rank) for each row; at most 5·10^6 entries.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.analysis.spectrum import adjacency, leading_eigenpairs
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch

ENTRIES = 5_000_000
"""Entries of the approximation that are computed."""


class Reconstruction(GraphAttack):
    """Find original edges by a low-rank approximation of the released graph."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "which node is whom, and how many edges were changed"
    learns: ClassVar[str] = "which people are joined in the original"
    guesses: ClassVar[str] = "taking any pair of people for joined"
    knows_nodes: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who filters the noise out",
        "finds {} connections",
        "guessing finds {}",
    )

    name: Literal["reconstruction"] = "reconstruction"
    rank: int = Field(default=10, ge=1, le=100)
    """Number of eigenvalues in the approximation."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the largest entries of the approximation with the original."""
        watch(0.0)
        shown = released.graph
        values, vectors = leading_eigenpairs(adjacency(shown), self.rank, rng)
        watch(0.5)
        count = min(shown.n, max(1, ENTRIES // max(1, shown.n)))
        rows = np.sort(rng.choice(shown.n, count, replace=False)) if count < shown.n else np.arange(shown.n)
        given = adjacency(shown)[rows].toarray() > 0
        true = _true_rows(graph, released, rows)
        taken = _largest_entries((vectors[rows] * values) @ vectors.T, rows, int(given.sum()))
        edges = max(1, int(true.sum()))
        return {
            "rate": float((taken & true).sum()) / edges,
            "as_released": float((given & true).sum()) / edges,
            "baseline": float(given.mean()) if given.size else 0.0,
            "rank": len(values),
            "rows": len(rows),
        }


def _true_rows(graph: Graph, released: ProtectedGraph, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which released nodes are joined to the nodes of the given rows in the original."""
    real = np.flatnonzero(released.origin >= 0)
    true = np.zeros((len(rows), released.graph.n), dtype=np.bool_)
    within = np.flatnonzero(released.origin[rows] >= 0)
    matrix = adjacency(graph)[released.origin[rows[within]]][:, released.origin[real]].toarray() > 0
    true[np.ix_(within, real)] = matrix
    return true


def _largest_entries(scores: NDArray[np.float64], rows: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """The places of the given number of largest entries, without the diagonal."""
    scores[np.arange(len(rows)), rows] = -np.inf
    taken = np.zeros(scores.size, dtype=np.bool_)
    if count:
        taken[np.argpartition(scores.ravel(), scores.size - count)[scores.size - count :]] = True
    return taken.reshape(scores.shape)
