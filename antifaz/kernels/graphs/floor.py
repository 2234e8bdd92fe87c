"""Add edges until every node has the neighbors that it needs, between nodes that share neighbors if possible."""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled("int64(int64[::1], int32[::1], int64[::1], int64[::1], int64, int64[:, ::1])")
def raise_degrees(
    offsets: Integers, neighbors: NDArray[np.int32], need: Integers, order: Integers, most: int, pairs: Integers
) -> int:
    """List the edges to add, and return their number; unmet needs stay in ``need``.

    A partner who also needs an edge comes first, and among equals the one with the most common neighbors; if no node is
    two steps away, the next in the order. No node gets more than ``most`` neighbors.
    """
    n = len(order)
    degrees = offsets[1:] - offsets[:-1]
    mark = np.full(n, -1, np.int64)
    common = np.zeros(n, np.int64)
    seen = np.empty(n, np.int64)
    # Added edges are kept in linked lists above the rows, which stay unchanged: half-edge 2e + s belongs to end s of
    # the added edge e.
    first = np.full(n, -1, np.int64)
    following = np.full(2 * pairs.shape[1], -1, np.int64)
    added = 0
    for place in range(n):
        node = order[place]
        if need[node] <= 0:
            continue
        # Marked are the node itself and all its neighbors, also those it got as a partner of earlier nodes.
        mark[node] = node
        half = first[node]
        while half >= 0:
            mark[pairs[1 - half % 2, half // 2]] = node
            half = following[half]
        for i in range(offsets[node], offsets[node + 1]):
            mark[neighbors[i]] = node
        count = 0
        for i in range(offsets[node], offsets[node + 1]):
            # Neighbors are those of the rows: edges added meanwhile do not make nodes appear near.
            between = neighbors[i]
            for j in range(offsets[between], offsets[between + 1]):
                other = neighbors[j]
                if mark[other] != node:
                    if common[other] == 0:
                        seen[count] = other
                        count += 1
                    common[other] += 1
        following_needy, following_any = 0, 0
        while need[node] > 0 and degrees[node] < most and added < pairs.shape[1]:
            best, score = -1, 0
            for i in range(count):
                other = seen[i]
                if mark[other] != node and degrees[other] < most:
                    # No two nodes share n neighbors, so that a partner in need is worth more than any that is not.
                    worth = common[other] + (n if need[other] > 0 else 0)
                    if worth > score:
                        best, score = other, worth
            # No node in need is two steps away: take the next one in the order. Both positions only move forward: a
            # skipped node is joined, full or served, and stays so during this turn.
            while score <= n and following_needy < n:
                other = order[following_needy]
                following_needy += 1
                if need[other] > 0 and mark[other] != node and degrees[other] < most:
                    best, score = other, n + 1
            while best < 0 and following_any < n:
                other = order[(place + 1 + following_any) % n]
                following_any += 1
                if mark[other] != node and degrees[other] < most:
                    best = other
            if best < 0:
                break
            pairs[0, added], pairs[1, added] = node, best
            for side in range(2):
                end = pairs[side, added]
                following[2 * added + side] = first[end]
                first[end] = 2 * added + side
                degrees[end] += 1
                need[end] -= 1
            mark[best] = node
            added += 1
        for i in range(count):
            common[seen[i]] = 0
    return added
