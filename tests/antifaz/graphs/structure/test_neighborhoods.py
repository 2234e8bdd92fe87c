"""Neighborhood certificates against isomorphism of the subgraphs of neighbors."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.structure.edge_slots import Slots
from antifaz.graphs.structure.neighborhoods import affordable_rounds, certify
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph, renumbered


def isomorphic(network: nx.Graph, one: int, other: int) -> bool:
    return nx.is_isomorphic(network.subgraph(network[one]), network.subgraph(network[other]))


def test_karate_has_the_classes_of_isomorphism():
    graph = karate()
    network = network_of(graph)
    numbers = certify(graph, 3).numbers
    for one in range(graph.n):
        for other in range(one):
            assert (numbers[one] == numbers[other]) == isomorphic(network, one, other)


def test_isomorphic_neighborhoods_never_differ():
    graph = random_graph(60, 400, seed=3)
    network = network_of(graph)
    for rounds in range(4):
        numbers = certify(graph, rounds).numbers
        for one, other in np.random.default_rng(0).integers(0, 60, (300, 2)):
            if isomorphic(network, one, other):
                assert numbers[one] == numbers[other]


@pytest.mark.parametrize("directed", [False, True])
def test_certificates_do_not_depend_on_node_numbers(directed):
    graph = random_graph(80, 500, seed=1, directed=directed)
    released = renumbered(graph)
    numbers = certify(graph, 3).numbers
    assert np.array_equal(numbers[released.origin], certify(released.graph, 3).numbers)
    assert len(np.unique(numbers)) > 20


def test_directions_inside_a_neighborhood_tell():
    # Node 0 follows a pair joined one way, node 3 one joined both ways.
    arcs = nx.DiGraph([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (5, 4)])
    numbers = certify(graph_of(arcs), 2).numbers
    assert numbers[0] != numbers[3]
    without = certify(graph_of(arcs), 0).numbers
    assert without[0] == without[3]


def test_one_refinement_serves_risk_and_attack():
    graph = karate()
    assert certify(graph, 2) is certify(graph, 2)
    assert affordable_rounds(graph) == 2
    assert certify(graph, 1).rounds == 1


def test_the_cost_decides_how_deeply(monkeypatch):
    graph = karate()
    assert affordable_rounds(graph) == 3
    monkeypatch.setattr("antifaz.graphs.structure.neighborhoods.AFFORDABLE", Slots.of(graph).work)
    assert affordable_rounds(graph) == 1
    monkeypatch.setattr("antifaz.graphs.structure.neighborhoods.AFFORDABLE", 1)
    assert affordable_rounds(graph) == 0
