"""Seed propagation: from a few nodes known in both of two graphs to many, over CSR rows.

Narayanan and Shmatikov, "De-anonymizing Social Networks", IEEE Symposium on Security and Privacy 2009.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.types import float64, int32, int64, named, uint8

Integers = NDArray[np.int64]
Neighbors = NDArray[np.int32]
Kinds = NDArray[np.uint8]
Floats = NDArray[np.float64]


class Rows(NamedTuple):
    """One of the two graphs."""

    offsets: Integers
    neighbors: Neighbors
    kinds: Kinds
    """In which directions the edge of every slot goes: 1 out, 2 in, 3 both."""


ROWS = named(Rows, int64[::1], int32[::1], uint8[::1])


@compiled()
def _best(
    node: int,
    near: Rows,
    far: Rows,
    across: Integers,
    back: Integers,
    scores: Floats,
    touched: Integers,
    least: float,
) -> tuple[int, int]:
    """The node of the far graph that shares most known neighbors with a node of the near one, and the steps taken.

    -1 if none stands out: the first must be ahead of the second by ``least`` standard deviations of all scores.
    """
    offsets, neighbors, kinds = near
    far_offsets, far_neighbors, far_kinds = far
    count, steps = 0, 0
    for i in range(offsets[node], offsets[node + 1]):
        there = across[neighbors[i]]
        if there < 0:
            continue
        # An edge out of the node comes into its neighbor: the far slot is seen from the neighbor's end.
        kind = ((kinds[i] & 1) << 1) | (kinds[i] >> 1)
        steps += far_offsets[there + 1] - far_offsets[there]
        for j in range(far_offsets[there], far_offsets[there + 1]):
            candidate = far_neighbors[j]
            if back[candidate] >= 0 or not (far_kinds[j] & kind):
                continue
            if scores[candidate] == 0.0:
                touched[count] = candidate
                count += 1
            scores[candidate] += 1.0
    best, first, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    degree = float(offsets[node + 1] - offsets[node])
    for t in range(count):
        other = float(far_offsets[touched[t] + 1] - far_offsets[touched[t]])
        # Very different degrees are evidence against a match.
        score = scores[touched[t]] / np.sqrt(other) * min(degree, other) / max(degree, other)
        scores[touched[t]] = 0.0
        total += score
        squares += score * score
        if score > first:
            best, first, second = touched[t], score, first
        elif score > second:
            second = score
    n = len(far_offsets) - 1
    spread = np.sqrt(max(0.0, squares / n - (total / n) * (total / n)))
    if best >= 0 and (first - second <= 0.0 or first - second < least * spread):
        best = -1
    return best, steps


@compiled(int64(ROWS, ROWS, int64[::1], int64[::1], int64[::1], float64, int64))
def propagate_round(
    known: Rows, seen: Rows, order: Integers, across: Integers, back: Integers, least: float, most: int
) -> int:
    """Match nodes of the known graph, in that order, with nodes of the seen one; return the steps taken.

    A pair is matched when each stands out for the other. It ends when ``most`` steps are used up.
    """
    seen_scores, known_scores = np.zeros(len(back)), np.zeros(len(across))
    touched = np.empty(max(len(across), len(back)), np.int64)
    steps = 0
    for node in order:
        if steps >= most:
            break
        if across[node] >= 0:
            continue
        best, taken = _best(node, known, seen, across, back, seen_scores, touched, least)
        steps += taken
        if best < 0:
            continue
        returned, taken = _best(best, seen, known, back, across, known_scores, touched, least)
        steps += taken
        if returned == node:
            across[node] = best
            back[best] = node
    return steps
