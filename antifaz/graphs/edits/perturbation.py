"""Perturbation: shared code of the methods that change edges at random and guarantee nothing."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.structure.pairs import absent_count
from antifaz.watch import Watch


class Perturbation(GraphMethod):
    """A method that keeps the nodes, changes edges and gives no guarantee."""

    gives: ClassVar[tuple[str, ...]] = ()
    takes_directed: ClassVar[bool] = True
    """Whether the method is defined for directed graphs too."""

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph if the method is defined for undirected ones alone."""
        if graph.directed and not self.takes_directed:
            raise InvalidDataset("undirected_only", f"{self.wire_name()} is defined for undirected graphs alone")

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Perturb the graph; the account counts the edges added and removed."""
        if guarantees:
            raise InvalidPolicy("/guarantees", f"{self.wire_name()} gives no guarantee")
        self.admit(graph)
        watch(0.0)
        perturbed, account = self.perturb(graph, rng, watch)
        watch(1.0)
        kept = len(np.intersect1d(graph.keys, perturbed.keys, assume_unique=True))
        changes = {"edges_added": perturbed.m - kept, "edges_removed": graph.m - kept, "nodes_added": 0}
        account = account | self._shortfall(graph.m, graph.m - kept)
        watch(1.0)
        return ProtectedGraph(perturbed, np.arange(graph.n, dtype=np.int64), changes | account)

    def _shortfall(self, edges: int, replaced: int) -> dict[str, Any]:
        """How many edges were wanted and replaced, if fewer than the share asks for; a switch, which replaces two, may
        be one edge short."""
        wanted = round(getattr(self, "share", 0.0) * edges)
        enough = replaced >= wanted - 1 and (replaced or not wanted)
        return {} if enough else {"short": {"of": "edges", "wanted": wanted, "reached": replaced}}

    def perturb(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> tuple[Graph, dict[str, Any]]:
        """The graph with other edges, and further entries of the account."""
        raise NotImplementedError


def refuse_crowded(graph: Graph, share: float) -> None:
    """Raise `Infeasible` if fewer pairs are not joined than round(share · m), the number of edges to add."""
    absent = absent_count(graph)
    if round(share * graph.m) > absent:
        possible = absent / graph.m
        raise Infeasible(
            [Reason("share", limit=share, measured=possible, detail="too few pairs of nodes are not joined")],
            nearest={"share": possible} if possible > 0 else None,
        )
