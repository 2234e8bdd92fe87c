"""Pairs of nodes against another library."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.analysis.similarity import (
    are_joined,
    common_neighbors,
    pairs_at_two,
    real_pairs,
    sampled_edges,
    weighted_common_neighbors,
)
from antifaz.graphs.graph import ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph, renumbered


def test_common_neighbors_and_their_weights_are_those_of_another_library():
    network = nx.karate_club_graph()
    pairs = [(a, b) for a in range(34) for b in range(a)]
    one, other = np.array(pairs).T
    graph = karate()
    assert common_neighbors(graph, one, other, unwatched).tolist() == [
        len(list(nx.common_neighbors(network, a, b))) for a, b in pairs
    ]
    rare = 1 / np.log(graph.degrees.clip(2))
    expected = [score for _, _, score in nx.adamic_adar_index(network, pairs)]
    assert weighted_common_neighbors(graph, one, other, rare, unwatched) == pytest.approx(expected)


@pytest.mark.parametrize("directed", [False, True])
def test_pairs_are_joined_in_either_direction(directed):
    graph = random_graph(20, 60, directed=directed)
    network = nx.Graph(network_of(graph))
    one, other = np.divmod(np.arange(400), 20)
    assert are_joined(graph, one, other).tolist() == [
        network.has_edge(a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True)
    ]


def test_real_pairs_are_edges_of_the_original():
    graph = graph_of(nx.path_graph(3))
    released = ProtectedGraph(graph_of(nx.complete_graph(4)), np.array([2, 1, 0, -1]))
    one, other = np.array([0, 0, 1, 1]), np.array([1, 2, 2, 3])
    assert real_pairs(graph, released, one, other).tolist() == [True, False, True, False]


def test_a_direction_is_part_of_a_directed_edge():
    graph = graph_of(nx.DiGraph([(0, 1)]))
    released = renumbered(graph)
    where = np.argsort(released.origin)
    assert real_pairs(graph, released, where[[0]], where[[1]]).all()
    assert not real_pairs(graph, released, where[[1]], where[[0]]).any()


def test_samples_are_edges_and_neighbors_of_neighbors():
    graph, rng = random_graph(200, 800), np.random.default_rng(0)
    edges = sampled_edges(graph, 50, rng)
    assert edges.shape == (2, 50)
    assert are_joined(graph, *edges).all()
    pairs = pairs_at_two(graph, 300, rng)
    assert (pairs[0] != pairs[1]).all()
    assert (common_neighbors(graph, *pairs, unwatched) >= 1).all()
    assert pairs_at_two(graph_of(nx.empty_graph(4)), 10, rng).shape == (2, 0)
