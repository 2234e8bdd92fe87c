"""Drawn: methods that draw a new graph from numbers reported under edge_differential_privacy.

Their guarantee is about single pairs of an undirected graph, whose nodes, their list and attributes are public. Each
method defines which numbers it reports and how it draws a graph from them.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.edits.degree_drawing import PUBLIC, shared_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_differential_privacy import least_epsilon
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.noise import library
from antifaz.watch import Watch


@dataclass(frozen=True)
class Drawn:
    """A new graph, and how it was drawn."""

    graph: Graph
    origin: NDArray[np.int64]
    """For each of its nodes, the original one whose place it has."""
    mechanism: dict[str, Any]
    """The counted figures and their noise, which are public."""


class DrawnGraphMethod(GraphMethod):
    """Draws a new graph; it may spend the epsilon of the policy's guarantee and no more."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("edge_differential_privacy",)

    def carries_edges(self) -> bool:
        """No: edges are new, and data on one would reveal that it is an original one."""
        return False

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph."""
        if graph.directed:
            raise InvalidDataset("directed", "the method is for undirected graphs")

    def contradictions(self, guarantees: Sequence[Any]) -> Iterable[tuple[str, str]]:
        """Noise takes its epsilon from the guarantee."""
        if least_epsilon(guarantees) is None:
            yield "/guarantees", "the method takes its noise from the guarantee edge_differential_privacy"

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Draw a graph, and report the mechanism."""
        watch(0.0)
        self.admit(graph)
        epsilon = least_epsilon(guarantees)
        if epsilon is None:
            raise InvalidPolicy.of(list(self.contradictions(guarantees)))
        drawn = self.draw(graph, epsilon, rng, watch)
        kept = shared_edges(graph, drawn.graph, drawn.origin)
        account = {"edges_added": drawn.graph.m - kept, "edges_removed": graph.m - kept, "nodes_added": 0}
        public = {
            "unit": "a pair of nodes",
            "epsilon": str(epsilon),
            **drawn.mechanism,
            "library": library(),
            "public": list(PUBLIC),
            "not_protected": "nodes: each of a node's pairs costs epsilon",
        }
        watch(1.0)
        return ProtectedGraph(drawn.graph, drawn.origin, {**account, "public": {self.wire_name(): public}})

    @abstractmethod
    def draw(self, graph: Graph, epsilon: float, rng: np.random.Generator, watch: Watch) -> Drawn:
        """A new graph from noisy numbers that together cost epsilon."""
