"""Subgraph queries attack: known edges fit around few nodes or around all."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks import subgraph_queries as module
from antifaz.graphs.attacks.subgraph_queries import SubgraphQueries, _known_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return SubgraphQueries(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def test_one_edge_fits_around_everybody():
    graph = graph_of(nx.cycle_graph(12))
    result = attempt(graph, renumbered(graph), edges=1)
    assert result["rate"] == pytest.approx(1 / 12)
    assert result["targets"] == 12


def test_known_edges_are_edges_of_the_original_around_the_target():
    network = nx.karate_club_graph()
    parents, pattern, degrees = _known_edges(karate(), 5, 8, np.random.default_rng(1))
    assert pattern.sum() == 2 * 8
    assert nx.is_connected(nx.from_numpy_array(pattern))
    assert degrees.tolist() == pattern.sum(axis=1).tolist()
    assert all(pattern[place, parents[place]] for place in range(1, len(parents)))
    assert network.degree(5) >= degrees[0]


def test_more_edges_leave_fewer_candidates():
    graph = random_graph(60, 120, seed=3)
    few, many = (attempt(graph, renumbered(graph), edges=edges, targets=20)["rate"] for edges in (1, 20))
    assert many > 5 * few


def test_an_unprotected_network_gives_far_more_people_away_than_a_guess():
    result = attempt(karate(), renumbered(karate()), edges=20)
    assert result["rate"] > 10 * result["baseline"]
    assert result["undecided"] < 0.1


def test_edges_among_friends_are_known_before_strangers():
    # A triangle with a long tail: an attacker who knows four edges around 0 knows the triangle.
    graph = graph_of(nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]))
    for seed in range(10):
        _, pattern, _ = _known_edges(graph, 0, 4, np.random.default_rng(seed))
        assert pattern[:3, :3].sum() == 6
        assert pattern.sum() == 2 * 4


def test_a_release_without_edges_has_no_candidates():
    graph = karate()
    empty = ProtectedGraph(Graph(34, graph.keys[:0]), np.arange(34))
    assert attempt(graph, empty)["rate"] == 0.0


def test_an_attack_ends_when_its_steps_are_used_up(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 1)
    assert attempt(karate(), renumbered(karate()))["targets"] == 1


def test_a_search_that_takes_too_long_leaves_candidates(monkeypatch):
    monkeypatch.setattr(module, "STEPS_PER_NODE", 1)
    result = attempt(karate(), renumbered(karate()), edges=6)
    assert result["undecided"] > 0.4
    assert result["rate"] > 0


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = graph_of(nx.Graph())
    assert attempt(empty, renumbered(empty))["rate"] == 0.0
    assert network_of(empty).number_of_nodes() == 0
