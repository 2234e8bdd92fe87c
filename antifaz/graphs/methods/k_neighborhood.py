"""k-neighborhood: add and remove edges until every node's surroundings are isomorphic to those of k - 1 others.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008.

Nodes whose neighborhoods fewer than k nodes have are put into groups of k that look alike, and the edges of their
neighborhoods are edited until these are isomorphic. Nodes that become rare by that are treated in the same way, in a
bounded number of rounds. The groups are rows of one alignment of the nodes, so the edits for one group never break
another. If rounds run out, if it takes fewer edits, and for a radius above 1, all nodes are aligned: the graph is then
k-automorphic, and the account reports it. The paper only adds edges (`copied`); removing the edges that fit worst as
well takes fewer edits and keeps the density (`balanced`). If the guarantee compares labels, all nodes are aligned, and
the quasi-identifiers of the nodes of a row are generalized together, as in the paper: the isomorphisms send every node
to one of its row. Otherwise attributes of nodes are protected by their own method.

Guarantees: k_neighborhood_anonymity (with labels if it compares them) and with it k_degree_anonymity, by construction;
unchanged neighborhoods are compared exactly. Nothing against an attacker who sees further than the radius or knows who
some nodes are.
Preserves: the number of nodes; `balanced`, about the number of edges.
Cost: the search of an alignment by effort, and at most 20 rounds of O(sum of squared degrees).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_neighborhood_anonymity import KNeighborhoodAnonymity, labels_of
from antifaz.graphs.knowledge.candidates import withheld
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies.surroundings import align_all_nodes, align_rare
from antifaz.graphs.targets import changes, largest_k
from antifaz.part import Examples
from antifaz.watch import Watch


class KNeighborhood(GraphMethod):
    """Edit edges until every node's neighborhood is isomorphic to those of k - 1 other nodes."""

    gives: ClassVar[tuple[str, ...]] = ("k_neighborhood_anonymity", "k_degree_anonymity")
    leaves: ClassVar[str] = (
        "Isomorphic neighborhoods do not protect against an attacker who sees further, knows who some nodes are, or "
        "knows attributes of neighbors, unless the guarantee compares labels."
    )
    aligns_labels: ClassVar[bool] = True

    examples: ClassVar[Examples] = ({}, {"closure": "copied"})
    name: Literal["k_neighborhood"] = "k_neighborhood"
    closure: Literal["balanced", "copied"] = "balanced"
    """How neighborhoods become isomorphic: edges are added and removed so that their number is kept, or only added."""
    effort: Literal["fast", "normal", "high"] = "normal"
    """How long to search for fewer edits, as a number of elementary steps (about 1, 10 and 70 seconds)."""

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph."""
        if graph.directed:
            raise InvalidDataset("directed", "k-neighborhood anonymity is defined for undirected graphs")

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Align rare nodes for the largest k requested, or all nodes if the radius requires it."""
        self.admit(graph)
        k = largest_k(self, guarantees, graph)
        watch(0.0)
        asked = [each for each in guarantees if isinstance(each, KNeighborhoodAnonymity)]
        labeled = any(each.labels == "compared" for each in asked) and labels_of(graph) is not None
        rare_alone = not labeled and all(each.radius == 1 for each in asked)
        way = align_rare if rare_alone else align_all_nodes
        made = way(graph, k, self.closure, self.effort, rng, watch)
        account = {
            **changes(graph, made.graph),
            "rounds": made.rounds,
            "nodes_aligned": withheld(made.aligned),
            "all_nodes_aligned": made.all_nodes,
            "search_stopped_early": made.stopped,
        }
        watch(1.0)
        origin = np.arange(graph.n, dtype=np.int64)
        return ProtectedGraph(made.graph, origin, account, classes=made.classes if labeled else None)
