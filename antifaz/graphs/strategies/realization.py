"""Realization: edit a graph towards target degrees by the steps that the published strategies name.

If a published construction gets stuck, the search of `greedy` continues from its state, and the account reports it: the
result is k-degree anonymous or there is none.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.strategies.bounds import edit_lower_bound
from antifaz.graphs.strategies.greedy import anonymize_degrees
from antifaz.kernels.graphs.realize import hand_over, no_edits, pair_up, swap_in
from antifaz.watch import Watch

Integers = NDArray[np.int64]

SWAP_TRIES = 400
"""Number of edges drawn to settle two units by a swap."""
MOST_DRAWN = 4_000_000


class Realization:
    """Edits towards given degrees, and the remaining need; no pair is touched twice."""

    def __init__(self, graph: Graph, targets: Integers) -> None:
        self.graph = graph
        self._edits = no_edits(*graph.neighbors, graph.n, targets - graph.degrees)

    @property
    def residual(self) -> Integers:
        """The edges that every node has to gain or, below zero, to lose."""
        return self._edits.residual

    @property
    def settled(self) -> bool:
        return not self.residual.any()

    @property
    def result(self) -> Graph:
        """The graph with the edits made so far."""
        pairs = self._edits.pairs[: self._edits.used[0]]
        return Graph(self.graph.n, np.setxor1d(self.graph.keys, pairs, assume_unique=True))

    def add_edges(self, rng: np.random.Generator) -> None:
        """Join nodes that need edges, the largest need first, to those with the largest needs."""
        self._pair(np.flatnonzero(self.residual > 0), rng)

    def remove_edges(self, rng: np.random.Generator) -> None:
        """Remove edges between nodes that have too many, the largest surplus first."""
        self._pair(np.flatnonzero(self.residual < 0), rng)

    def _pair(self, nodes: Integers, rng: np.random.Generator) -> None:
        nodes = rng.permutation(nodes)
        order = nodes[np.argsort(-np.abs(self.residual[nodes]), kind="stable")]
        pair_up(self._edits, order)

    def rotate_edges(self, rng: np.random.Generator, by_relevance: bool = False) -> None:
        """Hand edges of nodes that have too many over to those that need some; with ``by_relevance`` the least
        relevant."""
        winners = rng.permutation(np.flatnonzero(self.residual > 0))
        losers = rng.permutation(np.flatnonzero(self.residual < 0))
        shifts = rng.integers(0, 2**40, len(losers))
        hand_over(self._edits, winners, losers, shifts, by_relevance)

    def swap_edges(self, rng: np.random.Generator) -> None:
        """Replace edges x–y by u–x and v–y, if u and v need edges."""
        needy = np.flatnonzero(self.residual > 0)
        if not len(needy) or not self.graph.m:
            return
        units = int(self.residual[needy].sum())
        places = rng.integers(0, self.graph.m, min(MOST_DRAWN, SWAP_TRIES * units))
        ends = np.stack([self.graph.sources[places], self.graph.targets[places]])
        turned = rng.integers(0, 2, len(places)).astype(np.bool_)
        ends[:, turned] = ends[::-1, turned]
        swap_in(self._edits, needy, np.ascontiguousarray(ends), SWAP_TRIES)


def finish(
    graph: Graph, k: int, reached: Graph, strategy: str, rng: np.random.Generator, watch: Watch, **account: Any
) -> ProtectedGraph:
    """The graph that a strategy has reached, repaired if it is not anonymous yet, with the account of its edits."""
    repaired = not KDegreeAnonymity(k=k).holds(reached)
    if repaired:
        reached, _ = anonymize_degrees(reached, k, "fast", rng, watch)
    kept = len(np.intersect1d(graph.keys, reached.keys, assume_unique=True))
    bound = edit_lower_bound(graph, k)
    edits = graph.m + reached.m - 2 * kept
    return ProtectedGraph(
        reached,
        np.arange(graph.n, dtype=np.int64),
        {
            "edges_added": reached.m - kept,
            "edges_removed": graph.m - kept,
            "nodes_added": 0,
            "edit_lower_bound": bound,
            "strategy": strategy,
            "repaired_by_greedy": repaired,
            "proven_fewest": edits == bound,
            **account,
        },
    )
