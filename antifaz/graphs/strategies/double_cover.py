"""A start for directed graphs: tight groups of (out, in) pairs, and arcs that serve two nodes in need at the same time.

In a directed graph a class is a pair of degrees, so nodes have to be grouped in two dimensions. Pairs that k nodes or
more have are centers; the other nodes join one or form groups, which annealing makes tight. An arc moves an out-degree
and an in-degree: arcs are added between nodes that both need them and removed between nodes that both have too many,
then handed over from node to node. The search of `greedy` continues from there with a few remaining nodes near large
classes.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.balance import balance_groups
from antifaz.kernels.graphs.groups import found_groups, tighten_groups
from antifaz.kernels.graphs.realize import hand_over, no_edits, pair_up
from antifaz.watch import Watch, unwatched, within

Integers = NDArray[np.int64]

HEAT = 4.0
"""How much a move may increase the cost of two groups at the beginning, in units of degree."""
WINDOW = 300
"""Number of nodes among which the members of a new group are searched."""
SLICE = 250_000
"""Moves that make groups tight between two calls of the watch."""
FAR = 1 << 40
"""Distance of a center that does not exist."""


def pair_targets(graph: Graph, k: int, tries: int, rng: np.random.Generator, watch: Watch = unwatched) -> Integers:
    """Target (out, in) degrees, by node: k nodes or more share each pair, if every node reaches its target."""
    degrees = np.stack([graph.out_degrees, graph.in_degrees])
    _, member, sizes = np.unique(
        degrees[0] * np.int64(graph.n + 1) + degrees[1], return_inverse=True, return_counts=True
    )
    rare = rng.permutation(np.flatnonzero(sizes[member] < k))
    rare = rare[np.argsort(-degrees[:, rare].sum(axis=0), kind="stable")]
    points = np.ascontiguousarray(degrees[:, rare])
    centers = np.unique(degrees[:, sizes[member] >= k], axis=1)
    nearest, gaps = _nearest(points, centers, within(watch, 0.0, 0.3))
    group = np.empty(len(rare), dtype=np.int64)
    groups = found_groups(points, gaps, k, WINDOW, group)
    if groups:
        # The cost of comparing two groups grows with their size.
        slices = -(-tries // SLICE)
        for number in range(slices):
            watch(0.3 + 0.7 * number / slices)
            warm, cooled = HEAT * (1 - number / slices), HEAT * (1 - (number + 1) / slices)
            moves = 8 * tries // (8 + k) // slices
            tighten_groups(points, gaps, groups, k, moves, warm, cooled, int(rng.integers(0, 2**62)), group)
    targets = degrees.copy()
    joining = (group < 0) & (gaps < FAR)
    targets[:, rare[joining]] = centers[:, nearest[joining]]
    grouped = group >= 0
    if grouped.any():
        surplus = int(targets[0].sum() - targets[1].sum()) - int(points[0, grouped].sum() - points[1, grouped].sum())
        chosen = _balanced(points[:, grouped], group[grouped], surplus, graph.n - 1)
        targets[:, rare[grouped]] = chosen[:, group[grouped]]
    return targets


def _nearest(points: Integers, centers: Integers, watch: Watch) -> tuple[Integers, Integers]:
    """The nearest center of every point, and its distance."""
    nearest = np.zeros(points.shape[1], dtype=np.int64)
    gaps = np.full(points.shape[1], FAR, dtype=np.int64)
    if not centers.shape[1]:
        return nearest, gaps
    most = max(1, 2_000_000 // centers.shape[1])
    for start in range(0, points.shape[1], most):
        watch(start / points.shape[1])
        block = points[:, start : start + most, None]
        distances = np.abs(block - centers[:, None, :]).sum(axis=0)
        nearest[start : start + most] = distances.argmin(axis=1)
        gaps[start : start + most] = distances.min(axis=1)
    return nearest, gaps


def _balanced(points: Integers, group: Integers, surplus: int, ceiling: int) -> Integers:
    """A target pair for every group: medians, shifted a little so that out- and in-degrees have the same sum.

    ``surplus`` is the sum of all other out-degrees minus that of all other in-degrees. A shift by one costs a group
    little and changes the sum by the number of its members.
    """
    sizes = np.bincount(group)
    medians = np.stack([_medians(values, group, sizes) for values in points])
    balance_groups(np.ascontiguousarray(points), group, medians, surplus, ceiling)
    return medians


def _medians(values: Integers, group: Integers, sizes: Integers) -> Integers:
    """The median of every group."""
    order = np.lexsort((values, group))
    middles = np.cumsum(sizes) - sizes + sizes // 2
    return np.asarray(values[order][middles], dtype=np.int64)


def begin(graph: Graph, rows: tuple[Integers, NDArray[np.int32]], targets: Integers, rng: np.random.Generator) -> Graph:
    """The graph edited towards the targets, without detours; ``rows`` are those of its double cover."""
    n = graph.n
    residual = np.concatenate([targets[0] - graph.out_degrees, targets[1] - graph.in_degrees])
    edits = no_edits(*rows, n, residual)
    for sign in (1, -1):
        sides = rng.permutation(np.flatnonzero(sign * residual > 0))
        order = sides[np.argsort(-np.abs(residual[sides]), kind="stable")]
        pair_up(edits, order)
    for kind in (range(n), range(n, 2 * n)):
        own = residual[kind.start : kind.stop]
        losers = rng.permutation(np.flatnonzero(own < 0)) + kind.start
        winners = rng.permutation(np.flatnonzero(own > 0)) + kind.start
        shifts = rng.integers(0, 2**40, len(losers))
        hand_over(edits, winners, losers, shifts, False)
    senders, receivers = np.divmod(edits.pairs[: edits.used[0]], 2 * n)
    keys = senders * np.int64(n) + receivers - n
    return Graph(n, np.setxor1d(graph.keys, keys, assume_unique=True), directed=True)
