"""DeltaCon against full matrices, and its order over changes."""

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.deltacon import Deltacon, affinities
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, perturbed, random_graph, renumbered


def measure(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return Deltacon(**parameters).measure(graph, released, np.random.default_rng(0), unwatched)


@pytest.mark.parametrize("graph", [karate(), graph_of(nx.complete_graph(40)), graph_of(nx.cycle_graph(50))])
def test_affinities_are_those_of_the_inverse(graph):
    matrix = nx.to_numpy_array(network_of(graph), nodelist=range(graph.n), weight=None)
    degrees = matrix.sum(axis=1)
    closeness = 1 / (1 + degrees.max())
    inverse = np.linalg.inv(np.eye(graph.n) + closeness**2 * np.diag(degrees) - closeness * matrix)
    assert affinities(adjacency(graph), np.eye(graph.n), closeness) == pytest.approx(inverse, abs=1e-7)


def test_new_node_numbers_change_nothing():
    graph = karate()
    assert measure(graph, renumbered(graph))["value"] == pytest.approx(1, abs=1e-6)


def test_more_changes_make_graphs_less_alike():
    graph = random_graph(300, 1000)
    values = [measure(graph, perturbed(graph, share))["value"] for share in (0.02, 0.1, 0.4)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] < 1


def test_made_up_nodes_count_as_nodes_without_edges():
    graph = graph_of(nx.path_graph(3))
    released = ProtectedGraph(graph_of(nx.path_graph(4)), np.array([0, 1, 2, -1]))
    assert 0 < measure(graph, released)["value"] < 1


def test_the_number_of_groups_stands_in_the_result():
    assert measure(karate(), renumbered(karate()), groups=7)["groups"] == 7
    with pytest.raises(ValidationError):
        Deltacon(groups=0)
