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
from antifaz.watch import Watch, unwatched

Signatures = NDArray[np.uint64]
Rows = tuple[NDArray[np.int64], NDArray[np.int32] | NDArray[np.int64]]
DEEPEST = 4
"""The deepest query, H4."""
_START = np.uint64(0x9E3779B97F4A7C15)
_FORWARD, _BACKWARD = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)


def refine(graph: Graph, deepest: int = DEEPEST, watch: Watch = unwatched) -> list[Signatures]:
    """The signatures of every node under H0, H1, … up to the deepest query."""
    watch(0.0)
    rows = _rows(graph, watch)
    found = [np.full(graph.n, _START)]
    for depth in range(deepest):
        watch(depth / deepest)
        found.append(_next(rows, mixed(found[-1])))
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


def _rows(graph: Graph, watch: Watch) -> list[Rows]:
    """CSR rows: the neighbors of every node; in a directed graph, those it points to and those that point to it."""
    if not graph.directed:
        return [graph.neighbors]
    watch(0.0)
    # Keys are sorted by their sources.
    order = np.argsort(graph.targets, kind="stable")
    watch(0.0)
    return [(_offsets(graph.out_degrees), graph.targets), (_offsets(graph.in_degrees), graph.sources[order])]


def _offsets(degrees: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])


def _next(rows: list[Rows], colors: Signatures) -> Signatures:
    sums = [row_sums(colors[others], offsets) for offsets, others in rows]
    return sums[0] if len(sums) == 1 else mixed(sums[0] ^ _FORWARD) + mixed(sums[1] ^ _BACKWARD)
