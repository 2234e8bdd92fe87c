"""Graphs with given degrees, built from scratch.

Hakimi, "On Realizability of a Set of Integers as Degrees of the Vertices of a Linear Graph", 1962. Kleitman and Wang,
"Algorithms for Constructing Graphs and Digraphs with Given Valences and Factors", Discrete Mathematics 1973.

The node with the most edges to get is joined to those with the most to get, the earlier of equals first. A heap holds
the nodes in that order.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]


@compiled()
def _sink(heap: Integers, size: int) -> None:
    """Move the first key down to where no key below it is larger."""
    place, key = 0, heap[0]
    while True:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if child >= size or heap[child] <= key:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = key


@compiled()
def _rise(heap: Integers, place: int) -> None:
    """Move a key up to where no key above it is smaller."""
    key = heap[place]
    while place > 0 and heap[(place - 1) >> 1] < key:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = key


@compiled("int64(int64[::1], int64[::1], int64[:, ::1])")
def build_undirected(nodes: Integers, values: Integers, pairs: Integers) -> int:
    """Fill ``pairs`` with the edges of a graph in which ``nodes`` have the degrees ``values``, all above zero.

    Return how many there are, or -1 if there is no such graph.
    """
    count, size = 0, len(nodes)
    # One number for what is left and the place, so that the largest is the earliest node with the most left.
    heap = np.sort(values * size + (size - 1 - np.arange(size)))[::-1].copy()
    total, drawn = size, np.empty(size, dtype=np.int64)
    while size > 0:
        need, source = heap[0] // total, nodes[total - 1 - heap[0] % total]
        size -= 1
        heap[0] = heap[size]
        _sink(heap, size)
        if need > size:
            return -1
        # Hakimi: if the degrees have a graph at all, they have one in which the node with the most to get is joined to
        # those with the most to get. So no choice has to be taken back.
        for step in range(need):
            drawn[step] = heap[0]
            size -= 1
            heap[0] = heap[size]
            _sink(heap, size)
            pairs[0, count], pairs[1, count] = source, nodes[total - 1 - drawn[step] % total]
            count += 1
        for step in range(need):
            # A key of 2 · total or more still needs an edge after this one; they return only now, because a node is
            # joined to each partner once.
            if drawn[step] >= 2 * total:
                heap[size] = drawn[step] - total
                _rise(heap, size)
                size += 1
    return count


@compiled("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64[:, ::1])")
def build_directed(
    sends: Integers, receives: Integers, order: Integers, reached: Integers, steps: int, pairs: Integers
) -> int:
    """Fill ``pairs`` with the edges of a directed graph with these out- and in-degrees, by node; both are used up.

    Each receiver of the order, the largest first, gets edges from those with the most to send, and among equals the
    most to receive. A call ends after about as many steps; ``reached`` has the next receiver and the edges so far.
    Return how many edges there are, or -1 if there is no such graph.
    """
    n = len(sends)
    count = reached[1]
    while reached[0] < n and steps > 0:
        node = order[reached[0]]
        reached[0] += 1
        need = receives[node]
        receives[node] = 0
        if need == 0:
            continue
        senders = np.flatnonzero(sends)
        steps -= n + 16 * len(senders)
        # The construction of Kleitman and Wang finds an existing graph only if equal senders are ordered by the edges
        # they still have to receive. One number for both, as no node receives more than n.
        keys = -(sends[senders] * (n + 1) + receives[senders])
        ranking = senders[np.argsort(keys)]
        for sender in ranking:
            if need == 0:
                break
            if sender == node:
                continue
            sends[sender] -= 1
            need -= 1
            pairs[0, count], pairs[1, count] = sender, node
            count += 1
        if need > 0:
            return -1
    reached[1] = count
    return int(count) if reached[0] < n or sends.sum() == 0 else -1
