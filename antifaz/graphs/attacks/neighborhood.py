"""Neighborhood: an attacker who knows how a person's contacts are joined searches for them in the release.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008.

The attacker knows the subgraph of each node's neighbors, takes the released nodes whose neighborhoods have the same
certificate of color refinement as candidates and guesses one of them. The certificate cannot distinguish all
neighborhoods that differ, so a patient attacker may do a little better.

Guarantees: none, it measures.
Cost: O(m^1.5) for each of at most three rounds, bounded by 4·10^8 steps per graph.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import chances, guess, mean
from antifaz.graphs.parts import GraphAttack
from antifaz.graphs.structure.neighborhoods import affordable_rounds, certify
from antifaz.part import Question, Story
from antifaz.watch import Watch, within


class Neighborhood(GraphAttack):
    """Re-identify nodes by the subgraphs of their neighbors."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how each person's contacts are joined with each other"
    learns: ClassVar[str] = "which node is whom"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows how everyone's contacts are connected",
        "finds {} people",
    )

    name: Literal["neighborhood"] = "neighborhood"

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Mean and largest probability of guessing a node correctly."""
        watch(0.0)
        rounds = affordable_rounds(graph, released.graph)
        known = certify(graph, rounds, within(watch, 0.0, 0.5)).numbers
        watch(0.5)
        seen = certify(released.graph, rounds, within(watch, 0.5, 1.0)).numbers
        found = chances(known, seen, released)
        return {
            "rate": mean(found),
            "highest": float(found.max(initial=0.0)),
            "baseline": guess(released),
            "rounds": rounds,
            "targets": graph.n,
        }
