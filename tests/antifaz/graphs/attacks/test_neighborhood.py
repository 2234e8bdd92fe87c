"""Neighborhood attack: the subgraph of a person's contacts identifies the person."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.neighborhood import Neighborhood
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_neighborhood_anonymity import KNeighborhoodAnonymity
from antifaz.graphs.methods.k_neighborhood import KNeighborhood
from antifaz.graphs.risk.neighborhood import Neighborhood as Risk
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph) -> dict:
    return Neighborhood().attempt(graph, released, np.random.default_rng(0), unwatched)


def test_dense_neighborhoods_give_everybody_away():
    graph = random_graph(150, 2500)
    assert attempt(graph, renumbered(graph))["rate"] > 0.95


def test_karate_is_told_by_its_classes():
    network = nx.karate_club_graph()
    kinds: list[nx.Graph] = []
    for neighborhood in (network.subgraph(network[node]) for node in network):
        if not any(nx.is_isomorphic(neighborhood, kind) for kind in kinds):
            kinds.append(neighborhood)
    graph = karate()
    assert attempt(graph, renumbered(graph))["rate"] == pytest.approx(len(kinds) / 34)


def test_changed_edges_mislead():
    graph = random_graph(150, 2500)
    assert attempt(graph, perturbed(graph, 0.3))["rate"] < 0.1


@pytest.mark.parametrize("k", [2, 3])
def test_after_k_neighborhood_nobody_is_found_with_more_than_one_in_k(k):
    graph = karate()
    guarantee = KNeighborhoodAnonymity(k=k)
    released = KNeighborhood().apply(graph, [guarantee], np.random.default_rng(0), unwatched)
    assert attempt(graph, released)["highest"] <= 1 / k
    assert Risk().after(released)["k"] >= k


def test_trees_are_told_by_degrees_alone():
    graph = graph_of(nx.star_graph(9))
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == pytest.approx(2 / 10)
    assert result["highest"] == 1.0


def test_a_graph_without_nodes_has_nobody_to_find():
    graph = graph_of(nx.Graph())
    assert attempt(graph, renumbered(graph))["rate"] == 0.0
