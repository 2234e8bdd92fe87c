"""Breadth-first search, from each of many nodes or to the nearest of several, and connected components, over CSR rows.

The queue between two of its places is one level of a search; the nodes that this level reaches first are appended. So a
search needs no distance by node to know how far it is.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled("int64[::1](int64[::1], int32[::1])")
def components(offsets: Integers, neighbors: NDArray[np.int32]) -> Integers:
    """The component number of every node; components are numbered in the order of their first nodes."""
    n = len(offsets) - 1
    component = np.full(n, np.int64(-1))
    queue = np.empty(n, np.int64)
    count = 0
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = count
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            border = tail
            tail = _open_level(offsets, neighbors, queue, head, tail, component, count)
            head = border
        count += 1
    return component


@compiled("int64[::1](int64[::1], int32[::1], int64[::1])")
def distances_to(offsets: Integers, neighbors: NDArray[np.int32], goals: Integers) -> Integers:
    """Every node's distance to the nearest of some nodes; -1 if none can be reached."""
    n = len(offsets) - 1
    distance = np.full(n, np.int64(-1))
    seen = np.zeros(n, np.int64)
    queue = np.empty(n, np.int64)
    head, tail, level = 0, 0, 0
    for goal in goals:
        if not seen[goal]:
            seen[goal] = 1
            queue[tail] = goal
            tail += 1
    while head < tail:
        for place in range(head, tail):
            distance[queue[place]] = level
        level += 1
        border = tail
        tail = _open_level(offsets, neighbors, queue, head, tail, seen, 1)
        head = border
    return distance


@compiled("void(int64[::1], int32[::1], int64[::1], float64[:, ::1])")
def distances_from(
    offsets: Integers, neighbors: NDArray[np.int32], sources: Integers, sums: NDArray[np.float64]
) -> None:
    """For each source: nodes reached, sum of distances, sum of inverse distances, largest distance."""
    n = len(offsets) - 1
    # The mark is the number of the source, so it need not be reset between two searches.
    seen = np.full(n, np.int64(-1))
    queue = np.empty(n, np.int64)
    for s in range(len(sources)):
        seen[sources[s]] = s
        queue[0] = sources[s]
        head, tail, level = 0, 1, 0
        total, inverse = 0.0, 0.0
        while head < tail:
            level += 1
            border = tail
            tail = _open_level(offsets, neighbors, queue, head, tail, seen, s)
            head = border
            total += level * (tail - border)
            inverse += (tail - border) / level
        sums[s, 0] = tail - 1
        sums[s, 1] = total
        sums[s, 2] = inverse
        # The last level that was opened reached no node.
        sums[s, 3] = level - 1


@compiled(inlined=True)
def _open_level(
    offsets: Integers,
    neighbors: NDArray[np.int32],
    queue: Integers,
    head: int,
    tail: int,
    marks: Integers,
    mark: int,
) -> int:
    """Append the nodes without this mark that those between head and tail are joined to; return the new tail."""
    border = tail
    while head < border:
        node = queue[head]
        head += 1
        for i in range(offsets[node], offsets[node + 1]):
            other = neighbors[i]
            if marks[other] != mark:
                marks[other] = mark
                queue[tail] = other
                tail += 1
    return tail
