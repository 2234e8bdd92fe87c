"""Passing numbers along the triangles of a graph, over CSR rows.

A slot is a place in the list of neighbors: slot (a, b) stands for b as a neighbor of a. ``upward`` holds, node by
node, the slots that lead to a node of higher rank, and ``reverse`` for slot (a, b) the place of slot (b, a). Each
triangle {a, b, c} is found once, at its node of lowest rank. A call visits a slice of the nodes, from
``first`` to before ``last``, because all of them may take minutes.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled("void(int32[::1], int64[::1], int64[::1], int64[::1], int64, int64, int64[::1])")
def supports(
    neighbors: NDArray[np.int32],
    starts: Integers,
    upward: Integers,
    reverse: Integers,
    first: int,
    last: int,
    found: Integers,
) -> None:
    """Add to every edge, for each of its two slots, the triangles that are found at some nodes."""
    # Chiba and Nishizeki, "Arboricity and Subgraph Listing Algorithms", SIAM Journal on Computing 1985: with ranks by
    # degree no node has many neighbors of higher rank, hubs least of all, which bounds the work by m^(3/2).
    mark = np.full(len(starts) - 1, np.int64(-1))
    for a in range(first, last):
        for i in range(starts[a], starts[a + 1]):
            mark[neighbors[upward[i]]] = upward[i]
        for i in range(starts[a], starts[a + 1]):
            b = neighbors[upward[i]]
            for j in range(starts[b], starts[b + 1]):
                ac = mark[neighbors[upward[j]]]
                if ac >= 0:
                    # The three edges of the triangle, each known by a slot at either end.
                    for slot in (upward[i], upward[j], ac):
                        found[slot] += 1
                        found[reverse[slot]] += 1
        for i in range(starts[a], starts[a + 1]):
            mark[neighbors[upward[i]]] = -1


@compiled("void(int32[::1], int64[::1], int64[::1], int64[::1], int64, int64, uint64[:, ::1], uint8[::1], uint64[::1])")
def pass_colors(
    neighbors: NDArray[np.int32],
    starts: Integers,
    upward: Integers,
    reverse: Integers,
    first: int,
    last: int,
    colors: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    received: NDArray[np.uint64],
) -> None:
    """In the neighborhood of every node a, add to each neighbor b the colors of its neighbors c there, along triangles
    that are found at some nodes.

    ``colors[kind, slot (a, c)]`` is the color of c as seen over an edge b to c of that kind, which is that of slot
    (b, c).
    """
    mark = np.full(len(starts) - 1, np.int64(-1))
    for a in range(first, last):
        for i in range(starts[a], starts[a + 1]):
            mark[neighbors[upward[i]]] = upward[i]
        for i in range(starts[a], starts[a + 1]):
            ab = upward[i]
            b = neighbors[ab]
            for j in range(starts[b], starts[b + 1]):
                bc = upward[j]
                ac = mark[neighbors[bc]]
                if ac >= 0:
                    # Each corner sees the other two as neighbors that are joined: six messages for a triangle that is
                    # found once. Sums of 64-bit colors wrap around, which keeps them independent of the order of
                    # addition.
                    ba, cb, ca = reverse[ab], reverse[bc], reverse[ac]
                    received[ab] += colors[kinds[bc], ac]
                    received[ac] += colors[kinds[cb], ab]
                    received[ba] += colors[kinds[ac], bc]
                    received[bc] += colors[kinds[ca], ba]
                    received[ca] += colors[kinds[ab], cb]
                    received[cb] += colors[kinds[ba], ca]
        for i in range(starts[a], starts[a + 1]):
            mark[neighbors[upward[i]]] = -1
