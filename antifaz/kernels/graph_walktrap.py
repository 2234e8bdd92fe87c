"""Joining neighboring communities whose nodes walk to the same places, over CSR rows.

The neighbors of a community are a linked list of the slots of its nodes, thinned to one slot for each neighboring
community when it is joined with another.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Neighbors = NDArray[np.int32]


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
def _cheapest(
    one: int, first: Integers, follow: Integers, neighbors: Neighbors, parent: Integers, sizes: Floats, walks: Floats
) -> tuple[int, float]:
    """The neighboring community that is cheapest to join, and the price; -1 if there is none."""
    nearest, lowest = -1, np.inf
    slot = first[one]
    while slot >= 0:
        there = _root(neighbors[slot], parent)
        if there != one:
            cost = _price(one, there, sizes, walks)
            if cost < lowest:
                nearest, lowest = there, cost
        slot = follow[slot]
    return nearest, lowest


@compiled()
def _merge(one: int, other: int, sizes: Floats, strengths: Floats, walks: Floats) -> None:
    """Put the second community into the first."""
    both = sizes[one] + sizes[other]
    for d in range(walks.shape[1]):
        # A walk from a community starts at any of its nodes alike: the mean, weighed by sizes.
        walks[one, d] = (walks[one, d] * sizes[one] + walks[other, d] * sizes[other]) / both
    sizes[one] = both
    strengths[one] += strengths[other]


@compiled()
def _thin(
    one: int,
    stamp: int,
    lists: Integers,
    follow: Integers,
    weights: Floats,
    neighbors: Neighbors,
    parent: Integers,
    seen: Integers,
) -> float:
    """Leave one slot for each neighboring community; return the weight of the slots that are now inside.

    ``lists`` are the first and the last slot of every list, ``seen`` for each community the last stamp and slot.
    """
    inside, slot, before = 0.0, lists[0, one], -1
    while slot >= 0:
        there = _root(neighbors[slot], parent)
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
def _reprice(
    one: int,
    other: int,
    first: Integers,
    follow: Integers,
    neighbors: Neighbors,
    parent: Integers,
    sizes: Floats,
    walks: Floats,
    nearest: Integers,
    prices: Floats,
) -> None:
    """Update the cheapest neighbor of the neighbors of a community that took in another."""
    slot = first[one]
    while slot >= 0:
        there = _root(neighbors[slot], parent)
        cost = _price(one, there, sizes, walks)
        # A neighbor whose cheapest was neither of the two keeps it, unless the new community is cheaper still: only
        # those who lose their cheapest compare all their neighbors again.
        if cost <= prices[there]:
            nearest[there], prices[there] = one, cost
        elif nearest[there] == one or nearest[there] == other:
            nearest[there], prices[there] = _cheapest(there, first, follow, neighbors, parent, sizes, walks)
        slot = follow[slot]


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


@compiled("int64[::1](int64[::1], int32[::1], float64[:, ::1])")
def join_walks(offsets: Integers, neighbors: Neighbors, walks: Floats) -> Integers:
    """The partition of highest modularity among those met while the cheapest neighbors are joined one by one.

    ``walks`` holds where walks from each node end; it is overwritten with the means of communities.
    """
    n = len(offsets) - 1
    total = float(max(1, len(neighbors)))
    parent, sizes, strengths = np.arange(n), np.ones(n), np.zeros(n)
    lists, seen = np.full((2, n), np.int64(-1)), np.full((2, n), np.int64(-1))
    follow, weights = np.full(len(neighbors), np.int64(-1)), np.ones(len(neighbors))
    nearest, prices = np.full(n, np.int64(-1)), np.full(n, np.inf)
    joined = np.full((n, 2), np.int64(-1))
    for node in range(n):
        strengths[node] = offsets[node + 1] - offsets[node]
        for slot in range(offsets[node], offsets[node + 1] - 1):
            follow[slot] = slot + 1
        if strengths[node]:
            lists[0, node], lists[1, node] = offsets[node], offsets[node + 1] - 1
        nearest[node], prices[node] = _cheapest(node, lists[0], follow, neighbors, parent, sizes, walks)
    gain, highest, best = 0.0, 0.0, 0
    for joins in range(n):
        one = int(np.argmin(prices))
        if prices[one] == np.inf:
            break
        other = nearest[one]
        # A community that is gone is never the cheapest again.
        parent[other], prices[other] = one, np.inf
        joined[joins, 0], joined[joins, 1] = one, other
        # Modularity is followed by its changes: expected links between the two are inside now, and below, when the
        # slots are thinned, the real ones.
        gain -= 2.0 * strengths[one] * strengths[other] / (total * total)
        _merge(one, other, sizes, strengths, walks)
        # Two linked lists become one in a single step, because the last slot of each is known.
        follow[lists[1, one]] = lists[0, other]
        lists[1, one] = lists[1, other]
        gain += _thin(one, joins, lists, follow, weights, neighbors, parent, seen) / total
        if gain > highest:
            highest, best = gain, joins + 1
        nearest[one], prices[one] = _cheapest(one, lists[0], follow, neighbors, parent, sizes, walks)
        _reprice(one, other, lists[0], follow, neighbors, parent, sizes, walks, nearest, prices)
    return _labels(joined, best, n)
