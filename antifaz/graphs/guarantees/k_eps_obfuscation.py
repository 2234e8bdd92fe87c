"""(k, ε)-obfuscation: for all but a share ε of nodes, knowing the degree leaves as much doubt as among k nodes.

Boldi, Bonchi, Gionis and Tassa, "Injecting Uncertainty in Graphs for Identity Obfuscation", PVLDB 5(11), 2012.

In an uncertain graph each node has a degree with some probability. An attacker who knows the original degree of a
person weights the nodes by these; a node is k-obfuscated if the entropy of the weights is at least log2(k). It is a
mean over the nodes: single ones may be much likelier than 1 / k. An ordinary graph is one whose edges are all certain.

Guarantees: an entropy of log2(k) bits for (1 - ε)·n nodes; nothing against an attacker who knows more than degrees.
Cost: O(Σ pairs of a node² + n·number of degrees).
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.graphs.forms.uncertain import Uncertain, allowed_short, entropies, excess
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.part import Examples


class KEpsObfuscation(GraphGuarantee):
    """For all nodes but a share epsilon, the original degree leaves the attacker in doubt as if among k nodes."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    assumes: ClassVar[str] = "The attacker knows the original degree of a node and nothing else about the graph."
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes+sealed_map"
    examples: ClassVar[Examples] = ({"k": 10, "epsilon": 0.05},)

    model: Literal["k_eps_obfuscation"] = "k_eps_obfuscation"
    k: int = Field(ge=2)
    """Number of equally likely nodes whose entropy the attacker's doubt must reach."""
    epsilon: float = Field(ge=0, lt=1)
    """The largest share of nodes that need not be obfuscated."""

    def can_fail(self) -> bool:
        """If most nodes are left out it guarantees nothing: a target more likely than not is one of them."""
        return self.epsilon <= 0.5

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph, and one with fewer than k nodes."""
        if graph.directed:
            raise InvalidDataset("directed", "k_eps_obfuscation is defined for undirected graphs only")
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether an ordinary graph has it, if the attacker knows its own degrees."""
        return self._obfuscated(Uncertain(graph, np.ones(graph.m)), graph.degrees)

    def holds_in(self, released: ProtectedGraph, original: Graph) -> bool:
        """Whether an uncertain release has it against an attacker who knows the original's degrees."""
        likely = next(column.values for column in released.edge_columns if column.name == "probability")
        return self._obfuscated(Uncertain(released.graph, likely), original.degrees[released.origin])

    def _obfuscated(self, uncertain: Uncertain, degrees: np.typing.NDArray[np.int64]) -> bool:
        bits = np.sort(entropies(uncertain, degrees))
        return not len(bits) or excess(bits[allowed_short(self.epsilon, len(bits))], self.k) >= 0.0
