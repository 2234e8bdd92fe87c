"""Noisy degrees: a new graph at random, with degrees that were counted under differential privacy.

Hay, Li, Miklau and Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", ICDM 2009; Molloy and
Reed, "A Critical Point for Random Graphs with a Given Degree Sequence", Random Structures & Algorithms 1995, for the
graph that is drawn from them.

An edge more raises two degrees by one, so the sequence of all degrees in ascending order changes by two in sum. Every
entry gets discrete Laplace noise of the scale 2/ε, and the nearest sequence that ascends (isotonic regression) takes
most of it away again: where many nodes have one degree, their noise is averaged. Then a graph with these degrees is
drawn: ends of edges are paired at random, and pairs that would be loops or repetitions are paired again. Which node of
the list has which degree is left to chance: nothing of a node but its place in the list and its attributes is kept.

Guarantees: edge_differential_privacy for each pair of nodes; nothing for nodes: their number, list and attributes are
public.
Preserves: the degree distribution and the number of edges, as well as the noise allows; not communities, triangles or
who is joined to whom.
Cost: O(n log n + m).
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.edits.degree_drawing import (
    PUBLIC,
    SENSITIVITY,
    ascending_fit,
    noisy_ascending,
    random_graph,
    shared_edges,
    whole_degrees,
)
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_differential_privacy import least_epsilon
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.noise import UNIT, counting_within, library
from antifaz.watch import Watch, within


class NoisyDegrees(GraphMethod):
    """Count the degrees with noise, and draw a new graph that has them."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("edge_differential_privacy",)
    leaves: ClassVar[str] = (
        "Only the degree distribution is kept: communities, triangles and distances of the release are those of a "
        "random graph."
    )

    name: Literal["noisy_degrees"] = "noisy_degrees"

    def carries_edges(self) -> bool:
        """No: edges are new."""
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
        """Draw a graph from noisy degrees."""
        watch(0.0)
        self.admit(graph)
        epsilon = least_epsilon(guarantees)
        if epsilon is None:
            raise InvalidPolicy.of(list(self.contradictions(guarantees)))
        drawing = counting_within("pure", SENSITIVITY, int(epsilon * UNIT))
        noisy = noisy_ascending(graph, drawing, within(watch, 0.0, 0.3))
        degrees = whole_degrees(ascending_fit(noisy), rng)
        released = random_graph(degrees, rng, within(watch, 0.4, 0.9))
        public = {
            "unit": "a pair of nodes",
            "epsilon": str(epsilon),
            "sensitivity": SENSITIVITY,
            "scale": drawing.scale,
            "library": library(),
            "public": list(PUBLIC),
            "not_protected": "nodes: each of a node's pairs costs epsilon",
        }
        origin = rng.permutation(graph.n).astype(np.int64)
        kept = shared_edges(graph, released, origin)
        account = {"edges_added": released.m - kept, "edges_removed": graph.m - kept, "nodes_added": 0}
        watch(1.0)
        return ProtectedGraph(released, origin, {**account, "public": {self.name: public}})
