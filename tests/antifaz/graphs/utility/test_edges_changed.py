"""Edges changed."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.edges_changed import EdgesChanged
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return EdgesChanged().measure(graph, released, np.random.default_rng(0), unwatched)


def test_added_and_removed_edges_are_counted_apart():
    before = graph_of(nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4)]))
    after = graph_of(nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)]))
    assert measure(before, after) == {"value": 3, "added": 2, "removed": 1, "share": 0.75}


def test_the_bound_of_the_method_stands_beside_it():
    path = graph_of(nx.path_graph(4))
    assert measure(path, path, {"edit_lower_bound": 0})["lower_bound"] == 0


def test_a_graph_without_edges_does_not_divide_by_zero():
    empty = graph_of(nx.empty_graph(3))
    assert measure(empty, empty)["share"] == 0
