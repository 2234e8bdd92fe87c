"""Degree: an attacker who knows how many contacts each person had searches for them in the release.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

The attacker knows the original degree of every node (directed: both degrees), takes the nodes of the release with that
degree as candidates and guesses one of them. A changed degree misleads: the target may not be among its candidates.
The k that a thesis on perturbed graphs reports, the larger of the smallest degree classes of both graphs, is given
along with the strict k of the release; it is optimistic.

Guarantees: none, it measures.
Cost: O((n + m) log n).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import degree_classes
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch


class Degree(GraphAttack):
    """Re-identify nodes by their original degrees."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how many contacts each person has"
    learns: ClassVar[str] = "which node is whom"
    guesses: ClassVar[str] = "picking any released node"
    always: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who knows how many contacts everyone has",
        "finds {} people",
    )

    name: Literal["degree"] = "degree"

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Mean and largest probability of guessing a node correctly, compared with a guess among all nodes."""
        watch(0.0)
        chances = _chances(graph, released)
        strict = _smallest_class(released.graph)
        return {
            "rate": float(chances.mean()) if graph.n else 0.0,
            "highest": float(chances.max()) if graph.n else 0.0,
            "baseline": 1.0 / released.graph.n if released.graph.n else 0.0,
            "strict_k": strict,
            "thesis_k": max(strict, _smallest_class(graph)),
        }


def _chances(graph: Graph, released: ProtectedGraph) -> NDArray[np.float64]:
    """For every original node, the probability that a guess among its candidates finds it."""
    width = max(graph.n, released.graph.n) + 1
    known = _knowledge(graph, width)
    seen = _knowledge(released.graph, width)
    values, counts = np.unique(seen, return_counts=True)
    chances = np.zeros(graph.n)
    hits = np.flatnonzero(released.origin >= 0)
    hits = hits[seen[hits] == known[released.origin[hits]]]
    chances[released.origin[hits]] = 1.0 / counts[np.searchsorted(values, seen[hits])]
    return chances


def _knowledge(graph: Graph, width: int) -> NDArray[np.int64]:
    """The attacker's knowledge of each node, as one number: its degree, or both degrees."""
    if not graph.directed:
        return graph.degrees
    return graph.out_degrees * np.int64(width) + graph.in_degrees


def _smallest_class(graph: Graph) -> int:
    return int(degree_classes(graph)[1].min()) if graph.n else 0
