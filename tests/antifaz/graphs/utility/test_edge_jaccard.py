"""Edge Jaccard."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.edge_jaccard import EdgeJaccard
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return EdgeJaccard().measure(graph, released, np.random.default_rng(0), unwatched)


def test_shared_edges_over_all_edges():
    before = graph_of(nx.Graph([(0, 1), (1, 2), (2, 3)]))
    after = graph_of(nx.Graph([(0, 1), (1, 2), (0, 3)]))
    assert measure(before, after)["value"] == 2 / 4
    assert measure(before, before)["value"] == 1


def test_graphs_without_edges_agree():
    empty = graph_of(nx.empty_graph(3))
    assert measure(empty, empty)["value"] == 1
    assert measure(empty, graph_of(nx.path_graph(3)))["value"] == 0
