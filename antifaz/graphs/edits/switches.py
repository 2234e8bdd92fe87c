"""Switches: moves of two edges that exchange their ends, so that a–b and c–d become a–d and c–b."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.edits.edge_moves import MOST_LISTED, Proposal, as_keys
from antifaz.graphs.graph import Graph

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Switches:
    """The switches of one graph."""

    graph: Graph

    def propose(self, places: Integers, rng: np.random.Generator) -> Proposal:
        """Pair the edges in the given order, each pair in one of its two ways."""
        pairs = places[: len(places) // 2 * 2].reshape(-1, 2)
        turned = np.zeros(len(pairs), dtype=np.bool_)
        if not self.graph.directed:
            turned = rng.integers(0, 2, len(pairs)).astype(np.bool_)
        return self._of(pairs, turned)

    def list_all(self, places: Integers) -> Proposal | None:
        """Every pair of the edges, in both ways if there are two."""
        if len(places) ** 2 > MOST_LISTED:
            return None
        first, second = np.triu_indices(len(places), 1)
        pairs = np.stack([places[first], places[second]], axis=1)
        ways = (False,) if self.graph.directed else (False, True)
        each = [self._of(pairs, np.full(len(pairs), turned)) for turned in ways]
        return Proposal(np.concatenate([p.goes for p in each]), np.concatenate([p.comes for p in each]))

    def ends(self, pairs: Integers, turned: NDArray[np.bool_]) -> tuple[Integers, Integers, Integers, Integers]:
        """The ends a, b, c, d of pairs of edges; if turned, the second edge is read from its other end."""
        keys, n = self.graph.keys[pairs], max(self.graph.n, 1)
        a, b = keys[:, 0] // n, keys[:, 0] % n
        c, d = keys[:, 1] // n, keys[:, 1] % n
        return a, b, np.where(turned, d, c), np.where(turned, c, d)

    def _of(self, pairs: Integers, turned: NDArray[np.bool_]) -> Proposal:
        a, b, c, d = self.ends(pairs, turned)
        return Proposal(pairs, np.stack([as_keys(self.graph, a, d), as_keys(self.graph, c, b)], axis=1))
