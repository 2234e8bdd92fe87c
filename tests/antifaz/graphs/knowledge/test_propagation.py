"""Seed propagation: how it uses its budget and its seeds."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge import propagation
from antifaz.graphs.knowledge.propagation import attack_from_seeds
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, random_graph, renumbered


def attack(graph: Graph, released: ProtectedGraph, seeds: int = 30) -> dict:
    return attack_from_seeds(graph, released, seeds, 0.5, np.random.default_rng(0), unwatched)


def test_seeds_are_no_more_than_one_in_ten_and_no_targets():
    graph = random_graph(200, 1000)
    found = attack(graph, renumbered(graph), seeds=1000)
    able = int((graph.degrees > 0).sum())
    assert found["known"] == int(np.ceil(able / 10))
    assert found["targets"] == 200 - found["known"]


def test_an_attack_ends_when_its_steps_are_used_up(monkeypatch):
    graph = random_graph(400, 2000)
    assert attack(graph, renumbered(graph))["complete"]
    monkeypatch.setattr(propagation, "STEPS", 500)
    found = attack(graph, renumbered(graph))
    assert not found["complete"]
    assert found["rate"] < 0.5


def test_degrees_tell_apart_who_shares_the_same_known_neighbors():
    # Twelve nodes tied to the same two hubs have 0 to 11 leaves; the hubs and the six largest are seeds.
    network = nx.complete_bipartite_graph(2, 12)
    for place in range(12):
        network.add_edges_from((2 + place, 100 * place + 50 + tail) for tail in range(place))
    graph = graph_of(nx.convert_node_labels_to_integers(network))
    found = attack(graph, renumbered(graph), seeds=8)
    assert found["wrong"] == 0.0
    assert found["rate"] * found["targets"] >= 6 - 1e-9


def test_nobody_is_matched_who_does_not_stand_out():
    # All nodes of a complete graph look alike from any seeds.
    graph = graph_of(nx.complete_graph(30))
    found = attack(graph, renumbered(graph))
    assert found["rate"] == found["wrong"] == 0.0


def test_a_graph_without_edges_has_no_seeds():
    graph = graph_of(nx.empty_graph(5))
    assert attack(graph, renumbered(graph))["known"] == 0
