"""Breadth-first search from many sources, and connected components, over CSR rows."""

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
            node = queue[head]
            head += 1
            for i in range(offsets[node], offsets[node + 1]):
                other = neighbors[i]
                if component[other] < 0:
                    component[other] = count
                    queue[tail] = other
                    tail += 1
        count += 1
    return component


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
            # The queue between head and border is one level; what is appended behind it is the next one. So no distance
            # is stored by node.
            border = tail
            while head < border:
                node = queue[head]
                head += 1
                for i in range(offsets[node], offsets[node + 1]):
                    other = neighbors[i]
                    if seen[other] != s:
                        seen[other] = s
                        queue[tail] = other
                        tail += 1
            total += level * (tail - border)
            inverse += (tail - border) / level
        sums[s, 0] = tail - 1
        sums[s, 1] = total
        sums[s, 2] = inverse
        # The last level that was opened reached no node.
        sums[s, 3] = level - 1
