"""Naive: give the nodes random new numbers and change nothing else.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007, show how little this protects; Hay, Miklau, Jensen, Weis and Srivastava, "Anonymizing Social
Networks", University of Massachusetts, 2007, named it.

Every release of a graph is renumbered by a cryptographic permutation and its edges are written in the order of the new
numbers, so neither a number nor a position discloses anything about the original. This method does that alone, for
publishing the exact structure or for measuring the risk of doing so.

Guarantees: none. It does not protect against an attacker who knows something of a node's surroundings: its degree,
those of its neighbors, or a pattern planted beforehand.
Preserves: the structure, exactly.
Cost: O(1).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch


class Naive(Perturbation):
    """Replace the nodes' ids by random numbers and leave the structure unchanged."""

    leaves: ClassVar[str] = (
        "New numbers protect no one whose surroundings are known: degrees, neighbors and planted patterns stay."
    )

    name: Literal["naive"] = "naive"

    def waivers_needed(self) -> tuple[str, ...]:
        """Its own: a policy that uses it must give a reason."""
        return ("naive",)

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """The same edges."""
        return Graph(graph.n, graph.keys.copy(), graph.directed), {}
