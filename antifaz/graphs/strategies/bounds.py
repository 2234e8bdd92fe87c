"""Lower bounds on the edges that any k-degree anonymous version adds and removes.

Undirected. One edit moves two degrees by one, so half of the least L1 distance of a k-anonymous sequence is a bound.
A stronger bound gives each unit that a vertex loses the weight y_v instead of 1/2: for a removed edge uv, 1 is at least
y_u + y_v - max(0, y_u + y_v - 1), so the number of edits is at least the least sum of raises/2 + y·lowers, minus
max(0, y_u + y_v - 1) summed over the edges of the graph. With y = b ≥ 1/2 on the highest degrees and 1-b elsewhere,
only edges among the former count, y never rises as degrees fall, and the exchange argument that makes the best
sequence a run of groups in degree order still holds.

Directed. One arc moves one in-degree and one out-degree, and both final sequences are k-anonymous: the larger of
their two L1 distances is a bound.

Cost: O(#distinct degrees · k²) for each of at most a few dozen weights.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.sequence import MOST_STEPS as MOST_EXACT
from antifaz.kernels.graphs.sequence import cheapest_sequence
from antifaz.watch import Watch, unwatched

Integers = NDArray[np.int64]

SCALE = 16
"""Weights are multiples of 1/16, so that the bound is exact in integers."""
MOST_STEPS = 40_000_000
"""Steps of the dynamic program that the stronger bound may take."""


class DegreeClasses(NamedTuple):
    """The distinct degrees, falling, and the number of nodes with each."""

    degrees: Integers
    sizes: Integers

    @classmethod
    def of(cls, degrees: Integers) -> "DegreeClasses":
        distinct, sizes = np.unique(degrees, return_counts=True)
        return cls(np.ascontiguousarray(distinct[::-1]), np.ascontiguousarray(sizes[::-1]).astype(np.int64))


def edit_lower_bound(graph: Graph, k: int, watch: Watch = unwatched) -> int:
    """The least number of edges added and removed to reach any k-degree anonymous graph on these nodes.

    The bound is 0 if k is so large that finding the cheapest sequence would take minutes.
    """
    watch(0.0)
    if graph.directed:
        return sequence_lower_bound(graph, k, watch)
    return max(sequence_lower_bound(graph, k), _weighted_change(graph, DegreeClasses.of(graph.degrees), k, watch))


def sequence_lower_bound(graph: Graph, k: int, watch: Watch = unwatched) -> int:
    """The same, by the cheapest degree sequence alone: weaker, but computed immediately."""
    if graph.directed:
        into = _least_change(graph.in_degrees, k)
        watch(0.5)
        return max(into, _least_change(graph.out_degrees, k))
    return _halved_change(DegreeClasses.of(graph.degrees), graph.n, k)


def _sequence_price(classes: DegreeClasses, raising: Integers, lowering: Integers, k: int, n: int, even: bool) -> int:
    """Price of the cheapest sequence; 8k nodes are enough to represent a long run of equal degrees.

    0, which nothing undercuts, stands for a price that would take too long to find.
    """
    taken = np.minimum(classes.sizes, 8 * k)
    if int(taken.sum()) * k > MOST_EXACT:
        return 0
    values = np.repeat(classes.degrees, taken)
    targets = np.empty_like(values)
    return cheapest_sequence(values, np.repeat(raising, taken), np.repeat(lowering, taken), k, n - 1, even, targets)


def _least_change(degrees: Integers, k: int) -> int:
    classes = DegreeClasses.of(degrees)
    units = np.ones_like(classes.degrees)
    return max(0, _sequence_price(classes, units, units, k, len(degrees), False))


def _halved_change(classes: DegreeClasses, n: int, k: int) -> int:
    units = np.ones_like(classes.degrees)
    return max(0, -(-_sequence_price(classes, units, units, k, n, True) // 2))


def _weighted_change(graph: Graph, classes: DegreeClasses, k: int, watch: Watch) -> int:
    """The stronger bound, maximized over the number of highest degrees with more weight, and over that weight."""
    positions = int(np.minimum(classes.sizes, 8 * k).sum())
    tops = _class_limits(classes, k)
    weights = range(SCALE // 2 + 1, SCALE + 1)
    if 4 * positions * k * len(tops) * len(weights) > MOST_STEPS:
        tops = tops[:: max(1, 4 * positions * k * len(tops) * len(weights) // MOST_STEPS)]
    inner = _edges_among_highest(graph, classes)
    best = 0
    for number, top in enumerate(tops):
        for weight in weights:
            watch(number / len(tops))
            lowering = np.full_like(classes.degrees, SCALE - weight)
            lowering[:top] = weight
            price = _sequence_price(classes, np.full_like(lowering, SCALE // 2), lowering, k, graph.n, True)
            best = max(best, -(-(price - (2 * weight - SCALE) * int(inner[top])) // SCALE))
    return best


def _class_limits(classes: DegreeClasses, k: int) -> Integers:
    """Numbers of highest degree classes to give more weight, such that they hold about k/2, k, 2k, … nodes."""
    nodes = np.cumsum(classes.sizes)
    wanted = (k / 2) * 2.0 ** np.arange(0, 9, 0.25)
    limits = distinct(np.searchsorted(nodes, wanted[wanted <= nodes[-1]]) + 1)
    return limits[limits <= len(nodes)].astype(np.int64)


def _edges_among_highest(graph: Graph, classes: DegreeClasses) -> Integers:
    """Cell t: number of edges with both ends among the t highest degree classes."""
    rank = np.searchsorted(-classes.degrees, -graph.degrees)
    later = np.maximum(rank[graph.sources], rank[graph.targets])
    inner = np.zeros(len(classes.degrees) + 1, dtype=np.int64)
    np.cumsum(np.bincount(later, minlength=len(classes.degrees)), out=inner[1:])
    return inner
