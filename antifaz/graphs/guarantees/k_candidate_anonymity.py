"""k-candidate anonymity: at least k nodes share every answer to a vertex refinement query.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

The query H1 returns a node's degree; H2 returns the degrees of its neighbors, as a multiset; H3 and H4 return the
neighbors' answers to the previous query. In a directed graph there is one multiset for the nodes that a node points to
and one for those that point to it. A node's candidates are the nodes with the same answer.

Guarantees: each candidate set of the query, and of every query before it, has k nodes or more; nothing against an
attacker who knows how the neighbors are joined to one another, or who knows some of them.
Cost: O(n + m) for each step of the query.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.graphs.graph import Graph
from antifaz.graphs.knowledge.candidates import class_sizes
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.graphs.structure.refinement import refine
from antifaz.part import Examples


class KCandidateAnonymity(GraphGuarantee):
    """Every answer to a vertex refinement query is shared by at least k nodes."""

    assumes: ClassVar[str] = "The attacker knows the degrees around a node, up to as many steps away as the query."
    examples: ClassVar[Examples] = ({"k": 3, "query": "H1"}, {"k": 3, "query": "H2"})

    model: Literal["k_candidate_anonymity"] = "k_candidate_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes that may share an answer."""
    query: Literal["H1", "H2", "H3", "H4"]
    """How far the attacker sees: H1 the degree, H2 the neighbors' degrees, H3 and H4 further steps of refinement."""

    def admit(self, graph: Graph) -> None:
        """Refuse a graph with fewer than k nodes."""
        refuse_few_nodes(self.k, graph.n)

    def holds(self, graph: Graph) -> bool:
        """Whether every candidate set of the query has k nodes or more."""
        depth = int(self.query[1])
        return graph.n == 0 or int(class_sizes(refine(graph, depth)[depth]).min()) >= self.k
