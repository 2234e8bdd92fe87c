"""Connected components."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.connected_components import ConnectedComponents
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, unchanged


def measure(graph: Graph, release: Graph) -> dict:
    return ConnectedComponents().measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


def test_pieces_are_counted_and_the_largest_is_told():
    result = measure(graph_of(nx.path_graph(6)), graph_of(nx.disjoint_union(nx.path_graph(4), nx.empty_graph(2))))
    assert result["original"] == 1
    assert result["released"] == 3
    assert result["loss"] == 2
    assert result["largest"]["released"] == pytest.approx(4 / 6)


def test_it_agrees_with_another_library():
    network = nx.gnp_random_graph(200, 0.006, seed=1)
    result = measure(graph_of(network), graph_of(network))
    assert result["original"] == nx.number_connected_components(network)
    assert result["largest"]["original"] == max(map(len, nx.connected_components(network))) / 200


def test_directions_are_ignored():
    graph = graph_of(nx.DiGraph([(0, 1), (2, 1)]))
    assert measure(graph, graph)["original"] == 1


def test_a_graph_without_nodes_has_no_pieces():
    empty = graph_of(nx.Graph())
    assert measure(empty, empty)["original"] == 0
