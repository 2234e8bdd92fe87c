"""Realizable: whether a graph with given degrees exists, and one such graph.

Erdős and Gallai, "Graphs with Prescribed Degrees of Vertices", 1960: degrees in descending order with an even sum
belong to a graph if, for every r, the r largest add up to at most r(r - 1) plus the edges that the other nodes can have
with these r. Fulkerson, "Zero-One Matrices with Zero Trace", 1960, states the same for directed graphs without loops.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.rebuild import build_directed, build_undirected
from antifaz.watch import Watch, unwatched

Integers = NDArray[np.int64]

SLICE = 30_000_000
"""Steps of the construction between two calls of the watch."""


def is_graphical(degrees: Integers) -> bool:
    """Whether an undirected graph has these degrees."""
    falling = np.sort(degrees[degrees != 0])[::-1]
    if not len(falling):
        return True
    if falling[-1] < 0 or falling[0] >= len(falling) or int(falling.sum()) % 2:
        return False
    # Beyond the last rank whose degree is at least the rank, the inequalities follow from the previous ones.
    most = int((falling >= np.arange(1, len(falling) + 1)).sum())
    ranks = np.arange(1, most + 1)
    sums = np.concatenate([[0], np.cumsum(falling)])
    # Other nodes with a degree above the rank contribute the rank, the rest their whole degree.
    above = np.maximum(np.searchsorted(-falling, -ranks, side="left"), ranks)
    return bool((sums[ranks] <= ranks * (ranks - 1) + (above - ranks) * ranks + sums[-1] - sums[above]).all())


def is_digraphical(sends: Integers, receives: Integers) -> bool:
    """Whether a directed graph without loops has these out- and in-degrees, by node."""
    if sends.min(initial=0) < 0 or receives.min(initial=0) < 0 or sends.sum() != receives.sum():
        return False
    order = np.lexsort((-receives, -sends))
    falling, limits = sends[order], receives[order]
    # Beyond the last sender the left-hand sides are constant and the right-hand sides never decrease.
    ranks = np.arange(1, int((falling > 0).sum()) + 1)
    above = np.bincount(limits, minlength=len(ranks) + 1)[::-1].cumsum()[::-1]
    takers = np.cumsum(above[1 : len(ranks) + 1])
    # A sender among the first r that could receive r edges receives one less, because it sends none to itself. This
    # applies to a sender at position p for every rank r from p to its in-degree.
    selves = np.flatnonzero(limits[: len(ranks)] >= ranks)
    begins = np.bincount(selves, minlength=len(ranks) + 1)
    ends = np.bincount(np.minimum(limits[selves], len(ranks)), minlength=len(ranks) + 1)
    itself = np.cumsum(begins - ends)[: len(ranks)]
    return bool((np.cumsum(falling[: len(ranks)]) <= takers - itself).all())


def build(n: int, degrees: Integers) -> Graph | None:
    """Return an undirected graph in which node v has ``degrees[v]`` edges, or None if there is none."""
    nodes = np.flatnonzero(degrees).astype(np.int64)
    values = np.ascontiguousarray(degrees[nodes])
    pairs = np.zeros((2, int(values.sum()) // 2 + 1), dtype=np.int64)
    if int(values.sum()) % 2:
        return None
    count = build_undirected(nodes, values, pairs)
    return None if count < 0 else Graph.from_pairs(n, pairs[0, :count], pairs[1, :count])


def build_arcs(n: int, sends: Integers, receives: Integers, watch: Watch = unwatched) -> Graph | None:
    """Return a directed graph in which node v sends ``sends[v]`` edges and receives ``receives[v]``, or None."""
    if sends.sum() != receives.sum():
        return None
    pairs = np.zeros((2, int(sends.sum()) + 1), dtype=np.int64)
    busy = np.flatnonzero(sends + receives)
    outward, inward = sends[busy].copy(), receives[busy].copy()
    order, reached, count = np.argsort(-inward), np.zeros(2, dtype=np.int64), 0
    while count >= 0 and reached[0] < len(busy):
        watch(int(reached[0]) / len(busy))
        count = build_directed(outward, inward, order, reached, SLICE, pairs)
    return None if count < 0 else Graph.from_pairs(n, busy[pairs[0, :count]], busy[pairs[1, :count]], directed=True)
