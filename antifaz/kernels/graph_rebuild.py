"""Graphs with given degrees, built from nothing.

Hakimi, "On Realizability of a Set of Integers as Degrees of the Vertices of a Linear Graph", 1962. Kleitman and Wang,
"Algorithms for Constructing Graphs and Digraphs with Given Valences and Factors", Discrete Mathematics 1973.

The node with the most edges to get is joined to those with the most to get. If nodes are kept in falling order, only
the run of equal numbers in which the last partner stands has to be looked at: its last nodes are taken, not its first.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

Integers = NDArray[np.int64]


@compiled()
def _run_start(values: Integers, low: int, high: int, value: int) -> int:
    """The first place in [low, high) of falling values at or below the value."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] > value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled("int64(int64[::1], int64[::1], int64[:, ::1])")
def build_undirected(nodes: Integers, values: Integers, pairs: Integers) -> int:
    """Fill ``pairs`` with the edges of a graph in which ``nodes`` have the falling degrees ``values``.

    Return how many there are, or -1 if there is no such graph. ``values`` is used up.
    """
    count, stop = 0, len(nodes)
    for start in range(len(nodes)):
        need = values[start]
        if need == 0:
            return count
        first = start + 1
        if first + need > stop or values[first + need - 1] == 0:
            return -1
        value = values[first + need - 1]
        begin = _run_start(values, first, stop, value)
        end = _run_start(values, first, stop, value - 1)
        taken = first + need - begin
        for place in range(first, begin):
            values[place] -= 1
            pairs[0, count], pairs[1, count] = nodes[start], nodes[place]
            count += 1
        for place in range(end - taken, end):
            values[place] -= 1
            pairs[0, count], pairs[1, count] = nodes[start], nodes[place]
            count += 1
    return count


@compiled("int64(int64[::1], int64[::1], int64[:, ::1])")
def build_directed(sends: Integers, receives: Integers, pairs: Integers) -> int:
    """Fill ``pairs`` with the edges of a directed graph with these out- and in-degrees, by node; both are used up.

    Each receiver in turn gets edges from those with the most to send, and among equals the most to receive. Return how
    many edges there are, or -1 if there is no such graph.
    """
    n = len(sends)
    order = np.argsort(-receives)
    count = 0
    for node in order:
        need = receives[node]
        receives[node] = 0
        if need == 0:
            continue
        senders = np.flatnonzero(sends)
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
    return count if sends.sum() == 0 else -1
