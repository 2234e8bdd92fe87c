"""Properties of every k-degree anonymous result, whatever the strategy, and sample graphs."""

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.watch import unwatched

STUBBORN = {
    "empty": nx.empty_graph(7),
    "complete": nx.complete_graph(7),
    "star": nx.star_graph(6),
    "path": nx.path_graph(7),
    "disconnected": nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3)),
    "nearly complete": nx.complement(nx.star_graph(6)),
    "wheel": nx.wheel_graph(7),
}
"""Graphs of seven nodes on which simple realizations get stuck."""


@st.composite
def small_graphs(draw: Any, most_nodes: int = 20) -> Graph:
    """Undirected graphs, sparse and dense, with hubs and without."""
    n = draw(st.integers(2, most_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.sampled_from([1.0, 2.0, 3.0]))
    ends = (n * rng.random((2, draw(st.integers(0, n * n)))) ** skew).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1])


def anonymized(graph: Graph, k: int, strategy: str, seed: int = 0, **parameters: Any) -> ProtectedGraph:
    """The result of a strategy through the method, checked for the promises of all strategies."""
    before = graph.keys.copy()
    method = KDegree.model_validate({"strategy": strategy, "effort": "fast", **parameters})
    released = method.apply(graph, [KDegreeAnonymity(k=k)], np.random.default_rng(seed), unwatched)
    assert np.array_equal(graph.keys, before), "the original is left untouched"
    after = released.graph
    assert KDegreeAnonymity(k=k).holds(after)
    assert (np.diff(after.keys) > 0).all()
    assert (after.sources < after.targets).all()
    real = released.origin >= 0
    assert np.array_equal(released.origin[real], np.arange(graph.n))
    assert released.account["nodes_added"] == (~real).sum() == after.n - graph.n
    keys = after.sources * np.int64(graph.n) + after.targets
    inner = np.sort(keys[real[after.sources] & real[after.targets]])
    assert released.account["edges_added"] == len(np.setdiff1d(inner, graph.keys)) + after.m - len(inner)
    assert released.account["edges_removed"] == len(np.setdiff1d(graph.keys, inner))
    assert released.account["strategy"] == strategy
    return released


def edits(released: ProtectedGraph) -> int:
    return int(released.account["edges_added"] + released.account["edges_removed"])
