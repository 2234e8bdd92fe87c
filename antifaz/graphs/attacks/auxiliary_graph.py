"""Auxiliary graph: an attacker who has another graph of the same people, not the original, searches for them.

Narayanan and Shmatikov, "De-anonymizing Social Networks", IEEE Symposium on Security and Privacy 2009.

The attacker's graph has a random share of the original's edges and, instead of the lost ones, the same number of random
edges, as the graph of another service over the same people might. Knowing where some people of high degree are in the
release, the attacker continues from them to those who share most neighbors.

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


class AuxiliaryGraph(GraphAttack):
    """Re-identify nodes from a few known ones, along the edges of a graph that overlaps with the original."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "a similar graph of the same people, and some of them in the release"
    learns: ClassVar[str] = "which nodes are the other people"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows {known_people} people in it and has a similar graph of the same people",
        "finds {} others",
    )

    name: Literal["auxiliary_graph"] = "auxiliary_graph"
    overlap: float = Field(default=0.8, gt=0, le=1)
    """Share of the original's edges that the attacker's graph has."""
    known: int = Field(default=50, ge=1, le=10_000)
    """Number of people that the attacker knows in the release; at most one in ten."""
    eccentricity: float = Field(default=0.5, ge=0, le=10)
    """Standard deviations by which the best candidate must be ahead of the second."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Propagate from random seeds along the edges of another graph."""
        watch(0.0)
        known = _overlapping(graph, self.overlap, rng)
        found = attack_from_seeds(known, released, self.known, self.eccentricity, rng, watch)
        return found | {"overlap": self.overlap}


def _overlapping(graph: Graph, overlap: float, rng: np.random.Generator) -> Graph:
    """A random share of the edges, and as many made-up ones as are missing."""
    kept = rng.random(graph.m) < overlap
    made_up = rng.integers(0, max(1, graph.n), (2, int((~kept).sum())))
    sources = np.concatenate([graph.sources[kept], made_up[0]])
    targets = np.concatenate([graph.targets[kept], made_up[1]])
    return Graph.from_pairs(graph.n, sources, targets, graph.directed)
