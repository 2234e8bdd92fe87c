"""Vertex refinement: an attacker who knows people's surroundings to some depth searches for them in the release.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (queries H1 to H4).

The attacker knows the answer to a query about every original node, takes the released nodes with the same answer as
candidates and guesses one of them. Deeper knowledge finds more in an unchanged graph and misleads more in a changed
one; the rate is that of the most successful query.

Guarantees: none, it measures.
Cost: O((n + m) log n) for each query.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import chances, guess, mean
from antifaz.graphs.parts import GraphAttack
from antifaz.graphs.structure.refinement import refine
from antifaz.part import Question, Story
from antifaz.watch import Watch


class VertexRefinement(GraphAttack):
    """Re-identify nodes by the vertex refinement queries H1 to H4."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how many contacts each person has, and those around them"
    learns: ClassVar[str] = "which node is whom"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows the numbers of contacts around everyone",
        "finds {} people",
    )

    name: Literal["vertex_refinement"] = "vertex_refinement"

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Mean probability of guessing a node correctly, by query."""
        watch(0.0)
        known = refine(graph)
        watch(0.5)
        seen = refine(released.graph)
        found = {f"H{depth}": chances(known[depth], seen[depth], released) for depth in range(1, len(known))}
        best = max(found, key=lambda query: mean(found[query]))
        return {
            "rate": mean(found[best]),
            "highest": float(found[best].max(initial=0.0)),
            "baseline": guess(released),
            "query": best,
            "by_query": {query: mean(each) for query, each in found.items()},
            "targets": graph.n,
        }
