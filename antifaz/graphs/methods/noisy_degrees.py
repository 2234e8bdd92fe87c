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
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_differential_privacy import EdgeDifferentialPrivacy
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.noise import UNIT, counting_within, library
from antifaz.watch import Watch, within

SENSITIVITY = 2
"""By how much one pair of nodes changes the degrees, in sum."""
PUBLIC = ("the number of nodes", "the list of nodes", "the attributes of nodes")
_PAIRINGS = 60
"""How often ends that found no partner are paired again."""
_PIECE = 100_000


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
        if not any(isinstance(guarantee, EdgeDifferentialPrivacy) for guarantee in guarantees):
            yield "/guarantees", "the method takes its noise from the guarantee edge_differential_privacy"

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Draw a graph from noisy degrees."""
        watch(0.0)
        self.admit(graph)
        asked = [guarantee for guarantee in guarantees if isinstance(guarantee, EdgeDifferentialPrivacy)]
        if not asked:
            raise InvalidPolicy.of(list(self.contradictions(guarantees)))
        epsilon = min(guarantee.epsilon for guarantee in asked)
        drawing = counting_within("pure", SENSITIVITY, int(epsilon * UNIT))
        ascending, noisy = np.sort(graph.degrees), []
        for start in range(0, graph.n, _PIECE):
            watch(0.3 * start / graph.n)
            noisy.append(drawing.counts(ascending[start : start + _PIECE]))
        degrees = whole_degrees(ascending_fit(np.concatenate(noisy)), rng)
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
        kept = _shared_edges(graph, released, origin)
        account = {"edges_added": released.m - kept, "edges_removed": graph.m - kept, "nodes_added": 0}
        watch(1.0)
        return ProtectedGraph(released, origin, {**account, "public": {self.name: public}})


def ascending_fit(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """The nearest sequence that ascends, by squares."""
    return np.asarray(isotonic_regression(numbers.astype(np.float64)).x)


def whole_degrees(fitted: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Degrees that a node can have, each one of the two whole numbers around what was fitted, with the same sum in
    expectation; and an even number of ends."""
    bounded = np.clip(fitted, 0.0, len(fitted) - 1.0)
    degrees = np.floor(bounded + rng.random(len(bounded))).astype(np.int64)
    degrees = np.minimum(degrees, len(fitted) - 1)
    if degrees.sum() % 2:
        degrees[np.argmax(degrees)] -= 1
    return degrees


def random_graph(degrees: NDArray[np.int64], rng: np.random.Generator, watch: Watch) -> Graph:
    """A simple graph in which ends are paired at random; the few that find no partner are left out."""
    n = len(degrees)
    keys = np.zeros(0, dtype=np.int64)
    free = np.repeat(np.arange(n, dtype=np.int64), degrees)
    for pairing in range(_PAIRINGS):
        watch(pairing / _PAIRINGS)
        if len(free) < 2:
            break
        free = rng.permutation(free)
        pairs = free[: len(free) // 2 * 2].reshape(-1, 2)
        proposed = pairs.min(axis=1) * np.int64(n) + pairs.max(axis=1)
        first = np.zeros(len(proposed), dtype=np.bool_)
        first[np.unique(proposed, return_index=True)[1]] = True
        taken = first & (pairs[:, 0] != pairs[:, 1]) & ~np.isin(proposed, keys)
        keys = np.sort(np.concatenate([keys, proposed[taken]]))
        free = pairs[~taken].ravel()
    return Graph(n, keys)


def _shared_edges(graph: Graph, released: Graph, origin: NDArray[np.int64]) -> int:
    """How many edges of the release are the original's, where each node stands for the one whose attributes it has."""
    first, second = origin[released.sources], origin[released.targets]
    keys = np.minimum(first, second) * np.int64(graph.n) + np.maximum(first, second)
    return int(np.isin(keys, graph.keys).sum())
