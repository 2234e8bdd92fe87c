"""k-degree anonymity: every degree that occurs, occurs at least k times.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008.

An attacker who knows how many contacts a person has finds at least k nodes with that degree. In a directed graph the
attacker knows both degrees, so the pair (in, out) has to occur k times. Nodes without edges are a degree class like any
other.

Guarantees: each candidate set of a degree query has k nodes or more; nothing against an attacker who knows more.
Cost: O(n + m).
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.part import Examples


class KDegreeAnonymity(GraphGuarantee):
    """Every degree, or pair of in- and out-degree, is shared by at least k nodes."""

    assumes: ClassVar[str] = "The attacker knows the degree of a node (both degrees in a directed graph), nothing else."
    examples: ClassVar[Examples] = ({"k": 3},)

    model: Literal["k_degree_anonymity"] = "k_degree_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes that may share a degree."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph with fewer than k nodes."""
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether every degree class of the graph has k nodes or more."""
        return graph.n == 0 or int(degree_classes(graph)[1].min()) >= self.k


def degree_classes(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The class number of every node, and the size of every class."""
    if not graph.directed:
        knowledge = graph.degrees
    else:
        knowledge = graph.out_degrees * np.int64(graph.n + 1) + graph.in_degrees
    _, members, sizes = np.unique(knowledge, return_inverse=True, return_counts=True)
    return members.astype(np.int64), sizes.astype(np.int64)
