"""Passing numbers along the triangles of a graph, over CSR rows.

A slot is a place in the list of neighbours: slot (a, b) stands for b as a neighbour of a. ``upward`` holds, node by
node, the slots that lead to a node of higher rank, and ``reverse`` for slot (a, b) the place of slot (b, a). Each
triangle {a, b, c} is found once, at its node of lowest rank.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]


@compiled("int64[::1](int32[::1], int64[::1], int64[::1], int64[::1])")
def supports(neighbours: NDArray[np.int32], starts: Integers, upward: Integers, reverse: Integers) -> Integers:
    """Triangles on every edge, for each of its two slots."""
    n = len(starts) - 1
    mark = np.full(n, np.int64(-1))
    found = np.zeros(len(neighbours), np.int64)
    for a in range(n):
        for i in range(starts[a], starts[a + 1]):
            mark[neighbours[upward[i]]] = upward[i]
        for i in range(starts[a], starts[a + 1]):
            b = neighbours[upward[i]]
            for j in range(starts[b], starts[b + 1]):
                ac = mark[neighbours[upward[j]]]
                if ac >= 0:
                    for slot in (upward[i], upward[j], ac):
                        found[slot] += 1
                        found[reverse[slot]] += 1
        for i in range(starts[a], starts[a + 1]):
            mark[neighbours[upward[i]]] = -1
    return found


@compiled("void(int32[::1], int64[::1], int64[::1], int64[::1], uint64[:, ::1], uint8[::1], uint64[::1])")
def pass_colours(
    neighbours: NDArray[np.int32],
    starts: Integers,
    upward: Integers,
    reverse: Integers,
    colours: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    received: NDArray[np.uint64],
) -> None:
    """In the neighbourhood of every node a, add to each neighbour b the colours of its neighbours c there.

    ``colours[kind, slot (a, c)]`` is the colour of c as seen over an edge b to c of that kind, which is that of slot
    (b, c).
    """
    n = len(starts) - 1
    mark = np.full(n, np.int64(-1))
    for a in range(n):
        for i in range(starts[a], starts[a + 1]):
            mark[neighbours[upward[i]]] = upward[i]
        for i in range(starts[a], starts[a + 1]):
            ab = upward[i]
            b = neighbours[ab]
            for j in range(starts[b], starts[b + 1]):
                bc = upward[j]
                ac = mark[neighbours[bc]]
                if ac >= 0:
                    ba, cb, ca = reverse[ab], reverse[bc], reverse[ac]
                    received[ab] += colours[kinds[bc], ac]
                    received[ac] += colours[kinds[cb], ab]
                    received[ba] += colours[kinds[ac], bc]
                    received[bc] += colours[kinds[ca], ba]
                    received[ca] += colours[kinds[ab], cb]
                    received[cb] += colours[kinds[ba], ca]
        for i in range(starts[a], starts[a + 1]):
            mark[neighbours[upward[i]]] = -1
