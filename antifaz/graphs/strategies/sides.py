"""Sides: the rows of a graph by side, and edits as pairs of sides.

An undirected node is one side; a directed one sends as side v and receives as side n + v, so that a directed graph is
its bipartite double cover.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The graph's rows by side: an undirected node is one side, a directed one sends (v) and receives (n + v)."""

    offsets: Integers
    neighbors: NDArray[np.int32]
    degrees: Integers

    @classmethod
    def of(cls, graph: Graph) -> "Rows":
        if not graph.directed:
            return cls(*graph.neighbors, graph.degrees)
        n = graph.n
        degrees = np.concatenate([graph.out_degrees, graph.in_degrees])
        sources, targets = graph.sources, graph.targets
        received = sources[np.argsort(targets, kind="stable")]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
        return cls(offsets, np.concatenate([targets + n, received]).astype(np.int32), degrees)


def edited(graph: Graph, edits: Integers) -> Graph:
    """The graph with the pairs of sides toggled."""
    first, second = edits.min(axis=0), edits.max(axis=0)
    if graph.directed:
        second = second - graph.n
    keys = first * np.int64(graph.n) + second
    return Graph(graph.n, np.setxor1d(graph.keys, keys, assume_unique=True), graph.directed)


def edits_between(graph: Graph, protected: Graph) -> Integers:
    """The edits that lead from one graph to another, as pairs of sides."""
    first, second = np.divmod(np.setxor1d(graph.keys, protected.keys, assume_unique=True), max(graph.n, 1))
    return np.stack([first, second + (graph.n if graph.directed else 0)])
