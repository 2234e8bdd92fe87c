"""Vertex refinement: signatures of nodes by their surroundings up to some depth.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008 (the queries H0 to H4).

H0 is the same for every node, and H_i is the multiset of the neighbors' H_(i-1): the degree, then the neighbors'
degrees, and so on; in a directed graph there is one multiset for each direction. A multiset is written as a sum of
mixed 64-bit numbers that does not depend on the graph, so signatures of two graphs can be compared. Different multisets
collide with a probability of about n^2 / 2^65; a collision can only make classes too large.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph

Signatures = NDArray[np.uint64]
DEEPEST = 4
"""The deepest query, H4."""
_START = np.uint64(0x9E3779B97F4A7C15)
_FORWARD, _BACKWARD = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)


def refine(graph: Graph, deepest: int = DEEPEST) -> list[Signatures]:
    """The signatures of every node under H0, H1, … up to the deepest query."""
    found = [np.full(graph.n, _START)]
    for _ in range(deepest):
        found.append(_next(graph, mixed(found[-1])))
    return found


def mixed(numbers: Signatures) -> Signatures:
    """Each number scattered over all 64 bits (the finalizer of splitmix64), so that sums distinguish multisets."""
    spread = numbers + _START
    spread = (spread ^ (spread >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    spread = (spread ^ (spread >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return spread ^ (spread >> np.uint64(31))


def row_sums(numbers: Signatures, offsets: NDArray[np.int64]) -> Signatures:
    """Sums over CSR rows, modulo 2^64."""
    running = np.zeros(len(numbers) + 1, dtype=np.uint64)
    np.cumsum(numbers, out=running[1:])
    return running[offsets[1:]] - running[offsets[:-1]]


def _next(graph: Graph, colors: Signatures) -> Signatures:
    if not graph.directed:
        offsets, neighbors = graph.neighbors
        return row_sums(colors[neighbors], offsets)
    forward = _sum_by_row(graph.n, graph.sources, colors[graph.targets])
    backward = _sum_by_row(graph.n, graph.targets, colors[graph.sources])
    return mixed(forward ^ _FORWARD) + mixed(backward ^ _BACKWARD)


def _sum_by_row(n: int, rows: NDArray[np.int64], numbers: Signatures) -> Signatures:
    """Sums of the numbers by row."""
    order = np.argsort(rows, kind="stable")
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=offsets[1:])
    return row_sums(numbers[order], offsets)
