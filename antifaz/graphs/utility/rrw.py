"""RRW: whether the dense groups that repeated random walks find are still the same.

Macropol, Can and Singh, "RRW: repeated random walks on genome-scale protein networks for local cluster discovery",
BMC Bioinformatics 2009.

From every node a group grows by the node that a random walk with restarts at the group visits most, until the visits of
the next fall below a share of those of the last, or the group has the largest size allowed. Groups of the sizes allowed
are ranked as in the paper, by their surplus of edges over random groups of their size: the difference from the mean, in
standard deviations, both of which are known exactly. By `density` the densest come first instead, which prefers the
smallest groups allowed. Groups are taken if they have more edges than random ones and share no node with a group taken
before. Nodes may be in no group. Both graphs' groups are compared by the Jaccard index of the best matching (the
value), normalized mutual information, precision and modularity, and those of the original with themselves (``noise``);
directions are ignored. Graphs of more than 3,000 nodes are compared on that many nodes around a random one.

Guarantees: none, it measures.
Cost: O(n·m + n^2·largest), with at most 3,000 nodes.
"""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.graphs.analysis.communities import Labels, compare_clusterings
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

MOST_NODES = 3_000
"""Larger graphs are compared on this number of nodes around a random one."""
STEPS = 25
"""Steps of the walks; hardly any walk lasts this long without a restart."""


class Rrw(GraphUtility):
    """Agreement of the groups found by repeated random walks."""

    default: ClassVar[bool] = False

    name: Literal["rrw"] = "rrw"
    smallest: int = Field(default=5, ge=2, le=100)
    """The fewest nodes of a group."""
    largest: int = Field(default=20, ge=2, le=100)
    """The most nodes of a group."""
    restart: float = Field(default=0.6, gt=0.1, lt=1)
    """The probability that a walk goes back to its group at each step."""
    cutoff: float = Field(default=0.6, ge=0, le=1)
    """A group ends if the visits of the next node are below this share of those of the last one."""
    rank: Literal["significance", "density"] = "significance"
    """Which groups come first: those with the most edges beyond random groups of their size, or the densest."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.smallest > self.largest:
            raise ValueError("smallest must not be above largest")
        return self

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Find groups in both graphs and compare."""
        watch(0.0)
        return compare_clusterings(self._cluster, graph, released, rng, watch, MOST_NODES)

    def _cluster(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
        visits = _visits(graph, self.restart, watch)
        members, densities = _grow(graph, visits, self.largest, self.cutoff, watch)
        densities[:, : self.smallest - 1] = -1.0
        scores = densities if self.rank == "density" else _significance(graph, densities)
        return _disjoint(members, scores, graph.n)


def _visits(graph: Graph, restart: float, watch: Watch) -> NDArray[np.float32]:
    """For every node, in its row, how often a walk that restarts there visits each node."""
    matrix = adjacency(graph).astype(np.float32)
    shares = np.float32(1.0 - restart) / np.maximum(np.diff(matrix.indptr), 1).astype(np.float32)
    visits = np.float32(restart) * np.eye(graph.n, dtype=np.float32)
    term = visits
    for step in range(STEPS):
        watch(0.5 * step / STEPS)
        term = matrix @ (term * shares[:, None])
        visits = visits + term
    return np.ascontiguousarray(visits.T)


def _grow(
    graph: Graph, visits: NDArray[np.float32], largest: int, cutoff: float, watch: Watch
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nodes of every node's group in the order of their joining, and the density with each; -1 after its end."""
    n, largest = graph.n, min(largest, graph.n)
    every_node = np.arange(n)
    matrix = adjacency(graph)
    members, densities = np.tile(every_node[:, None], (1, largest)), np.full((n, largest), -1.0)
    inside, summed = np.zeros((n, n), dtype=np.bool_), visits.copy()
    inside[every_node, every_node] = True
    growing, edges, last = np.ones(n, dtype=np.bool_), np.zeros(n), np.zeros(n, dtype=np.float32)
    for size in range(2, largest + 1):
        watch(0.5 + 0.5 * size / largest)
        # A walk from a group is the mean of the walks from its nodes, so their sum gives the same ranking.
        best = np.where(inside, np.float32(-1.0), summed).argmax(axis=1)
        chance = summed[every_node, best] / np.float32(size - 1)
        growing &= (chance > 0) & (chance >= cutoff * last) & ~inside[every_node, best]
        edges += np.asarray(matrix[best].multiply(inside).sum(axis=1)).ravel()
        densities[growing, size - 1] = edges[growing] / (size * (size - 1) / 2)
        members[:, size - 1] = best
        inside[every_node, best] = True
        summed += visits[best]
        last = chance
    return members, densities


def _significance(graph: Graph, densities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard deviations by which a group has more edges than a random one of its size; -1 if it has not more.

    The number of edges between s random nodes has a mean and a variance that follow from the number of pairs of edges
    that share a node. For groups of one size a larger difference means a smaller p-value, whatever the distribution.
    """
    n, m = graph.n, graph.m
    sizes = np.arange(1, densities.shape[1] + 1, dtype=np.float64)
    # The probability that two, three or four given nodes are all drawn.
    both = sizes * (sizes - 1) / max(1, n * (n - 1))
    three = both * (sizes - 2) / max(1, n - 2)
    four = three * (sizes - 3) / max(1, n - 3)
    adjacent = float((graph.degrees * (graph.degrees - 1)).sum())
    mean = m * both
    variance = mean + adjacent * three + (m * (m - 1.0) - adjacent) * four - mean**2
    # Rounding leaves a small rest of a zero variance if the group is all nodes, or the graph is complete.
    spread = np.sqrt(np.where(variance > 1e-9 * mean**2, variance, np.inf))
    scores = (densities * sizes * (sizes - 1) / 2 - mean) / spread
    return np.where((densities < 0) | (scores <= 0), -1.0, scores)


def _disjoint(members: NDArray[np.int64], ranks: NDArray[np.float64], n: int) -> Labels:
    """The first group by rank, then the first of those that share no node with it, and so on; ties go to the larger."""
    labels = np.full(n, -1, dtype=np.int64)
    scores = np.where(ranks < 0, -1.0, ranks + 1e-9 * np.arange(ranks.shape[1]))
    for number in range(n):
        start, place = np.unravel_index(int(scores.argmax()), scores.shape)
        if scores[start, place] < 0:
            break
        labels[members[start, : place + 1]] = number
        scores[np.logical_or.accumulate(labels[members] >= 0, axis=1)] = -1.0
    return labels
