"""Neighborhood twins: put nodes into blocks, and give the nodes of a block exactly the same neighbors.

Stokes, "Graph k-Anonymity through k-Means and as Modular Decomposition", NordSec 2013; Stokes and Torra,
"Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012.

Rows of the adjacency matrix are grouped into blocks of k or more that differ little, as microaggregation groups
records. Edges inside a block are removed. Any two blocks are joined completely or not at all: the densest pairs until
there are as many edges as before (`balanced`), or those joined by more than half of all possible edges (`majority`: the
fewest edits, but little is left of a sparse graph). In a directed graph each direction between two blocks is a separate
pair.

Guarantees: neighborhood_twins, and with it k_automorphism (the nodes of a block are interchangeable),
k_degree_anonymity, k_candidate_anonymity, k_neighborhood_anonymity and kl_anonymity, the last two if they are
defined. Nothing about who is joined to whom: between two blocks that is certain.
Preserves: the number of nodes and, balanced, about the number of edges.
Cost: O(sum of squared degrees + edges of the result).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from antifaz.errors import BrokenGuarantee, Infeasible, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.guarantees.kl_anonymity import KlAnonymity
from antifaz.graphs.guarantees.neighborhood_twins import NeighborhoodTwins
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies.blocks import blow_up, form_blocks
from antifaz.graphs.targets import changes, largest_k
from antifaz.part import Examples
from antifaz.watch import Watch, within


class TwinBlocks(GraphMethod):
    """Give every node exactly the neighbors of k - 1 other nodes."""

    gives: ClassVar[tuple[str, ...]] = (
        "neighborhood_twins",
        "k_automorphism",
        "k_degree_anonymity",
        "k_candidate_anonymity",
        "k_neighborhood_anonymity",
        "kl_anonymity",
    )
    leaves: ClassVar[str] = "The release shows with certainty whether the nodes of two blocks of twins are joined."

    examples: ClassVar[Examples] = ({}, {"quotient": "majority"})
    name: Literal["neighborhood_twins"] = "neighborhood_twins"
    quotient: Literal["balanced", "majority"] = "balanced"
    """Which blocks are joined: the densest pairs until the number of edges is kept, or those with more than half of
    their edges."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Form blocks for the largest k requested, and join them."""
        degree = _least_degree(guarantees)
        k = largest_k(self, guarantees, graph, groups=2 if graph.m or degree else 1)
        watch(0.0)
        blocks = form_blocks(graph, k)
        watch(0.5)
        protected = blow_up(graph, blocks, self.quotient, rng, degree=degree)
        functions = blocks.rotations(k)
        watch(0.9)
        proof = within(watch, 0.9, 1.0)
        if not (NeighborhoodTwins(k=k).holds(protected) and KAutomorphic(k=k).shown_by(protected, functions, proof)):
            raise BrokenGuarantee("neighborhood_twins returned nodes with fewer than k - 1 twins")
        _refuse_small_degrees(protected, degree)
        account = {**changes(graph, protected), "blocks": len(blocks.sizes)}
        watch(1.0)
        return ProtectedGraph(protected, np.arange(graph.n, dtype=np.int64), account, witness=functions)


def _least_degree(guarantees: Sequence[GraphGuarantee]) -> int:
    """The fewest neighbors that every node must have for (k, l)-anonymity by neighbors."""
    asked = [each.l for each in guarantees if isinstance(each, KlAnonymity) and each.definition == "neighbors"]
    return max(asked, default=0)


def _refuse_small_degrees(protected: Graph, degree: int) -> None:
    fewest = int(protected.degrees.min(initial=degree))
    if fewest < degree:
        reason = Reason("kl_anonymity", limit=degree, measured=fewest, detail="a node cannot have l neighbors")
        raise Infeasible([reason], nearest={"l": float(fewest)} if fewest else None)
