"""Supernode size: nodes are released in supernodes of at least k, and nothing distinguishes the members of one.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

The release shows the number of nodes of a supernode, the number of edges inside it and the number of edges to each
other one. Whatever an attacker knows of the structure around a person, all members of a supernode fit it equally well.
The members of a supernode may be known, though, and what all of them share: if it is joined completely, every edge.

Guarantees: each candidate set of a structural query has k nodes or more; nothing about edges between supernodes.
Cost: O(number of supernodes).
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.part import Examples


class SupernodeSize(GraphGuarantee):
    """Nodes are released in supernodes of at least k, of which only sizes and numbers of edges are shown."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    assumes: ClassVar[str] = (
        "The attacker knows any structure around a node and asks which node it is; anything true of all members of a "
        "supernode is disclosed."
    )
    examples: ClassVar[Examples] = ({"k": 5},)

    model: Literal["supernode_size"] = "supernode_size"
    k: int = Field(ge=2)
    """The smallest number of nodes that a supernode may have."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph with fewer than k nodes."""
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether an ordinary graph has it: its nodes are supernodes of one, so only the empty graph does."""
        return graph.n == 0

    def holds_in(self, released: ProtectedGraph) -> bool:
        """Whether every supernode of a generalized release has k nodes or more."""
        sizes = next((column.values for column in released.node_columns if column.name == "size"), None)
        if sizes is None:
            return self.holds(released.graph)
        return bool((sizes >= self.k).all())
