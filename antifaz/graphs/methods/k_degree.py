"""k-degree: add and remove edges until every degree is shared by k nodes.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008; the strategies cite their own sources.

The degrees are made k-anonymous first, with as little change as possible; then the graph is edited, never rebuilt, to
have them. In directed graphs the pairs of in- and out-degree are made k-anonymous jointly, by `greedy` alone: the other
strategies are published for undirected graphs. The fewest edits are not the best privacy: the result resists an
attacker who knows degrees, but not one who knows more of a node's surroundings.

Guarantees: k_degree_anonymity and the equivalent k_candidate_anonymity by H1; checked on the result before it is
returned.
Preserves: the nodes (`vertex_addition` makes some up); all edges except those that the account counts.
Cost: that of the strategy.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from antifaz.errors import BrokenGuarantee, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_candidate_anonymity import KCandidateAnonymity
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies import genetic, greedy, liu_terzi, umga, vertex_addition
from antifaz.graphs.targets import largest_k
from antifaz.part import Examples
from antifaz.watch import Watch


class KDegree(GraphMethod):
    """Add and remove the fewest edges found such that every degree is shared by k nodes."""

    gives: ClassVar[tuple[str, ...]] = ("k_degree_anonymity", "k_candidate_anonymity")
    leaves: ClassVar[str] = "Protection against degree queries does not protect against richer structural knowledge."

    examples: ClassVar[Examples] = (
        {},
        {"strategy": "liu_terzi"},
        {"strategy": "genetic", "effort": "fast"},
        {"strategy": "umga"},
        {"strategy": "umga", "edge_selection": "relevance"},
        {"strategy": "vertex_addition"},
    )
    name: Literal["k_degree"] = "k_degree"
    strategy: Literal["greedy", "liu_terzi", "genetic", "umga", "vertex_addition"] = "greedy"
    """How the degrees are chosen and reached: an optimal sequence and the fewest edits found (greedy), a supergraph
    (liu_terzi), evolving groups (genetic; unlike the published algorithm it may change the number of edges: use greedy
    with keep_edges to keep it), microaggregation and rotations (umga), made-up nodes (vertex_addition)."""
    effort: Literal["fast", "normal", "high"] = "normal"
    """How long greedy searches for fewer edits, as a number of elementary steps (about 0.1, 1 and 8 seconds), and the
    number of generations of genetic."""
    edge_selection: Literal["random", "relevance"] = "random"
    """Which edges umga hands over: any, or those that matter least to the structure."""

    keep_edges: float = Field(default=0.0, ge=0, le=1)
    """How much edge Jaccard greedy may give up to keep the number of edges: with 0 only the fewest edits count, with 1
    the number stays the same if enough nodes share their degrees."""

    @model_validator(mode="after")
    def _choices_of_a_strategy(self) -> "KDegree":
        if self.edge_selection != "random" and self.strategy != "umga":
            raise ValueError("edge_selection is only for the strategy umga")
        if self.keep_edges and self.strategy != "greedy":
            raise ValueError("keep_edges is only for the strategy greedy")
        return self

    def contradictions(self, guarantees: Sequence[Any]) -> Iterable[tuple[str, str]]:
        """Degrees answer the first query of vertex refinement only."""
        for position, guarantee in enumerate(guarantees):
            if isinstance(guarantee, KCandidateAnonymity) and guarantee.query != "H1":
                yield f"/guarantees/{position}/query", "the method k_degree protects against H1 alone"

    def makes_nodes(self) -> bool:
        """Whether nodes are made up."""
        return self.strategy == "vertex_addition"

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph if the strategy is defined for undirected ones alone."""
        if graph.directed and self.strategy != "greedy":
            raise InvalidDataset(
                "undirected_only", f"the strategy {self.strategy} is defined for undirected graphs alone"
            )

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Edit the graph until every degree class has the largest k requested."""
        faults = list(self.contradictions(guarantees))
        if faults:
            raise InvalidPolicy.of(faults)
        k = largest_k(self, guarantees, graph)
        self.admit(graph)
        protected = self._anonymize(graph, k, rng, watch)
        if not all(guarantee.holds(protected.graph) for guarantee in guarantees):
            raise BrokenGuarantee("k_degree returned degree classes smaller than k")
        return protected

    def _anonymize(self, graph: Graph, k: int, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
        match self.strategy:
            case "liu_terzi":
                return liu_terzi.anonymize(graph, k, rng, watch)
            case "genetic":
                return genetic.anonymize(graph, k, self.effort, rng, watch)
            case "umga":
                return umga.anonymize(graph, k, self.edge_selection, rng, watch)
            case "vertex_addition":
                return vertex_addition.anonymize(graph, k, rng, watch)
            case "greedy":
                edited, account = greedy.anonymize_degrees(graph, k, self.effort, rng, watch, self.keep_edges)
                return ProtectedGraph(edited, np.arange(graph.n, dtype=np.int64), account)
