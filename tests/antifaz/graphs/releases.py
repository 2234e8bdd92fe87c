"""Helpers for tests of structural methods: graphs of many shapes, and the verifier's result."""

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph, ProtectedGraph
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network

COLLABORATIONS = "graphs/ca-GrQc/CA-GrQc.txt"
SHAPES = {
    "one node": nx.empty_graph(1),
    "two nodes": nx.path_graph(2),
    "no edges": nx.empty_graph(7),
    "complete": nx.complete_graph(7),
    "star": nx.star_graph(6),
    "path": nx.path_graph(9),
    "in two pieces": nx.disjoint_union(nx.complete_graph(4), nx.path_graph(4)),
    "wheel and lonely nodes": nx.disjoint_union(nx.wheel_graph(6), nx.empty_graph(5)),
}


def graph_of(network: nx.Graph, directed: bool = False) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], directed or network.is_directed())


@st.composite
def graphs(draw: Any, least: int = 2, most: int = 24, directed: bool | None = None) -> Graph:
    """Sparse and dense graphs, directed or not, isolated nodes included."""
    n = draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = (n * rng.random((2, draw(st.integers(0, 3 * n)))) ** draw(st.sampled_from([1.0, 2.0]))).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], draw(st.booleans()) if directed is None else directed)


def verified(released: ProtectedGraph, **guarantee: Any) -> bool:
    """Whether the verifier, which shares no code with the engine, finds the guarantee in the released graph."""
    graph = released.graph
    network = Network("edgelist", None, graph.sources, graph.targets)
    sealed = None if released.witness is None else {"automorphisms": released.witness}
    evidence = Evidence({}, networks=[network], n=graph.n, graph_flaw="", directed=graph.directed, sealed_map=sealed)
    return find(guarantee, evidence).holds


def check(graph: Graph, released: ProtectedGraph) -> None:
    """Properties of every result: a simple graph, every node still there, edits counted."""
    after = released.graph
    made_up = after.n - graph.n
    assert after.directed == graph.directed
    assert np.array_equal(np.unique(after.keys), after.keys)
    assert (after.sources != after.targets).all()
    assert graph.directed or (after.sources < after.targets).all()
    assert released.origin.tolist() == [*range(graph.n), *[-1] * made_up]
    before = graph.sources * after.n + graph.targets
    assert released.account["edges_added"] == len(np.setdiff1d(after.keys, before))
    assert released.account["edges_removed"] == len(np.setdiff1d(before, after.keys))
    assert released.account["nodes_added"] == made_up


def edits(released: ProtectedGraph) -> int:
    return int(released.account["edges_added"] + released.account["edges_removed"])
