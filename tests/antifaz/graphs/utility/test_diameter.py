"""Diameter."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.diameter import Diameter
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return Diameter().measure(graph, released, np.random.default_rng(0), unwatched)


def test_closing_a_path_halves_its_diameter():
    result = measure(graph_of(nx.path_graph(7)), graph_of(nx.cycle_graph(7)))
    assert result == {"original": 6, "released": 3, "loss": 0.5, "exact": True}


def test_of_a_disconnected_graph_the_largest_component_counts():
    network = nx.disjoint_union(nx.path_graph(3), nx.complete_graph(4))
    assert measure(graph_of(network), graph_of(network))["original"] == 1
