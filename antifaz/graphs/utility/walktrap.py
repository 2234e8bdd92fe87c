"""Walktrap: whether the clusters of nodes whose short walks end alike are still the same.

Pons and Latapy, "Computing communities in large networks using random walks", ISCIS 2005.

Two nodes are near to each other if walks of a few steps from them end at the same places, with less weight on places of
high degree. Neighboring communities are joined one by one, first those whose joining increases the squared distances to
the centers least; the partition of highest modularity on the way is used. In graphs of more than 1,000 nodes the ends
of walks are projected to 96 random directions, which keeps squared distances within about 15 %. The clusterings of both
graphs are compared by the Jaccard index of the best matching (the value), normalized mutual information, precision and
modularity, and those of the original with themselves (``noise``); directions are ignored. Graphs of more than 10,000
nodes are compared on that many nodes around a random one.

Guarantees: none, it measures.
Cost: O(n^2 + m·n) with small factors.
"""

from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from pydantic import Field

from antifaz.graphs.analysis.communities import Labels, compare_clusterings
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.kernels.graphs.walktrap import best_partition, join_walks, lone_nodes
from antifaz.watch import Watch

EXACT = 1_000
"""Largest graph, in nodes, for which the ends of walks are kept in full."""
DIRECTIONS = 96
COMPARISONS = 100_000_000
"""Numbers compared between two calls of the watch."""
MOST_NODES = 10_000
"""Larger graphs are compared on this number of nodes around a random one."""


class Walktrap(GraphUtility):
    """Agreement of clusterings by short random walks."""

    default: ClassVar[bool] = False

    name: Literal["walktrap"] = "walktrap"
    steps: int = Field(default=4, ge=1, le=20)
    """The length of the walks."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Cluster both graphs and compare."""
        watch(0.0)
        found = compare_clusterings(self._cluster, graph, released, rng, watch, MOST_NODES)
        return found | {"exact": max(graph.n, released.graph.n) <= EXACT}

    def _cluster(self, graph: Graph, rng: np.random.Generator, watch: Watch) -> Labels:
        return walk_clusters(graph, self.steps, rng, watch)


def walk_clusters(graph: Graph, steps: int, rng: np.random.Generator, watch: Watch) -> Labels:
    """The cluster of every node."""
    matrix = (adjacency(graph) + scipy.sparse.eye_array(graph.n)).tocsr()
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    if graph.n <= EXACT:
        ends = np.diag(1.0 / np.sqrt(degrees))
    else:
        ends = rng.standard_normal((graph.n, DIRECTIONS)) / np.sqrt(DIRECTIONS * degrees)[:, None]
    for step in range(steps):
        watch(step / (steps + 1))
        ends = (matrix @ ends) / degrees[:, None]
    watch(steps / (steps + 1))
    offsets, neighbors = graph.neighbors
    found = lone_nodes(graph.n, len(neighbors), np.ascontiguousarray(ends))
    while not join_walks(offsets, neighbors, found, COMPARISONS):
        watch(steps / (steps + 1))
    return np.unique(best_partition(found), return_inverse=True)[1].astype(np.int64)
