"""Neighborhood: how many nodes look alike to an attacker who knows how a node's neighbors are joined.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008.

The candidate set of a node is the set of nodes whose neighborhoods, the subgraphs of their neighbors, have the same
certificate of color refinement. Isomorphic neighborhoods always share a certificate: there may be more classes than are
counted, never fewer, and candidate sets may be smaller than reported (``bound``). Graphs with very many triangles are
refined less deeply. Shares of the original that represent fewer than ten nodes are withheld.

Guarantees: none, it measures.
Cost: O(m^1.5) for each of at most three rounds, bounded by 4·10^8 steps; without any round only degrees distinguish.
"""

from typing import Any, Literal

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import class_sizes, shares, smallest, withheld_shares
from antifaz.graphs.parts import GraphRisk
from antifaz.graphs.structure.neighborhoods import affordable_rounds, certify

BOUND = "there are at least as many classes as reported, and candidate sets are at most as large"


class Neighborhood(GraphRisk):
    """Sizes of candidate sets for an attacker who knows the subgraph of a node's neighbors."""

    name: Literal["neighborhood"] = "neighborhood"

    def before(self, graph: Graph) -> dict[str, Any]:
        """The risk of the original under new node numbers; small shares are withheld."""
        found = certify(graph, affordable_rounds(graph))
        sizes = class_sizes(found.numbers)
        return {
            "k": smallest(sizes),
            "shares": withheld_shares(sizes),
            "bound": BOUND,
        }

    def after(self, released: ProtectedGraph) -> dict[str, Any]:
        """The same for the release, in full."""
        found = certify(released.graph, affordable_rounds(released.graph))
        sizes = class_sizes(found.numbers)
        return {"k": smallest(sizes), "shares": shares(sizes), "bound": BOUND}
