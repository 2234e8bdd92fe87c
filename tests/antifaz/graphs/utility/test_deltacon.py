"""DeltaCon against full matrices, and its order over changes."""

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.graphs.analysis import affinity
from antifaz.graphs.analysis.affinity import affinities, joined_nodes
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.deltacon import Deltacon
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, perturbed, random_graph, renumbered


def measure(graph: Graph, released: ProtectedGraph, **parameters: object) -> dict:
    return Deltacon(**parameters).measure(graph, released, np.random.default_rng(0), unwatched)


@pytest.mark.parametrize("graph", [karate(), graph_of(nx.complete_graph(40)), graph_of(nx.cycle_graph(50))])
def test_affinities_are_those_of_the_inverse(graph):
    matrix = nx.to_numpy_array(network_of(graph), nodelist=range(graph.n), weight=None)
    degrees = matrix.sum(axis=1)
    closeness = 1 / (1 + degrees.max())
    inverse = np.linalg.inv(np.eye(graph.n) + closeness**2 * np.diag(degrees) - closeness * matrix)
    assert affinities(adjacency(graph), np.eye(graph.n), closeness) == pytest.approx(inverse, abs=1e-7)


FORMS = pytest.mark.parametrize("form", ["exact", "grouped"])


def by_definition(one: Graph, other: Graph) -> float:
    """The value from full matrices, as the definition is written."""
    matrices = []
    for graph in (one, other):
        matrix = nx.to_numpy_array(network_of(graph), nodelist=range(graph.n), weight=None)
        degrees = matrix.sum(axis=1) + (matrix.sum(axis=0) if graph.directed else 0)
        e = 1 / (1 + degrees.max())
        matrices.append(np.linalg.inv(np.eye(graph.n) + e**2 * np.diag(degrees) - e * matrix))
    return 1 / (1 + np.sqrt(((np.sqrt(matrices[0]) - np.sqrt(matrices[1])) ** 2).sum()))


@pytest.mark.parametrize("directed", [False, True])
def test_the_exact_form_is_the_definition(directed):
    rng = np.random.default_rng(4)
    pairs = rng.integers(0, 30, (2, 2, 60))
    one, other = (Graph.from_pairs(40, each[0], each[1], directed) for each in pairs)
    found = measure(one, ProtectedGraph(other, np.arange(40)))
    assert found["value"] == pytest.approx(by_definition(one, other), abs=1e-9)
    assert found["form"] == "exact"


def test_an_edge_less_of_two_nodes_is_checked_by_hand():
    """With the edge, e = 1/2 and S = [[5/4, -1/2], [-1/2, 5/4]]^-1 = [[20, 8], [8, 20]] / 21; without, S = I."""
    pair, apart = graph_of(nx.path_graph(2)), graph_of(nx.empty_graph(2))
    distance = np.sqrt(2 * (1 - np.sqrt(20 / 21)) ** 2 + 2 * 8 / 21)
    assert measure(pair, ProtectedGraph(apart, np.arange(2)))["distance"] == pytest.approx(distance)


def test_graphs_of_many_nodes_are_compared_by_groups_and_the_result_says_so(monkeypatch):
    graph = random_graph(60, 200)
    assert len(joined_nodes(graph, graph)) > 20
    monkeypatch.setattr("antifaz.graphs.utility.deltacon.EXACT", 20)
    found = measure(graph, perturbed(graph, 0.2))
    assert (found["form"], found["groups"], found["directions"]) == ("grouped", 10, "ignored")
    assert affinity.EXACT == 2_000


def test_the_grouped_form_comes_out_larger():
    graph = random_graph(300, 1000)
    released = perturbed(graph, 0.2)
    exact, grouped = (measure(graph, released, form=form)["value"] for form in ("exact", "grouped"))
    assert exact < grouped


def test_graphs_without_edges_are_alike():
    empty = graph_of(nx.empty_graph(3))
    assert measure(empty, ProtectedGraph(empty, np.arange(3)))["value"] == 1


@FORMS
def test_new_node_numbers_change_nothing(form):
    graph = karate()
    assert measure(graph, renumbered(graph), form=form)["value"] == pytest.approx(1, abs=1e-6)


@FORMS
def test_more_changes_make_graphs_less_alike(form):
    graph = random_graph(300, 1000)
    values = [measure(graph, perturbed(graph, share), form=form)["value"] for share in (0.02, 0.1, 0.4)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] < 1


def test_made_up_nodes_count_as_nodes_without_edges():
    graph = graph_of(nx.path_graph(3))
    released = ProtectedGraph(graph_of(nx.path_graph(4)), np.array([0, 1, 2, -1]))
    assert 0 < measure(graph, released)["value"] < 1


def test_the_number_of_groups_stands_in_the_result():
    assert measure(karate(), renumbered(karate()), groups=7, form="grouped")["groups"] == 7
    with pytest.raises(ValidationError):
        Deltacon(groups=0)
