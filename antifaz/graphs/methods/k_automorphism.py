"""k-automorphism: align nodes in rows of k, and add and remove edges until shifting the rows changes nothing.

Zou, Chen and Özsu, "K-Automorphism: A General Framework for Privacy Preserving Network Publication", VLDB 2009.

Every node gets a cell in a table with k columns. An edge and its copies one, two, … columns further belong together:
if the graph has all of them or none, the shifts by 1 … k - 1 columns are automorphisms. `copied` completes every set of
copies that has an edge, as published. `balanced` completes those that lack the least until there are as many edges as
before and removes the edges of the others, which takes fewer edits in all and keeps the density. The number of edits
depends on the alignment: it starts from nodes that look alike and is improved by exchanging nodes. If k does not divide
the number of nodes, made-up nodes fill the table, or nodes with few edges lose these.

Guarantees: k_automorphism, and with it k_degree_anonymity, k_candidate_anonymity of every query and (undirected)
k_neighborhood_anonymity of every radius. Made-up nodes count among the k; no row has two if there are enough rows.
Nothing against an attacker who knows who some of the nodes are, or who distinguishes copied edges from real ones.
Preserves: `balanced`, about the number of edges; `copied`, every edge (except those of nodes that are set apart).
Cost: steps of the search by effort (about 0.5, 8 and 70 seconds), then O(k·m log m).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from antifaz.errors import BrokenGuarantee
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies.alignment import align_nodes
from antifaz.graphs.targets import changes, largest_k
from antifaz.part import Examples
from antifaz.watch import Watch, within


class KAutomorphism(GraphMethod):
    """Edit edges along an alignment of the nodes until symmetries make each node like k - 1 others."""

    gives: ClassVar[tuple[str, ...]] = (
        "k_automorphism",
        "k_degree_anonymity",
        "k_candidate_anonymity",
        "k_neighborhood_anonymity",
    )
    leaves: ClassVar[str] = "Symmetry protects a node as long as the attacker does not know who its neighbors are."

    examples: ClassVar[Examples] = ({}, {"closure": "copied", "remainder": "isolated"})
    name: Literal["k_automorphism"] = "k_automorphism"
    closure: Literal["balanced", "copied"] = "balanced"
    """How symmetry is reached: edges are added and removed so that their number is kept, or edges are added only."""
    remainder: Literal["made_up", "isolated"] = "made_up"
    """What to do if k does not divide the number of nodes: made-up nodes, fewer than k, fill the table; or the nodes
    with the fewest edges, fewer than 2 k, lose these and become isolated."""
    effort: Literal["fast", "normal", "high"] = "normal"
    """How long to search for fewer edits, as a number of elementary steps (about 0.5, 8 and 70 seconds)."""

    def makes_nodes(self) -> bool:
        """Whether the table is filled with made-up nodes."""
        return self.remainder == "made_up"

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Align the nodes and copy the edges, for the largest k requested."""
        k = largest_k(self, guarantees, graph)
        watch(0.0)
        alignment = align_nodes(graph, k, self.remainder, self.effort, rng, within(watch, 0.0, 0.9))
        protected = alignment.close(graph, self.closure, rng, within(watch, 0.9, 0.95))
        functions = alignment.functions()
        if not KAutomorphic(k=k).shown_by(protected, functions, within(watch, 0.95, 1.0)):
            raise BrokenGuarantee("k_automorphism returned functions that are no automorphisms")
        origin = np.arange(protected.n, dtype=np.int64)
        origin[graph.n :] = -1
        account = {**changes(graph, protected), "nodes_isolated": len(alignment.apart)}
        account["search_stopped_early"] = alignment.stopped
        watch(1.0)
        return ProtectedGraph(protected, origin, account, witness=functions)
