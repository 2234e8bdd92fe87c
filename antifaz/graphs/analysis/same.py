"""Same: whether a released graph is the original under other names."""

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph


def has_same_edges(graph: Graph, released: ProtectedGraph) -> bool:
    """Whether the released edges, traced back to the original nodes, are exactly the original's."""
    if released.form != "graph" or released.graph.m != graph.m:
        return False
    ends = released.origin[released.graph.sources], released.origin[released.graph.targets]
    if any((end < 0).any() for end in ends):
        return False
    return np.array_equal(Graph.from_pairs(graph.n, *ends, directed=graph.directed).keys, graph.keys)
