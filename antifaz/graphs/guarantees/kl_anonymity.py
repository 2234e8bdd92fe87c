"""(k, l)-anonymity: any knowledge about l other nodes fits at least k nodes.

Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012; the
notion is that of Feder, Nabar and Terzi, "Anonymizing Graphs", 2008, whose definition it corrects.

By `indices`: for any l nodes, every pattern of being joined to them or not that one node has is shared by k nodes. By
`neighbors`: for any l neighbors of a node, k nodes (itself included) are joined to all of them; and every node has at
least l neighbors, so that the same is true for fewer than l. Both are for undirected graphs and need k + l ≤ n. Neither
follows from degree anonymity.

Guarantees: k candidates for an attacker who knows l of a node's neighbors (`neighbors`), or for l nodes whether they
are neighbors (`indices`); nothing against an attacker who knows of more nodes, or degrees, or how neighbors are joined.
Cost: O(n + m) for l = 1, O(n² + sum of squared degrees) for l = 2, and exponential in l from 3 on: beyond a bound only
cases that are easily shown count.
"""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.neighborhood_twins import twin_classes
from antifaz.graphs.parts import GraphGuarantee, refuse_few_nodes
from antifaz.part import Examples
from antifaz.watch import Watch, unwatched

MOST_SETS = 200_000
"""Most sets of three or more nodes that are checked."""
_CELLS = 4_000_000


class KlAnonymity(GraphGuarantee):
    """Any knowledge of l other nodes fits at least k nodes."""

    assumes: ClassVar[str] = "The attacker knows at most l neighbors of a node (`indices`: and non-neighbors)."
    examples: ClassVar[Examples] = ({"k": 3, "l": 2}, {"k": 3, "l": 2, "definition": "indices"})

    model: Literal["kl_anonymity"] = "kl_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes that the knowledge may leave."""
    l: int = Field(ge=1)  # noqa: E741 (the literature's letter)
    """Number of nodes that the attacker knows something about."""
    definition: Literal["indices", "neighbors"] = "neighbors"
    """Whether the attacker knows neighbors alone, or for any l nodes whether they are neighbors."""

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph, and one with fewer than k + l nodes."""
        if graph.directed:
            raise InvalidDataset("directed", "(k, l)-anonymity is defined for undirected graphs")
        refuse_few_nodes(self.k + self.l, graph.n, name="k + l")

    def holds(self, graph: Graph) -> bool:
        """Whether k nodes are left; from l = 3 on, beyond a bound on sets, only if twins show it."""
        return self.holds_under(graph, unwatched)

    def holds_under(self, graph: Graph, watch: Watch) -> bool:
        """The same, calling the watch while pairs of nodes are counted."""
        if self.k + self.l > graph.n or graph.directed:
            return False
        if self.definition == "neighbors":
            return bool((graph.degrees >= self.l).all()) and self._neighbors(graph, watch)
        return self._indices(graph, watch)

    def _indices(self, graph: Graph, watch: Watch) -> bool:
        degrees = graph.degrees
        if not self._enough(np.concatenate([degrees, graph.n - degrees])):
            return False
        if self.l == 1 or int(np.bincount(twin_classes(graph)).min()) >= self.k:
            return True
        for rows, shared in _shared(graph, watch) if self.l == 2 else ():
            one, other = degrees[rows][:, None], degrees[None, :]
            apart = rows[:, None] != np.arange(graph.n)
            counts = (shared, one - shared, other - shared, graph.n - one - other + shared)
            if not all(self._enough(count[apart]) for count in counts):
                return False
        return self.l == 2 or (math.comb(graph.n, self.l) <= MOST_SETS and self._every_set(graph))

    def _every_set(self, graph: Graph) -> bool:
        rows = _dense(graph)
        return all(
            int(np.unique(rows[:, chosen], axis=0, return_counts=True)[1].min()) >= self.k
            for chosen in map(list, combinations(range(graph.n), self.l))
        )

    def _neighbors(self, graph: Graph, watch: Watch) -> bool:
        if self.l == 1:
            return bool((graph.degrees >= self.k).all())
        dominated = True
        for rows, shared in _shared(graph, watch):
            others = shared.copy()
            others[np.arange(len(rows)), rows] = 0
            if not self._enough(others):
                return False
            dominated &= bool(((shared == graph.degrees[rows][:, None]).sum(axis=1) >= self.k).all())
        if self.l == 2 or dominated:
            return True
        sets = sum(math.comb(degree, self.l) for degree in graph.degrees.tolist())
        return sets <= MOST_SETS and self._every_set_of_neighbors(graph)

    def _every_set_of_neighbors(self, graph: Graph) -> bool:
        rows = _dense(graph)
        return all(
            int(rows[:, chosen].all(axis=1).sum()) >= self.k
            for row in rows
            for chosen in map(list, combinations(np.flatnonzero(row).tolist(), self.l))
        )

    def _enough(self, counts: NDArray[np.int64]) -> bool:
        """Whether every count is zero or at least k."""
        return not bool(((counts > 0) & (counts < self.k)).any())


def _dense(graph: Graph) -> NDArray[np.bool_]:
    rows = np.zeros((graph.n, graph.n), dtype=bool)
    rows[graph.sources, graph.targets] = rows[graph.targets, graph.sources] = True
    return rows


def _shared(graph: Graph, watch: Watch) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For a batch of nodes, the number of neighbors that each shares with every node (with itself: its degree)."""
    offsets, neighbors = graph.neighbors
    ones = np.ones(len(neighbors), dtype=np.int64)
    matrix = scipy.sparse.csr_array((ones, neighbors.astype(np.int64), offsets), shape=(graph.n, graph.n))
    step = max(1, _CELLS // max(1, graph.n))
    for start in range(0, graph.n, step):
        watch(start / graph.n)
        rows = np.arange(start, min(start + step, graph.n))
        yield rows, (matrix[rows] @ matrix).toarray()
