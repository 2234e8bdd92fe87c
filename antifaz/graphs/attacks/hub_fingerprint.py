"""Hub fingerprint: an attacker who knows people's distances from the best connected ones searches for them.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (hub fingerprint queries).

Hubs, the nodes of highest degree, are hard to hide: the attacker is assumed to know where they are in the release. For
each target the attacker knows the distance to every hub within reach, takes the released nodes with the same distances
as candidates and guesses one. Directions are ignored; hubs are not targets.

Guarantees: none, it measures.
Cost: O(n + m) for each hub.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import chances, guess, mean
from antifaz.graphs.parts import GraphAttack
from antifaz.graphs.structure.refinement import Signatures, mixed
from antifaz.kernels.graphs.paths import distances_to
from antifaz.part import Question, Story
from antifaz.watch import Watch, within


class HubFingerprint(GraphAttack):
    """Re-identify nodes by their distances to the nodes of highest degree."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "which nodes are the best connected people, and how far others are from them"
    learns: ClassVar[str] = "which nodes are the others"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows how far people are from the {hubs} best connected ones",
        "finds {} people",
    )

    name: Literal["hub_fingerprint"] = "hub_fingerprint"
    hubs: int = Field(default=5, ge=1, le=100)
    """Number of nodes of highest degree that the attacker recognizes."""
    reach: int = Field(default=3, ge=1, le=50)
    """Largest distance to a hub that the attacker knows."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Mean and largest probability of guessing a node correctly."""
        watch(0.0)
        real = np.flatnonzero(released.origin >= 0)
        present = distinct(released.origin[real])
        hubs = present[np.argsort(-graph.degrees[present], kind="stable")][: self.hubs]
        home = np.full(graph.n, -1, dtype=np.int64)
        home[released.origin[real]] = real
        known = _fingerprints(graph, hubs, self.reach, within(watch, 0.0, 0.5))
        seen = _fingerprints(released.graph, home[hubs], self.reach, within(watch, 0.5, 1.0))
        found = np.delete(chances(known, seen, released), hubs)
        return {
            "rate": mean(found),
            "highest": float(found.max(initial=0.0)),
            "baseline": guess(released),
            "hubs": len(hubs),
            "targets": len(found),
        }


def _fingerprints(graph: Graph, hubs: NDArray[np.int64], reach: int, watch: Watch) -> Signatures:
    """One number for the distances of every node to the hubs; distances beyond reach are all the same."""
    offsets, neighbors = graph.neighbors
    numbers = np.zeros(graph.n, dtype=np.uint64)
    for place, hub in enumerate(hubs):
        watch(place / len(hubs))
        distance = distances_to(offsets, neighbors, np.array([hub], dtype=np.int64))
        within_reach = (distance >= 0) & (distance <= reach)
        numbers = mixed(numbers + np.where(within_reach, distance + 1, 0).astype(np.uint64))
    return numbers
