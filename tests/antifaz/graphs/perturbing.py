"""Helpers for tests of methods that perturb edges: sample graphs, and properties of every result."""

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphMethod
from antifaz.watch import unwatched

DEGENERATE = {
    "no nodes": nx.empty_graph(0),
    "one node": nx.empty_graph(1),
    "two nodes": nx.empty_graph(2),
    "one edge": nx.path_graph(2),
    "no edges": nx.empty_graph(7),
    "star": nx.star_graph(6),
    "clique": nx.complete_graph(6),
    "nearly a clique": nx.complement(nx.path_graph(7)),
    "two components": nx.disjoint_union(nx.complete_graph(4), nx.path_graph(5)),
    "isolated nodes": nx.disjoint_union(nx.cycle_graph(5), nx.empty_graph(3)),
}


def graph_of(network: nx.Graph, directed: bool = False) -> Graph:
    """The graph; if requested, with every edge as an arc from the lower to the higher node."""
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], directed or network.is_directed())


def pairs(*ends: tuple[int, int], n: int, directed: bool = False) -> Graph:
    """A graph of a few edges."""
    array = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, array[:, 0], array[:, 1], directed)


@st.composite
def graphs(draw: Any, most_nodes: int = 25, directed: bool | None = None) -> Graph:
    """Sparse and dense graphs, isolated nodes included."""
    n = draw(st.integers(1, most_nodes))
    chosen = draw(st.booleans()) if directed is None else directed
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.sampled_from([1.0, 2.0]))
    ends = (n * rng.random((2, draw(st.integers(0, 2 * n)))) ** skew).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], chosen)


def perturbed(method: GraphMethod, graph: Graph, seed: int = 0) -> ProtectedGraph:
    """The result of a method, checked for the properties of every perturbation."""
    before = graph.keys.copy()
    released = method.apply(graph, [], np.random.default_rng(seed), unwatched)
    assert np.array_equal(graph.keys, before), "the original is left untouched"
    after = released.graph
    assert (after.n, after.directed) == (graph.n, graph.directed)
    assert (np.diff(after.keys) > 0).all(), "keys rise and none occurs twice"
    assert (after.sources != after.targets).all()
    assert graph.directed or (after.sources < after.targets).all()
    assert released.account["edges_added"] == len(np.setdiff1d(after.keys, graph.keys))
    assert released.account["edges_removed"] == len(np.setdiff1d(graph.keys, after.keys))
    assert released.account["nodes_added"] == 0
    assert np.array_equal(released.origin, np.arange(graph.n))
    return released


def degrees_kept(graph: Graph, released: ProtectedGraph) -> bool:
    """Whether every node has the degrees that it had."""
    after = released.graph
    if not graph.directed:
        return np.array_equal(graph.degrees, after.degrees)
    return np.array_equal(graph.in_degrees, after.in_degrees) and np.array_equal(graph.out_degrees, after.out_degrees)


def p_of_uniform(counts: np.ndarray) -> float:
    """The p-value of the counts if all were equally likely, by the chi-square test."""
    from scipy.stats import chisquare

    return float(chisquare(counts).pvalue)
