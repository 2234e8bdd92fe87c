"""Vertex refinement: how many nodes look alike to an attacker who knows a node's surroundings to some depth.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (queries H0 to H4).

H0 knows nothing, H1 the degree, H2 the neighbors' degrees, and so on. For every query: the share of nodes whose
candidate set has one node, 2 to 4, 5 to 10, 11 to 20 and more, and the size of the smallest set. Shares of
the original that represent fewer than ten nodes are withheld.

Guarantees: none, it measures.
Cost: O(n + m) for each query.
"""

from typing import Any, Literal

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import class_sizes, shares, smallest, withheld_shares
from antifaz.graphs.parts import GraphRisk
from antifaz.graphs.structure.refinement import refine


class VertexRefinement(GraphRisk):
    """Sizes of candidate sets under the vertex refinement queries H0 to H4."""

    name: Literal["vertex_refinement"] = "vertex_refinement"

    def before(self, graph: Graph) -> dict[str, Any]:
        """The risk of the original under new node numbers; small shares are withheld."""
        sizes = [class_sizes(signatures) for signatures in refine(graph)]
        return {f"H{depth}": {"k": smallest(each), "shares": withheld_shares(each)} for depth, each in enumerate(sizes)}

    def after(self, released: ProtectedGraph) -> dict[str, Any]:
        """The same for the release, in full."""
        sizes = [class_sizes(signatures) for signatures in refine(released.graph)]
        return {f"H{depth}": {"k": smallest(each), "shares": shares(each)} for depth, each in enumerate(sizes)}
