"""Group nodes with similar neighborhoods into blocks of k or more.

Nodes are taken in a given order. Each that has no block yet founds one with the k - 1 nodes without a block whose
neighborhoods differ least from its own; nodes with which it shares nothing are taken in the given order, which places
similar degrees next to each other.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled()
def _nearest(
    node: int, k: int, degrees: Integers, block: Integers, shared: Integers, seen: Integers, near: Integers
) -> int:
    """List the k - 1 seen nodes without a block that differ least from a node; return how many there are."""
    gaps = np.empty(k, np.int64)
    found = 0
    for i in range(len(seen)):
        other = seen[i]
        if other == node or block[other] >= 0:
            continue
        # The size of the symmetric difference of two neighborhoods.
        gap = degrees[node] + degrees[other] - 2 * shared[other]
        if found == k - 1 and (found == 0 or gap >= gaps[found - 1]):
            continue
        # Insertion into a sorted list of k - 1: k is small, and most candidates are refused by the comparison above.
        at = found if found < k - 1 else found - 1
        while at > 0 and gaps[at - 1] > gap:
            gaps[at] = gaps[at - 1]
            near[at] = near[at - 1]
            at -= 1
        gaps[at] = gap
        near[at] = other
        if found < k - 1:
            found += 1
    return found


@compiled("int64(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int64, int64[::1], int64)")
def group_alike(
    offsets: Integers,
    items: NDArray[np.int32],
    back_offsets: Integers,
    owners: NDArray[np.int32],
    order: Integers,
    k: int,
    block: Integers,
    blocks: int,
) -> int:
    """Give every node a block, from the number ``blocks`` on; return how many blocks there are then.

    ``items`` lists what each node is joined to and ``owners`` the nodes that are joined to each item. Nodes that have a
    block keep it. The last nodes, fewer than k, are left at -1.
    """
    n = len(order)
    degrees = offsets[1:] - offsets[:-1]
    shared = np.zeros(n, np.int64)
    seen = np.empty(n, np.int64)
    near = np.empty(k, np.int64)
    free = 0
    for node in range(n):
        if block[node] < 0:
            free += 1
    start = 0
    for place in range(n):
        node = order[place]
        if free < k:
            break
        if block[node] >= 0:
            continue
        # Only nodes that share a neighbor are visited, through the owners of this node's items: pairs with nothing in
        # common, which are most pairs, cost nothing.
        count = 0
        for i in range(offsets[node], offsets[node + 1]):
            for j in range(back_offsets[items[i]], back_offsets[items[i] + 1]):
                other = owners[j]
                if shared[other] == 0:
                    seen[count] = other
                    count += 1
                shared[other] += 1
        found = _nearest(node, k, degrees, block, shared, seen[:count], near)
        for i in range(count):
            shared[seen[i]] = 0
        block[node] = blocks
        for i in range(found):
            block[near[i]] = blocks
        # All nodes before this place have a block, so the search for free ones never goes back.
        start = max(start, place)
        while found < k - 1:
            other = order[start]
            if block[other] < 0:
                block[other] = blocks
                found += 1
            start += 1
        blocks += 1
        free -= k
    return blocks
