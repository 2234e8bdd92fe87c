"""Loops of the methods that move edges: moves checked one after another, shared neighbors, and switches that keep the
number of triangles.

No kernel draws anything: random numbers come from the caller, as arrays.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Rows = NDArray[np.int32]

TRIANGLES, REPLACED, WORK = 0, 1, 2
"""Cells of ``tally``: current triangles, edges that the original does not have, elementary steps."""


@compiled("void(float64[:, ::1], float64[::1], float64[::1], uint8[::1])")
def accept_within(
    changes: NDArray[np.float64], drift: NDArray[np.float64], bounds: NDArray[np.float64], accepted: NDArray[np.uint8]
) -> None:
    """Accept moves in turn while every drift stays within its bound, or comes nearer to it; the drifts are updated."""
    for i in range(len(changes)):
        accepted[i] = 1
        for f in range(len(drift)):
            after = abs(drift[f] + changes[i, f])
            # A drift beyond its bound may come nearer: otherwise one that starts outside could never return.
            if after > bounds[f] and after >= abs(drift[f]):
                accepted[i] = 0
        if accepted[i]:
            for f in range(len(drift)):
                drift[f] += changes[i, f]


@compiled("void(int64[::1], int32[::1], int64[::1], int64[::1], int64[::1])")
def common_neighbors(offsets: Integers, neighbors: Rows, left: Integers, right: Integers, shared: Integers) -> None:
    """Number of neighbors that the two nodes of every pair share; each row of neighbors is sorted."""
    for i in range(len(left)):
        a, b = left[i], right[i]
        # Each neighbor of the shorter row is looked up in the longer one by bisection. Both rows are sorted, so the
        # search continues where the last one ended.
        if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
            a, b = b, a
        low, stop = offsets[b], offsets[b + 1]
        shared[i] = 0
        for j in range(offsets[a], offsets[a + 1]):
            wanted = neighbors[j]
            high = stop
            while low < high:
                middle = (low + high) >> 1
                if neighbors[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < stop and neighbors[low] == wanted:
                shared[i] += 1


@compiled()
def _place(offsets: Integers, rows: Rows, node: int, other: int) -> int:
    """The place of a node in another's row, or -1; rows are unordered."""
    for i in range(offsets[node], offsets[node + 1]):
        if rows[i] == other:
            return i
    return -1


@compiled()
def _are_joined(offsets: Integers, rows: Rows, a: int, b: int) -> bool:
    """Whether two nodes are joined, by the shorter row."""
    if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
        a, b = b, a
    return bool(_place(offsets, rows, a, b) >= 0)


@compiled()
def _shared(offsets: Integers, rows: Rows, mark: Integers, stamp: int, a: int, b: int) -> int:
    """Neighbors that two nodes share; holes (-1) in their rows do not count."""
    for i in range(offsets[a], offsets[a + 1]):
        if rows[i] >= 0:
            mark[rows[i]] = stamp
    count = 0
    for i in range(offsets[b], offsets[b + 1]):
        if rows[i] >= 0 and mark[rows[i]] == stamp:
            count += 1
    return count


@compiled()
def _foreign(keys: Integers, n: int, a: int, b: int) -> int:
    """1 if the original does not join the two nodes, else 0."""
    key = min(a, b) * n + max(a, b)
    at = np.searchsorted(keys, key)
    return 0 if at < len(keys) and keys[at] == key else 1


@compiled(
    "int64(int64[::1], int32[::1], int64[:, ::1], int64[::1], int64[:, ::1], uint8[::1], int64, int64, int64, int64, "
    "int64[::1])"
)
def switch_within(
    offsets: Integers,
    rows: Rows,
    ends: Integers,
    keys: Integers,
    drawn: Integers,
    turned: NDArray[np.uint8],
    fewest: int,
    most: int,
    wanted: int,
    most_work: int,
    tally: Integers,
) -> int:
    """Try the drawn pairs of edges in turn, switching those that leave the triangles within bounds; return how many.

    ``ends`` are the edges' nodes, ``rows`` the nodes' neighbors, both changed in place; ``keys`` are the original's.
    It stops when ``wanted`` edges are not the original's.
    """
    n = len(offsets) - 1
    mark = np.full(n, np.int64(-1))
    made = 0
    for t in range(drawn.shape[1]):
        if tally[REPLACED] >= wanted or tally[WORK] >= most_work:
            break
        e, f = drawn[0, t], drawn[1, t]
        a, b, c, d = ends[0, e], ends[1, e], ends[0, f], ends[1, f]
        if turned[t]:
            c, d = d, c
        tally[WORK] += 1
        # The switch a-b, c-d to a-d, c-b keeps every degree; a loop or a double edge would not be a simple graph.
        if a in (c, d) or b in (c, d) or _are_joined(offsets, rows, a, d) or _are_joined(offsets, rows, c, b):
            continue
        ab, ba = _place(offsets, rows, a, b), _place(offsets, rows, b, a)
        cd, dc = _place(offsets, rows, c, d), _place(offsets, rows, d, c)
        # Triangles lost and gained, one edge after the other on the current rows: a triangle that has two of the four
        # edges is counted once. The stamps differ, so that marks need not be reset.
        change = -_shared(offsets, rows, mark, 4 * t, a, b)
        rows[ab], rows[ba] = -1, -1
        change -= _shared(offsets, rows, mark, 4 * t + 1, c, d)
        rows[cd], rows[dc] = -1, -1
        change += _shared(offsets, rows, mark, 4 * t + 2, a, d)
        rows[ab], rows[dc] = d, a
        change += _shared(offsets, rows, mark, 4 * t + 3, c, b)
        rows[cd], rows[ba] = b, c
        for node in (a, b, c, d):
            tally[WORK] += 4 * (offsets[node + 1] - offsets[node])
        if tally[TRIANGLES] + change < fewest or tally[TRIANGLES] + change > most:
            # Taken back: the four slots are all that was changed.
            rows[ab], rows[ba], rows[cd], rows[dc] = b, a, d, c
            continue
        tally[TRIANGLES] += change
        tally[REPLACED] += _foreign(keys, n, a, d) + _foreign(keys, n, c, b)
        tally[REPLACED] -= _foreign(keys, n, a, b) + _foreign(keys, n, c, d)
        ends[0, e], ends[1, e], ends[0, f], ends[1, f] = a, d, c, b
        made += 1
    return made
