"""Same: which nodes of a released graph are joined as in the original, and which of them no other node resembles.

An attacker who knows whom a person is joined with, and how these are joined, finds a node whose edges were left
unchanged, and is sure of it if it is alone: no other node has the same degrees around it, up to four steps away (vertex
refinement). So what a release leaves to such an attacker is the share of the nodes that are unchanged and alone,
however many other edges were changed.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.structure.refinement import refine

Marks = NDArray[np.bool_]
_LIKELY = 0.5


def has_same_edges(graph: Graph, released: ProtectedGraph) -> bool:
    """Whether the released edges, traced back to the original nodes, are exactly the original's."""
    if released.form != "graph" or released.graph.m != graph.m:
        return False
    ends = released.origin[released.graph.sources], released.origin[released.graph.targets]
    if any((end < 0).any() for end in ends):
        return False
    return np.array_equal(Graph.from_pairs(graph.n, *ends, directed=graph.directed).keys, graph.keys)


def exposed_nodes(graph: Graph, released: ProtectedGraph) -> float:
    """The share of the original's nodes that the release shows unchanged and alone.

    In an uncertain graph, pairs that are joined with a probability above one half count as edges. In a generalized
    graph, the nodes that are a supernode of their own count.
    """
    if not graph.n:
        return 0.0
    if released.members is not None:
        return int(np.count_nonzero(np.bincount(released.members) == 1)) / graph.n
    shown = likely_graph(released)
    return int(np.count_nonzero(unchanged_nodes(graph, shown, released.origin) & alone_nodes(shown))) / graph.n


def likely_graph(released: ProtectedGraph) -> Graph:
    """The released graph; of an uncertain one, the pairs that are more likely joined than not."""
    chances = [column.values for column in released.edge_columns if column.name == "probability"]
    if released.form != "uncertain" or not chances:
        return released.graph
    keys = released.graph.keys[np.asarray(chances[0], dtype=np.float64) > _LIKELY]
    return Graph(released.graph.n, keys, released.graph.directed)


def unchanged_nodes(graph: Graph, shown: Graph, origin: NDArray[np.int64]) -> Marks:
    """For every released node, whether its edges are those of its original node and no others."""
    sources, targets = origin[shown.sources], origin[shown.targets]
    keys = _keys(graph, sources, targets)
    kept = np.isin(keys, graph.keys, assume_unique=False) & (np.minimum(sources, targets) >= 0)
    ends = np.concatenate([shown.sources[kept], shown.targets[kept]])
    same = np.bincount(ends, minlength=shown.n)
    before = np.where(origin >= 0, graph.degrees[origin], -1)
    return np.asarray((same == shown.degrees) & (same == before))


def _keys(graph: Graph, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    if not graph.directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    return sources * np.int64(graph.n) + targets


def alone_nodes(shown: Graph) -> Marks:
    """For every node, whether no other has the same degrees around it."""
    _, places, sizes = np.unique(refine(shown)[-1], return_inverse=True, return_counts=True)
    return np.asarray(sizes[places] == 1)
