"""Relevance: the neighborhood centrality of an edge, existing or possible.

Casas-Roma, "Privacy-Preserving on Graphs Using Randomization and Edge-Relevance", MDAI 2014: the nodes that are
neighbors of one end and not of both, as a share of twice the largest degree. It is low for an edge between nodes with
the same friends, and high for a bridge between two hubs.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import slices
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.moves import common_neighbors
from antifaz.watch import Watch, unwatched

LOOKUPS = 10_000_000
"""Neighbors that are looked up between two calls of the watch."""


def relevance(graph: Graph, keys: NDArray[np.int64], watch: Watch = unwatched) -> NDArray[np.float64]:
    """The neighborhood centrality of every pair, directions ignored; from 0 to 1."""
    if not len(keys):
        return np.zeros(0)
    watch(0.0)
    offsets, neighbors = graph.neighbors
    watch(0.0)
    degrees = np.diff(offsets)
    sources, targets = keys // graph.n, keys % graph.n
    shared = np.zeros(len(keys), dtype=np.int64)
    # Every neighbor of the end that has fewer is looked up at the other end.
    for part in slices(1 + np.minimum(degrees[sources], degrees[targets]), LOOKUPS):
        watch(part.start / len(keys))
        common_neighbors(offsets, neighbors, sources[part], targets[part], shared[part])
    watch(1.0)
    return np.asarray((degrees[sources] + degrees[targets] - 2 * shared) / max(1, 2 * int(degrees.max())))
