"""Joining neighboring communities whose nodes walk to the same places, over CSR rows.

The neighbors of a community are a linked list of the slots of its nodes, thinned to one slot for each neighboring
community when it is joined with another. A call returns after a number of steps, between two joins, and the next one
goes on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.types import boolean, float64, int32, int64, named

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Neighbors = NDArray[np.int32]
COUNTED, JOINS, BEST, WORK = 0, 1, 2, 3
"""Cells of ``counts``: nodes whose neighbors were priced, joins made, joins that led to the highest modularity, and
numbers compared in this call."""


class Communities(NamedTuple):
    """Communities that are being joined."""

    parent: Integers
    """For each node another of its community, in the end the one that stands for it."""
    sizes: Floats
    strengths: Floats
    """The ends of edges of each community."""
    lists: Integers
    """The first and the last slot of every list."""
    seen: Integers
    """For each community the last stamp and slot."""
    follow: Integers
    """The slot after each slot, or -1."""
    weights: Floats
    nearest: Integers
    """The neighbor that is cheapest to join."""
    prices: Floats
    joined: Integers
    """The two communities of each join."""
    gains: Floats
    """Rise of the modularity so far, and the highest."""
    counts: Integers
    walks: Floats
    """Where walks from each community end, on average."""


COMMUNITIES = named(
    Communities,
    *(int64[::1], float64[::1], float64[::1], int64[:, ::1], int64[:, ::1], int64[::1], float64[::1]),
    *(int64[::1], float64[::1], int64[:, ::1], float64[::1], int64[::1], float64[:, ::1]),
)


def lone_nodes(n: int, slots: int, walks: Floats) -> Communities:
    """Communities of one node each; ``walks`` is overwritten."""
    return Communities(
        *(np.arange(n), np.ones(n), np.zeros(n), np.full((2, n), -1), np.full((2, n), -1), np.full(slots, -1)),
        *(np.ones(slots), np.full(n, -1), np.full(n, np.inf), np.full((n, 2), -1), np.zeros(2)),
        *(np.zeros(4, dtype=np.int64), walks),
    )


@compiled()
def _root(node: int, parent: Integers) -> int:
    """The current community of a node."""
    while parent[node] != node:
        # Halved paths, as in a union-find structure: communities of communities are found in nearly constant time.
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@compiled(inlined=True)
def _price(one: int, other: int, sizes: Floats, walks: Floats) -> float:
    """By how much joining two communities raises the squared distances of nodes to the centers of their own."""
    squares = 0.0
    for d in range(walks.shape[1]):
        gap = walks[one, d] - walks[other, d]
        squares += gap * gap
    # Ward's criterion, as in Pons and Latapy, "Computing Communities in Large Networks Using Random Walks", Journal of
    # Graph Algorithms and Applications 2006: it follows from the two means and sizes alone.
    return float(squares * sizes[one] * sizes[other] / (sizes[one] + sizes[other]))


@compiled()
def _cheapest(one: int, neighbors: Neighbors, found: Communities) -> tuple[int, float]:
    """The neighboring community that is cheapest to join, and the price; -1 if there is none."""
    nearest, lowest = -1, np.inf
    slot = found.lists[0, one]
    while slot >= 0:
        there = _root(neighbors[slot], found.parent)
        if there != one:
            cost = _price(one, there, found.sizes, found.walks)
            if cost < lowest:
                nearest, lowest = there, cost
        found.counts[WORK] += found.walks.shape[1]
        slot = found.follow[slot]
    return nearest, lowest


@compiled()
def _merge(one: int, other: int, found: Communities) -> None:
    """Put the second community into the first."""
    sizes, walks = found.sizes, found.walks
    both = sizes[one] + sizes[other]
    for d in range(walks.shape[1]):
        # A walk from a community starts at any of its nodes alike: the mean, weighed by sizes.
        walks[one, d] = (walks[one, d] * sizes[one] + walks[other, d] * sizes[other]) / both
    sizes[one] = both
    found.strengths[one] += found.strengths[other]


@compiled()
def _thin(one: int, stamp: int, neighbors: Neighbors, found: Communities) -> float:
    """Leave one slot for each neighboring community; return the weight of the slots that are now inside."""
    lists, seen, follow, weights = found.lists, found.seen, found.follow, found.weights
    inside, slot, before = 0.0, lists[0, one], -1
    while slot >= 0:
        there = _root(neighbors[slot], found.parent)
        if there == one:
            inside += weights[slot]
        elif seen[0, there] == stamp:
            # A second slot to the same community: its weight goes to the first one, and it leaves the list for good.
            weights[seen[1, there]] += weights[slot]
        else:
            seen[0, there], seen[1, there] = stamp, slot
            if before < 0:
                lists[0, one] = slot
            else:
                follow[before] = slot
            before = slot
        slot = follow[slot]
    if before < 0:
        lists[0, one] = -1
    else:
        follow[before] = -1
    lists[1, one] = before
    return inside


@compiled()
def _reprice(one: int, other: int, neighbors: Neighbors, found: Communities) -> None:
    """Update the cheapest neighbor of the neighbors of a community that took in another."""
    nearest, prices = found.nearest, found.prices
    slot = found.lists[0, one]
    while slot >= 0:
        there = _root(neighbors[slot], found.parent)
        cost = _price(one, there, found.sizes, found.walks)
        # A neighbor whose cheapest was neither of the two keeps it, unless the new community is cheaper still: only
        # those who lose their cheapest compare all their neighbors again.
        if cost <= prices[there]:
            nearest[there], prices[there] = one, cost
        elif nearest[there] == one or nearest[there] == other:
            nearest[there], prices[there] = _cheapest(there, neighbors, found)
        found.counts[WORK] += found.walks.shape[1]
        slot = found.follow[slot]


@compiled()
def _labels(joined: Integers, joins: int, n: int) -> Integers:
    """The community of every node after a number of joins."""
    label = np.arange(n)
    for j in range(joins):
        # Joins are kept and not partitions: the best one is made again from those that led to it.
        label[joined[j, 1]] = joined[j, 0]
    for node in range(n):
        top = node
        while label[top] != top:
            top = label[top]
        label[node] = top
    return label


@compiled()
def _count_in(node: int, offsets: Integers, neighbors: Neighbors, found: Communities) -> None:
    """List the neighbors of one node, and find the cheapest."""
    found.strengths[node] = offsets[node + 1] - offsets[node]
    for slot in range(offsets[node], offsets[node + 1] - 1):
        found.follow[slot] = slot + 1
    if found.strengths[node]:
        found.lists[0, node], found.lists[1, node] = offsets[node], offsets[node + 1] - 1
    found.nearest[node], found.prices[node] = _cheapest(node, neighbors, found)


@compiled()
def _join(one: int, neighbors: Neighbors, found: Communities) -> None:
    """Join a community with its cheapest neighbor."""
    joins, gains, total = found.counts[JOINS], found.gains, float(max(1, len(neighbors)))
    other = found.nearest[one]
    # A community that is gone is never the cheapest again.
    found.parent[other], found.prices[other] = one, np.inf
    found.joined[joins, 0], found.joined[joins, 1] = one, other
    # Modularity is followed by its changes: expected links between the two are inside now, and below, when the
    # slots are thinned, the real ones.
    gains[0] -= 2.0 * found.strengths[one] * found.strengths[other] / (total * total)
    _merge(one, other, found)
    # Two linked lists become one in a single step, because the last slot of each is known.
    found.follow[found.lists[1, one]] = found.lists[0, other]
    found.lists[1, one] = found.lists[1, other]
    gains[0] += _thin(one, joins, neighbors, found) / total
    found.counts[JOINS] += 1
    if gains[0] > gains[1]:
        gains[1], found.counts[BEST] = gains[0], found.counts[JOINS]
    found.nearest[one], found.prices[one] = _cheapest(one, neighbors, found)
    _reprice(one, other, neighbors, found)


@compiled(boolean(int64[::1], int32[::1], COMMUNITIES, int64))
def join_walks(offsets: Integers, neighbors: Neighbors, found: Communities, steps: int) -> bool:
    """Join the cheapest neighbors one by one, for about a number of comparisons of numbers; return whether none are
    left."""
    n, counts = len(offsets) - 1, found.counts
    counts[WORK] = 0
    while counts[COUNTED] < n:
        if counts[WORK] >= steps:
            return False
        _count_in(counts[COUNTED], offsets, neighbors, found)
        counts[COUNTED] += 1
    while counts[JOINS] < n:
        if counts[WORK] >= steps:
            return False
        one = int(np.argmin(found.prices))
        if found.prices[one] == np.inf:
            break
        counts[WORK] += n
        _join(one, neighbors, found)
    return True


@compiled(int64[::1](COMMUNITIES))
def best_partition(found: Communities) -> Integers:
    """The partition of highest modularity among those met on the way."""
    return _labels(found.joined, found.counts[BEST], len(found.parent))
