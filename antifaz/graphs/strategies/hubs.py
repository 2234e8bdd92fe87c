"""Hubs: join the largest nodes to all others, then take back the edges that are not needed.

Any two nodes then share every hub that is neither of them, so k hubs, or a few more, make a graph (k, l)-anonymous by
neighbors (Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing
2012), whatever the rest of the graph. For l = 2 that is a condition on pairs: two nodes that have a neighbor in common
have k. An added edge is removed again if the pairs that it serves keep none or k.

Guarantees: after `trim`, pairs with common neighbors have k of them if they had before.
Cost: O(count·n) for the hubs; O(n) for each added edge that may be removed, on matrices of n² numbers.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.watch import Watch

LARGEST = 2000
"""Largest number of nodes for which the matrix of common neighbors is kept."""


def join_hubs(graph: Graph, count: int) -> Graph:
    """The graph in which the ``count`` nodes with the largest degrees are joined to all others.

    A hub and a node that is joined to hubs alone share one hub too few, so two such nodes are joined to each other.
    """
    order = np.argsort(-graph.degrees, kind="stable")
    hubs, others = order[:count], order[count:]
    inner = np.isin(graph.sources, others) & np.isin(graph.targets, others)
    met = np.zeros(graph.n, dtype=bool)
    met[graph.sources[inner]] = met[graph.targets[inner]] = True
    alone = np.sort(others[~met[others]])
    # A remaining single node is joined to any other; if there is none, it stays alone.
    mates = np.append(alone[1::2], others[others != alone[-1]][-1:]) if len(alone) % 2 else alone[1::2]
    firsts = alone[::2][: len(mates)]
    sources = np.concatenate([graph.sources, np.repeat(hubs, graph.n), firsts])
    targets = np.concatenate([graph.targets, np.tile(np.arange(graph.n), count), mates])
    return Graph.from_pairs(graph.n, sources, targets)


def trim(graph: Graph, made: Graph, k: int, least: int, rng: np.random.Generator, watch: Watch) -> Graph:
    """``made`` without the added edges that can be removed, tried in random order: degrees stay at ``least`` or more,
    and pairs with common neighbors keep k."""
    joined = np.zeros((made.n, made.n), dtype=np.bool_)
    joined[made.sources, made.targets] = joined[made.targets, made.sources] = True
    numbers = joined.astype(np.float32)
    shared = np.rint(numbers @ numbers).astype(np.int32)
    added = np.setdiff1d(made.keys, graph.keys, assume_unique=True)
    for done, key in enumerate(rng.permutation(added)):
        if done % 64 == 0:
            watch(done / len(added))
        _take_back(joined, shared, int(key) // made.n, int(key) % made.n, k, least)
    sources, targets = np.nonzero(np.triu(joined))
    return Graph.from_pairs(made.n, sources, targets)


def _take_back(joined: NDArray[np.bool_], shared: NDArray[np.int32], one: int, other: int, k: int, least: int) -> None:
    """Remove an edge if every pair that it serves has another k common neighbors, or has none left."""
    if min(shared[one, one], shared[other, other]) <= least:
        return
    joined[one, other] = joined[other, one] = False
    near, far = np.flatnonzero(joined[one]), np.flatnonzero(joined[other])
    left = np.concatenate([shared[other, near], shared[one, far]]) - 1
    if ((left > 0) & (left < k)).any():
        joined[one, other] = joined[other, one] = True
        return
    for node, others in ((other, near), (one, far)):
        shared[node, others] -= 1
        shared[others, node] -= 1
    shared[[one, other], [one, other]] -= 1
