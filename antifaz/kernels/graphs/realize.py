"""Edit a graph towards given degrees by the simple steps of the published constructions.

No pair is touched twice, so the edits are a set of pairs to toggle: a removed edge is not restored, and an added one is
not removed. Needs that the steps leave unsettled are reported. Nothing is drawn here: orders and random numbers come
from the caller. A directed graph is given as its bipartite double cover: side u sends, n + v receives.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.sorted_rows import row_has
from antifaz.kernels.numba.types import boolean, int32, int64, named, void

Integers = NDArray[np.int64]
Rows = NDArray[np.int32]

MOST_COMPARED = 16
"""Number of edges compared to find the least relevant one."""
MOST_LOSERS = 512
"""Number of nodes with too many edges that are tried for an edge to hand over."""
MOST_LOOKS = 20_000_000
"""Places of rows that a call may look at for edges to hand over; what is left then stays unsettled."""


class Edits(NamedTuple):
    """A graph, the edits made so far and what every node still needs; of a directed graph the nodes are its sides."""

    offsets: Integers
    neighbors: Rows
    people: int
    """Nodes of the graph, which has twice as many sides if it is directed."""
    residual: Integers
    """Edges that every node has to gain or, below zero, to lose."""
    touched: Integers
    """Open addressing: the pairs that were edited, or -1."""
    pairs: Integers
    used: Integers
    """How many of the pairs are in use, and how many places of rows the last call has looked at: kernels raise both."""


EDITS = named(Edits, int64[::1], int32[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1])


def no_edits(offsets: Integers, neighbors: Rows, people: int, residual: Integers) -> Edits:
    """A state without edits, with room for the edits that these needs may take."""
    # No step makes more than two edits for a unit that it settles: a swap makes three for two. The table stays at least
    # half empty, so that a lookup takes a step or two.
    capacity = 2 * int(np.abs(residual).sum()) + 8
    touched = np.full(1 << (2 * capacity).bit_length(), -1, dtype=np.int64)
    pairs, used = np.zeros(capacity, dtype=np.int64), np.zeros(2, dtype=np.int64)
    return Edits(offsets, neighbors, people, residual, touched, pairs, used)


@compiled()
def _place(touched: Integers, key: int) -> int:
    """The place of a pair in the open-addressing table, or where it belongs."""
    # Fibonacci hashing: the product with 2^64 over the golden ratio spreads neighboring keys, and its upper bits depend
    # on all bits of the key; the lowest, which are left out, do not.
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
def _is_untouched(edits: Edits, a: int, b: int) -> bool:
    key = _key(len(edits.offsets) - 1, a, b)
    return bool(edits.touched[_place(edits.touched, key)] < 0)


@compiled()
def _may_pair(edits: Edits, a: int, b: int) -> bool:
    """Whether an edge between the two sides makes sense: from a sender to a receiver, and not between the sides of one
    node."""
    if len(edits.offsets) - 1 == edits.people:
        return a != b
    return (a < edits.people) != (b < edits.people) and abs(a - b) != edits.people


@compiled()
def _may_come(edits: Edits, a: int, b: int) -> bool:
    """Whether the pair can still be added."""
    return _may_pair(edits, a, b) and not row_has(edits.offsets, edits.neighbors, a, b) and _is_untouched(edits, a, b)


@compiled()
def _toggle(edits: Edits, a: int, b: int) -> None:
    """Note the pair as an edit."""
    key = _key(len(edits.offsets) - 1, a, b)
    edits.touched[_place(edits.touched, key)] = key
    edits.pairs[edits.used[0]] = key
    edits.used[0] += 1


@compiled()
def _next_in_need(order: Integers, residual: Integers, following: Integers, at: int) -> int:
    """The first place from ``at`` on whose node is not settled; those that are settled are skipped for good."""
    while at < len(order) and residual[order[at]] == 0:
        after = following[at]
        # Halved paths, as in a union-find structure: a run of settled nodes is not walked again by every later node.
        if after < len(order) and residual[order[after]] == 0:
            following[at] = following[after]
        at = after
    return at


@compiled(void(EDITS, int64[::1]))
def pair_up(edits: Edits, order: Integers) -> None:
    """Join nodes in need of edges, each of ``order`` in turn with those after it; or cut edges between nodes that have
    too many.

    The residuals of all of ``order`` have the same sign.
    """
    if len(order) and edits.residual[order[0]] < 0:
        _cut_between(edits, order)
    else:
        _join_between(edits, order)


@compiled()
def _join_between(edits: Edits, order: Integers) -> None:
    offsets, neighbors, residual = edits.offsets, edits.neighbors, edits.residual
    sides = len(offsets) - 1
    mark = np.full(sides, np.int64(-1))
    following = _following_by_kind(edits, order)
    # With falling needs this is the greedy construction of Havel and Hakimi, on pairs that the graph leaves free.
    for i in range(len(order)):
        node = order[i]
        if residual[node] == 0:
            continue
        # Marks carry the turn's number: nothing has to be reset before the next node.
        for j in range(offsets[node], offsets[node + 1]):
            mark[neighbors[j]] = i
        others = following[0 if sides == edits.people or node >= edits.people else 1]
        j = _next_in_need(order, residual, others, others[i])
        while j < len(order) and residual[node] != 0:
            other = order[j]
            if mark[other] != i and _may_pair(edits, node, other) and _is_untouched(edits, node, other):
                _toggle(edits, node, other)
                residual[node] -= 1
                residual[other] -= 1
            j = _next_in_need(order, residual, others, others[j])


@compiled()
def _cut_between(edits: Edits, order: Integers) -> None:
    offsets, neighbors, residual = edits.offsets, edits.neighbors, edits.residual
    place_of = np.full(len(offsets) - 1, np.int64(-1))
    place_of[order] = np.arange(len(order))
    # Few of the others are neighbors: only those are compared, and not all pairs of nodes that have too many edges.
    for i in range(len(order)):
        node = order[i]
        if residual[node] == 0:
            continue
        for j in np.sort(place_of[neighbors[offsets[node] : offsets[node + 1]]]):
            if residual[node] == 0:
                break
            if j <= i or residual[order[j]] == 0:
                continue
            other = order[j]
            if _is_untouched(edits, node, other):
                _toggle(edits, node, other)
                residual[node] += 1
                residual[other] += 1


@compiled()
def _following_by_kind(edits: Edits, order: Integers) -> Integers:
    """The next place behind each that holds a sender (first row; or any undirected node), and a receiver (second)."""
    # A sender never meets another sender: thousands of them would otherwise each walk past all others.
    following = np.full((2, len(order)), np.int64(len(order)))
    for i in range(len(order) - 1, 0, -1):
        following[0, i - 1] = following[0, i]
        following[1, i - 1] = following[1, i]
        following[0 if order[i] < edits.people else 1, i - 1] = i
    return following


@compiled()
def _best_edge(edits: Edits, mark: Integers, loser: int, winner: int, shift: int, by_relevance: bool) -> int:
    """The node at the far end of an edge of the loser that the winner can take over, or -1.

    ``mark`` holds the loser's number at its neighbors.
    """
    offsets, neighbors = edits.offsets, edits.neighbors
    start, length = offsets[loser], offsets[loser + 1] - offsets[loser]
    best, least, compared = -1, 0, 0
    for i in range(length):
        # Each search begins elsewhere in the row: otherwise the nodes with the smallest numbers would lose all the
        # edges.
        partner = int(neighbors[start + (i + shift) % length])
        edits.used[1] += 1
        if not _is_untouched(edits, loser, partner):
            continue
        if not _may_come(edits, partner, winner):
            continue
        if not by_relevance:
            return partner
        # Neighbors of one end alone: |A| + |B| - 2 |A and B|. The loser's own |A| is the same for all its edges and is
        # left out of the comparison.
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


@compiled(void(EDITS, int64[::1], int64[::1], int64[::1], boolean))
def hand_over(edits: Edits, winners: Integers, losers: Integers, shifts: Integers, by_relevance: bool) -> None:
    """Hand edges of nodes that have too many over to nodes that have too few, any edges or those of the lowest
    centrality.

    The centrality of an edge counts the neighbors of one of its ends that are not neighbors of both. ``shifts`` are the
    places in the losers' rows where the search for an edge begins. In a directed graph, all are sides of one kind.
    """
    offsets, neighbors, residual = edits.offsets, edits.neighbors, edits.residual
    mark = np.full(len(offsets) - 1, np.int64(-1))
    first = 0
    edits.used[1] = 0
    for winner in winners:
        # Losers that are settled stay so: later winners begin behind them.
        while first < len(losers) and residual[losers[first]] == 0:
            first += 1
        i = first
        while i < min(len(losers), first + MOST_LOSERS) and residual[winner] > 0:
            if edits.used[1] > MOST_LOOKS:
                return
            loser = losers[i]
            if residual[loser] == 0:
                i += 1
                continue
            if by_relevance:
                for j in range(offsets[loser], offsets[loser + 1]):
                    mark[neighbors[j]] = loser
            partner = _best_edge(edits, mark, loser, winner, shifts[i], by_relevance)
            if partner < 0:
                i += 1
                continue
            # The far end keeps its degree: it loses one neighbor and gains another.
            _toggle(edits, loser, partner)
            _toggle(edits, winner, partner)
            residual[loser] += 1
            residual[winner] -= 1


@compiled(void(EDITS, int64[::1], int64[:, ::1], int64))
def swap_in(edits: Edits, needy: Integers, drawn: Integers, tries: int) -> None:
    """Settle two units at a time: a drawn edge x–y gives way to u–x and v–y, u and v being nodes that need edges."""
    residual = edits.residual
    looked = 0
    for i in range(len(needy)):
        u = needy[i]
        # From u itself on: a node that needs two edges can get both from one edge that gives way.
        j = i
        while j < len(needy) and residual[u] > 0 and looked < drawn.shape[1]:
            v = needy[j]
            if residual[v] < (2 if u == v else 1):
                j += 1
                continue
            found = False
            for _ in range(min(tries, drawn.shape[1] - looked)):
                x, y = drawn[0, looked], drawn[1, looked]
                # A drawn edge is tried once: an edge that did not fit these two rarely fits others.
                looked += 1
                if not _is_untouched(edits, x, y) or x in (u, v) or y in (u, v):
                    continue
                if _may_come(edits, u, x) and _may_come(edits, v, y):
                    _toggle(edits, x, y)
                    _toggle(edits, u, x)
                    _toggle(edits, v, y)
                    residual[u] -= 1
                    residual[v] -= 1
                    found = True
                    break
            if not found:
                j += 1
