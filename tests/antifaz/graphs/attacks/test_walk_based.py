"""Walk-based attack: chains are found in a renumbered graph and hardly in a changed one."""

import networkx as nx
import numpy as np

from antifaz.graphs.attacks import walk_based as module
from antifaz.graphs.attacks.walk_based import WalkBased, _chain
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return WalkBased(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def test_chains_are_found_in_a_renumbered_graph_and_tell_of_others():
    graph = random_graph(300, 3000)
    result = attempt(graph, renumbered(graph))
    assert result["rate"] > 0.9
    assert result["unique"] > 0.3
    assert result["reidentified_by_chain"] > 2 * result["size"]
    assert result["mistaken_by_chain"] == 0.0


def test_changed_edges_hide_the_chains():
    graph = random_graph(300, 3000)
    assert attempt(graph, perturbed(graph, 0.1))["rate"] == 0.0


def test_a_chain_that_is_there_often_is_not_found():
    for graph in (graph_of(nx.cycle_graph(10)), graph_of(nx.cycle_graph(100))):
        result = attempt(graph, renumbered(graph), size=5)
        assert result["rate"] == result["unique"] == 0.0


def test_members_that_are_in_the_same_place_in_every_copy_are_known():
    # A chain from the center of a star with a tail: the two ends of the tail's fork may be exchanged.
    graph = graph_of(nx.Graph([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6)]))
    chain = np.array([0, 3, 4, 5])
    copies, _ = module._look_for(graph, chain, graph)
    assert sorted(copies.tolist()) == [[0, 3, 4, 5], [0, 3, 4, 6], [4, 3, 0, 1], [4, 3, 0, 2]]


def test_chains_are_different_nodes_each_joined_to_the_one_before():
    graph = random_graph(200, 600)
    chain = _chain(graph, 10, np.random.default_rng(0))
    network = nx.Graph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    assert len(set(chain.tolist())) == 10
    assert all(network.has_edge(a, b) for a, b in zip(chain.tolist(), chain.tolist()[1:], strict=False))


def test_an_attack_ends_when_its_steps_are_used_up(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 1)
    graph = random_graph(100, 500)
    assert attempt(graph, renumbered(graph))["chains"] == 1


def test_a_graph_without_chains_is_safe():
    for graph in (graph_of(nx.Graph()), graph_of(nx.empty_graph(5)), graph_of(nx.path_graph(3))):
        assert attempt(graph, renumbered(graph))["chains"] == 0
