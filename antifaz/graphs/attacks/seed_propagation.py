"""Seed propagation: an attacker who has the original graph and a few people in the release finds the others.

Narayanan and Shmatikov, "De-anonymizing Social Networks", IEEE Symposium on Security and Privacy 2009.

The attacker knows every edge of the original and where some people of high degree are in the release, and continues
from them to those who share most neighbors. The rate is the share of other people found correctly; ``wrong`` is the
share found wrongly. Directions are used if the graph has them.

Guarantees: none, it measures.
Cost: O(sum of squared degrees) for each of at most 30 rounds, and at most 2·10^8 steps in all.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.propagation import attack_from_seeds
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch


class SeedPropagation(GraphAttack):
    """Re-identify nodes from a few known ones, along the edges of the original."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "every edge of the original, and some of its people in the release"
    learns: ClassVar[str] = "which nodes are the other people"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows {known_people} people in it and the original's shape",
        "finds {} others",
    )

    name: Literal["seed_propagation"] = "seed_propagation"
    known: int = Field(default=50, ge=1, le=10_000)
    """Number of people that the attacker knows in the release; at most one in ten."""
    eccentricity: float = Field(default=0.5, ge=0, le=10)
    """Standard deviations by which the best candidate must be ahead of the second."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Propagate from random seeds."""
        watch(0.0)
        return attack_from_seeds(graph, released, self.known, self.eccentricity, rng, watch)
