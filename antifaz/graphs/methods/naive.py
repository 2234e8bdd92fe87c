"""Naive: the nodes get random new numbers and nothing else changes.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007, show how little this protects; Hay, Miklau, Jensen, Weis and Srivastava, "Anonymizing Social
Networks", University of Massachusetts, 2007, named it.

Every release of a graph is renumbered by a cryptographic permutation and its edges are written in the order of the new
numbers, so that neither a number nor a place tells anything of the original. This method does that alone, for those who
must publish the structure as it is, or want to measure what that risks.

Guarantees: none. It does not protect against anybody who knows something of a node's surroundings: its degree, those of
its neighbors, or a pattern planted beforehand.
Preserves: the structure, exactly.
Cost: O(1).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.edits.perturbation import Perturbation
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch


class Naive(Perturbation):
    """Replace the nodes' ids by random numbers and leave the structure as it is."""

    leaves: ClassVar[str] = (
        "New numbers protect nobody whose surroundings are known: degrees, neighbors and planted patterns stay."
    )

    name: Literal["naive"] = "naive"

    def waivers_needed(self) -> tuple[str, ...]:
        """Its own: whoever asks for it must say why."""
        return ("naive",)

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """The same edges."""
        return Graph(graph.n, graph.keys.copy(), graph.directed), {}
