"""k-automorphism: k - 1 symmetries of the graph send every node to k - 1 different other nodes.

Zou, Chen and Özsu, "K-Automorphism: A General Framework for Privacy Preserving Network Publication", VLDB 2009.

An automorphism is a renumbering of the nodes that keeps every edge. A graph is k-automorphic if it has automorphisms
F_1 … F_(k-1) with F_a(v) ≠ v and F_a(v) ≠ F_b(v) for every node v and all a ≠ b: whatever an attacker knows of the
structure around a node fits the k - 1 others just as well. No fast test of a graph alone is known, so the method keeps
the functions as a proof, and the verifier checks the release against them.

Guarantees: k nodes or more fit any structural query that names no other node; nothing against an attacker who knows who
some of the other nodes are.
Cost: O(k·(n + m log m)) to check the functions.
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph
from antifaz.graphs.knowledge.candidates import class_sizes
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.graphs.structure.refinement import refine
from antifaz.part import Examples
from antifaz.watch import Watch, unwatched

_DEPTH = 8


class KAutomorphic(GraphGuarantee):
    """Symmetries of the graph make every node indistinguishable from at least k - 1 others."""

    assumes: ClassVar[str] = "The attacker knows anything about the structure around a node, and no other node."
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes+sealed_map"
    examples: ClassVar[Examples] = ({"k": 3},)

    model: Literal["k_automorphism"] = "k_automorphism"
    k: int = Field(ge=2)
    """The smallest number of nodes that symmetries make alike."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph with fewer than k nodes."""
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether it is possible: refinement leaves k candidates. The proof is `shown_by`."""
        return graph.n == 0 or int(class_sizes(refine(graph, _DEPTH)[_DEPTH]).min()) >= self.k

    def shown_by(self, graph: Graph, functions: NDArray[np.int64], watch: Watch = unwatched) -> bool:
        """Whether the functions, one in each row, are k - 1 automorphisms that agree nowhere and fix no node."""
        if functions.shape[0] < self.k - 1 or functions.shape[1] != graph.n:
            return False
        images = np.sort(np.vstack([np.arange(graph.n), functions]), axis=0)
        if (images[1:] == images[:-1]).any() or (np.sort(functions, axis=1) != np.arange(graph.n)).any():
            return False
        for number, function in enumerate(functions):
            watch(number / len(functions))
            if not np.array_equal(graph.relabeled(function).keys, graph.keys):
                return False
        return True
