"""Drawn: methods that draw a new graph from numbers reported under edge_differential_privacy.

They share what the promise is about: single pairs of an undirected graph, whose nodes, their list and attributes are
public. Each says in its own way which numbers it reports and how a graph is drawn from them.
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
    """For each of its nodes the original one whose place it has."""
    mechanism: dict[str, Any]
    """What was counted, and with which noise: everybody may know it."""


class DrawnGraphMethod(GraphMethod):
    """Draws a new graph; the epsilon of the policy's guarantee is all that it may spend."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("edge_differential_privacy",)

    def carries_edges(self) -> bool:
        """No: edges are new, and what stands on one would tell that it is one of the original."""
        return False

    def admit(self, graph: Graph) -> None:
        """Undirected graphs only."""
        if graph.directed:
            raise InvalidDataset("directed", "the method is for undirected graphs")

    def contradictions(self, guarantees: Sequence[Any]) -> Iterable[tuple[str, str]]:
        """Noise takes its epsilon from the guarantee."""
        if least_epsilon(guarantees) is None:
            yield "/guarantees", "the method takes its noise from the guarantee edge_differential_privacy"

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Draw a graph, and say by which mechanism."""
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
