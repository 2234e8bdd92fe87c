"""Editing a graph towards given degrees by the plain steps of the published constructions.

No pair is touched twice, so that the edits are a set of pairs to toggle: an edge that went does not come back, and one
that came does not go. What the steps leave unsettled is reported, not hidden. Nothing is drawn here: orders and random
numbers come from the caller. A directed graph is given as its bipartite double cover: side u sends, n + v receives.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]
Rows = NDArray[np.int32]

MOST_COMPARED = 16
"""How many edges are compared for the least relevant one."""
MOST_LOSERS = 512
"""How many nodes with too many edges are asked for one that can be handed over."""


@compiled()
def _joined(offsets: Integers, neighbors: Rows, a: int, b: int) -> bool:
    """Whether the graph as it was joins the two nodes."""
    low, stop = offsets[a], offsets[a + 1]
    high = stop
    while low < high:
        middle = (low + high) >> 1
        if neighbors[middle] < b:
            low = middle + 1
        else:
            high = middle
    return bool(low < stop and neighbors[low] == b)


@compiled()
def _place(touched: Integers, key: int) -> int:
    """Where a pair stands in the open-addressing table, or would."""
    mask = np.int64(len(touched) - 1)
    word = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(word >> np.uint64(20)) & mask
    while touched[place] >= 0 and touched[place] != key:
        place = (place + np.int64(1)) & mask
    return int(place)


@compiled()
def _key(n: int, a: int, b: int) -> int:
    return min(a, b) * n + max(a, b)


@compiled()
def _may_pair(people: int, sides: int, a: int, b: int) -> bool:
    """Whether an edge between the two sides makes sense: from a sender to a receiver, and to nobody's own side."""
    if sides == people:
        return a != b
    return (a < people) != (b < people) and abs(a - b) != people


@compiled()
def _may_come(offsets: Integers, neighbors: Rows, people: int, touched: Integers, a: int, b: int) -> bool:
    """Whether the pair can still be added."""
    n = len(offsets) - 1
    return (
        _may_pair(people, n, a, b)
        and not _joined(offsets, neighbors, a, b)
        and touched[_place(touched, _key(n, a, b))] < 0
    )


@compiled()
def _toggle(n: int, touched: Integers, a: int, b: int, edits: Integers, count: Integers) -> None:
    """Note the pair as an edit."""
    touched[_place(touched, _key(n, a, b))] = _key(n, a, b)
    edits[count[0]] = _key(n, a, b)
    count[0] += 1


@compiled()
def _next_in_need(order: Integers, residual: Integers, following: Integers, at: int) -> int:
    """The first place from ``at`` on whose node is not settled; those that are settled are skipped for good."""
    while at < len(order) and residual[order[at]] == 0:
        after = following[at]
        if after < len(order) and residual[order[after]] == 0:
            following[at] = following[after]
        at = after
    return at


@compiled("void(int64[::1], int32[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def pair_up(
    offsets: Integers,
    neighbors: Rows,
    people: int,
    order: Integers,
    residual: Integers,
    touched: Integers,
    edits: Integers,
    count: Integers,
) -> None:
    """Join nodes in need of edges, each of ``order`` in turn with those after it; or cut edges between such as have
    too many.

    ``residual`` is what every node has to gain or, below zero, to lose; all of ``order`` have the same sign. Of a
    directed graph with ``people`` nodes, the nodes here are its sides.
    """
    n = len(offsets) - 1
    mark = np.full(n, np.int64(-1))
    following = np.arange(1, len(order) + 1)
    for i in range(len(order)):
        node = order[i]
        if residual[node] == 0:
            continue
        rises = residual[node] > 0
        for j in range(offsets[node], offsets[node + 1]):
            mark[neighbors[j]] = i
        j = _next_in_need(order, residual, following, i + 1)
        while j < len(order) and residual[node] != 0:
            other = order[j]
            fits = (mark[other] == i) != rises and _may_pair(people, n, node, other)
            if fits and touched[_place(touched, _key(n, node, other))] < 0:
                _toggle(n, touched, node, other, edits, count)
                residual[node] -= 1 if rises else -1
                residual[other] -= 1 if rises else -1
            j = _next_in_need(order, residual, following, j + 1)


@compiled()
def _best_edge(
    offsets: Integers,
    neighbors: Rows,
    people: int,
    touched: Integers,
    mark: Integers,
    loser: int,
    winner: int,
    shift: int,
    by_relevance: bool,
) -> int:
    """The node at the far end of an edge of the loser that the winner can take over, or -1.

    ``mark`` holds the loser's number at its neighbors.
    """
    n = len(offsets) - 1
    start, length = offsets[loser], offsets[loser + 1] - offsets[loser]
    best, least, compared = -1, 0, 0
    for i in range(length):
        partner = int(neighbors[start + (i + shift) % length])
        if touched[_place(touched, _key(n, loser, partner))] >= 0:
            continue
        if not _may_come(offsets, neighbors, people, touched, partner, winner):
            continue
        if not by_relevance:
            return partner
        relevance = offsets[partner + 1] - offsets[partner]
        for j in range(offsets[partner], offsets[partner + 1]):
            if mark[neighbors[j]] == loser:
                relevance -= 2
        if best < 0 or relevance < least:
            best, least = partner, relevance
        compared += 1
        if compared == MOST_COMPARED:
            break
    return best


@compiled(
    "void(int64[::1], int32[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], boolean, int64[::1], "
    "int64[::1], int64[::1])"
)
def hand_over(
    offsets: Integers,
    neighbors: Rows,
    people: int,
    winners: Integers,
    losers: Integers,
    shifts: Integers,
    residual: Integers,
    by_relevance: bool,
    touched: Integers,
    edits: Integers,
    count: Integers,
) -> None:
    """Hand edges of nodes that have too many over to such as have too few, any or those of the lowest centrality.

    The centrality of an edge counts the neighbors of one of its ends that are not both's. ``shifts`` say where in its
    row the search for an edge of each loser begins. Of a directed graph, all are sides of one kind.
    """
    n = len(offsets) - 1
    mark = np.full(n, np.int64(-1))
    first = 0
    for winner in winners:
        while first < len(losers) and residual[losers[first]] == 0:
            first += 1
        i = first
        while i < min(len(losers), first + MOST_LOSERS) and residual[winner] > 0:
            loser = losers[i]
            if residual[loser] == 0:
                i += 1
                continue
            if by_relevance:
                for j in range(offsets[loser], offsets[loser + 1]):
                    mark[neighbors[j]] = loser
            shift = shifts[i]
            partner = _best_edge(offsets, neighbors, people, touched, mark, loser, winner, shift, by_relevance)
            if partner < 0:
                i += 1
                continue
            _toggle(n, touched, loser, partner, edits, count)
            _toggle(n, touched, winner, partner, edits, count)
            residual[loser] += 1
            residual[winner] -= 1


@compiled(
    "void(int64[::1], int32[::1], int64[::1], int64[:, ::1], int64[::1], int64, int64[::1], int64[::1], int64[::1])"
)
def swap_in(
    offsets: Integers,
    neighbors: Rows,
    needy: Integers,
    drawn: Integers,
    residual: Integers,
    tries: int,
    touched: Integers,
    edits: Integers,
    count: Integers,
) -> None:
    """Settle two units at a time: a drawn edge x–y gives way to u–x and v–y, u and v being nodes that need edges."""
    n = len(offsets) - 1
    used = 0
    for i in range(len(needy)):
        u = needy[i]
        j = i
        while j < len(needy) and residual[u] > 0 and used < drawn.shape[1]:
            v = needy[j]
            if residual[v] < (2 if u == v else 1):
                j += 1
                continue
            found = False
            for _ in range(min(tries, drawn.shape[1] - used)):
                x, y = drawn[0, used], drawn[1, used]
                used += 1
                if touched[_place(touched, _key(n, x, y))] >= 0 or x in (u, v) or y in (u, v):
                    continue
                fits = _may_come(offsets, neighbors, n, touched, u, x) and _may_come(
                    offsets, neighbors, n, touched, v, y
                )
                if fits:
                    _toggle(n, touched, x, y, edits, count)
                    _toggle(n, touched, u, x, edits, count)
                    _toggle(n, touched, v, y, edits, count)
                    residual[u] -= 1
                    residual[v] -= 1
                    found = True
                    break
            if not found:
                j += 1
