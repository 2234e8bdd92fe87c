"""Pairs: all pairs of nodes in one numbering, and samples of those that are not joined.

A pair's rank is its position among all possible pairs in the order of their keys. The r-th pair that is not joined has
the rank r plus the number of joined pairs before it, found by binary search. A sample of absent pairs is therefore a
sample of numbers, whatever the graph's density, and no draw is rejected.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph

Integers = NDArray[np.int64]


def pair_count(n: int, directed: bool) -> int:
    """Number of pairs of different nodes; ordered pairs in a directed graph."""
    return n * (n - 1) // (1 if directed else 2)


def absent_count(graph: Graph) -> int:
    """Number of pairs that are not joined."""
    return pair_count(graph.n, graph.directed) - graph.m


def ranks_of(keys: Integers, n: int, directed: bool) -> Integers:
    """The rank of every key; ranks increase with keys."""
    if not len(keys):
        return keys
    sources, targets = keys // n, keys % n
    if directed:
        return np.asarray(sources * (n - 1) + targets - (targets > sources), dtype=np.int64)
    return np.asarray(_row_starts(n)[sources] + targets - sources - 1, dtype=np.int64)


def keys_of(ranks: Integers, n: int, directed: bool) -> Integers:
    """The key of every rank."""
    if not len(ranks):
        return ranks
    if directed:
        sources, targets = ranks // (n - 1), ranks % (n - 1)
        return np.asarray(sources * n + targets + (targets >= sources), dtype=np.int64)
    starts = _row_starts(n)
    sources = np.searchsorted(starts, ranks, side="right") - 1
    return np.asarray(sources * n + ranks - starts[sources] + sources + 1, dtype=np.int64)


def _row_starts(n: int) -> Integers:
    """Rank of the first pair of every node that is paired with a later node."""
    nodes = np.arange(n - 1, dtype=np.int64)
    return np.asarray(nodes * (2 * n - nodes - 1) // 2, dtype=np.int64)


def draw_absent(graph: Graph, count: int, rng: np.random.Generator) -> Integers:
    """Keys of distinct pairs that are not joined; every set of ``count`` pairs is equally likely. The order is
    arbitrary."""
    chosen = rng.choice(absent_count(graph), count, replace=False, shuffle=False).astype(np.int64)
    absent_before = ranks_of(graph.keys, graph.n, graph.directed) - np.arange(graph.m)
    return keys_of(chosen + np.searchsorted(absent_before, chosen, side="right"), graph.n, graph.directed)


def contains(ordered: Integers, keys: Integers) -> NDArray[np.bool_]:
    """Which of the keys occur in the sorted ones."""
    if not len(ordered):
        return np.zeros(keys.shape, dtype=np.bool_)
    order = np.argsort(keys, axis=None)
    asked = keys.ravel()[order]
    places = np.minimum(np.searchsorted(ordered, asked), len(ordered) - 1)
    found = np.empty(keys.size, dtype=np.bool_)
    found[order] = ordered[places] == asked
    return found.reshape(keys.shape)
