"""Passing numbers along the triangles of a graph, over CSR rows.

A slot is a place in the list of neighbours: slot (a, b) stands for b as a neighbour of a. Each triangle {a, b, c} is
found once, at its node of lowest rank; ``reverse`` is for slot (a, b) the place of slot (b, a).
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]


@compiled("int64[::1](int64[::1], int32[::1], int64[::1], int64[::1])")
def supports(offsets: Integers, neighbours: NDArray[np.int32], rank: Integers, reverse: Integers) -> Integers:
    """Triangles on every edge, for each of its two slots."""
    n = len(offsets) - 1
    mark = np.full(n, np.int64(-1))
    found = np.zeros(len(neighbours), np.int64)
    for a in range(n):
        for ab in range(offsets[a], offsets[a + 1]):
            mark[neighbours[ab]] = ab
        for ab in range(offsets[a], offsets[a + 1]):
            b = neighbours[ab]
            if rank[b] < rank[a]:
                continue
            for bc in range(offsets[b], offsets[b + 1]):
                c = neighbours[bc]
                if rank[c] > rank[b] and mark[c] >= 0:
                    for slot in (ab, bc, mark[c]):
                        found[slot] += 1
                        found[reverse[slot]] += 1
        for ab in range(offsets[a], offsets[a + 1]):
            mark[neighbours[ab]] = -1
    return found


@compiled("void(int64[::1], int32[::1], int64[::1], int64[::1], uint64[:, ::1], uint8[::1], uint64[::1])")
def pass_colours(
    offsets: Integers,
    neighbours: NDArray[np.int32],
    rank: Integers,
    reverse: Integers,
    colours: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    received: NDArray[np.uint64],
) -> None:
    """In the neighbourhood of every node a, add to each neighbour b the colours of its neighbours c there.

    ``colours[kind, slot (a, c)]`` is the colour of c as seen over an edge b to c of that kind, which is that of slot
    (b, c).
    """
    n = len(offsets) - 1
    mark = np.full(n, np.int64(-1))
    for a in range(n):
        for ab in range(offsets[a], offsets[a + 1]):
            mark[neighbours[ab]] = ab
        for ab in range(offsets[a], offsets[a + 1]):
            b = neighbours[ab]
            if rank[b] < rank[a]:
                continue
            for bc in range(offsets[b], offsets[b + 1]):
                c = neighbours[bc]
                if rank[c] > rank[b] and mark[c] >= 0:
                    ac, ba, cb, ca = mark[c], reverse[ab], reverse[bc], reverse[mark[c]]
                    received[ab] += colours[kinds[bc], ac]
                    received[ac] += colours[kinds[cb], ab]
                    received[ba] += colours[kinds[ac], bc]
                    received[bc] += colours[kinds[ca], ba]
                    received[ca] += colours[kinds[ab], cb]
                    received[cb] += colours[kinds[ba], ca]
        for ab in range(offsets[a], offsets[a + 1]):
            mark[neighbours[ab]] = -1
