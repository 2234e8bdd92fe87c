"""Patterns against the subgraph search of another library."""

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import GraphMatcher

from antifaz.kernels.graphs.patterns import Pattern, find_pattern, grow_pockets
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph

TRIANGLE_WITH_TAIL = [(0, 1), (0, 2), (1, 2), (2, 3)]
PARENTS = np.array([0, 0, 0, 2])


def search(graph, exact: bool = False, enough: int = 1, most: int = 10_000, degrees=None):
    pattern = nx.to_numpy_array(nx.Graph(TRIANGLE_WITH_TAIL), dtype=np.uint8)
    wanted = pattern.sum(axis=1).astype(np.int64) if degrees is None else np.array(degrees)
    found, images = np.zeros(graph.n, dtype=np.int64), np.full((2, 4), -1)
    offsets, neighbors = graph.neighbors
    sought = Pattern(PARENTS, pattern, wanted, exact)
    steps = find_pattern(offsets, neighbors, sought, np.arange(graph.n), enough, 10**9, most, found, images)
    return found, images, steps


@pytest.mark.parametrize("graph", [karate(), random_graph(40, 90, seed=2)])
def test_copies_are_counted_at_each_root(graph):
    matcher = GraphMatcher(network_of(graph), nx.Graph(TRIANGLE_WITH_TAIL))
    expected = np.zeros(graph.n, dtype=np.int64)
    for match in matcher.subgraph_monomorphisms_iter():
        expected[next(node for node, place in match.items() if place == 0)] += 1
    assert search(graph, enough=10**6)[0].tolist() == expected.tolist()
    assert search(graph)[0].tolist() == (expected > 0).tolist()


def test_an_exact_pattern_has_its_degrees_and_no_other_edges():
    network = nx.disjoint_union(nx.Graph(TRIANGLE_WITH_TAIL), nx.complete_graph(4))
    found, images, _ = search(graph_of(network), exact=True, enough=5)
    assert found.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert images.tolist() == [[0, 1, 2, 3], [1, 0, 2, 3]]


def test_a_search_that_takes_too_long_is_not_decided():
    found, _, steps = search(graph_of(nx.complete_bipartite_graph(8, 8)), most=3)
    assert set(found.tolist()) == {-1}
    assert steps == 16 * 4


def test_pockets_grow_by_the_node_that_leaves_the_fewest_edges_going_out():
    # From a clique's node the clique is filled before the bridge is crossed.
    graph = graph_of(nx.barbell_graph(5, 0))
    members, inner, cuts = np.full((1, 5), -1), np.zeros((1, 5), dtype=np.int64), np.zeros(1, dtype=np.int64)
    ties = np.arange(10, dtype=np.uint64)
    offsets, neighbors = graph.neighbors
    assert grow_pockets(offsets, neighbors, ties, np.array([1]), 1000, members, inner, cuts) == 1
    assert sorted(members[0].tolist()) == [0, 1, 2, 3, 4]
    assert inner.tolist() == [[4] * 5]
    assert cuts.tolist() == [1]


def test_pockets_end_where_the_component_does_and_when_the_steps_are_used_up():
    graph = graph_of(nx.disjoint_union(nx.path_graph(2), nx.path_graph(3)))
    members, inner, cuts = np.full((2, 3), -1), np.zeros((2, 3), dtype=np.int64), np.zeros(2, dtype=np.int64)
    offsets, neighbors = graph.neighbors
    ties = np.zeros(5, dtype=np.uint64)
    assert grow_pockets(offsets, neighbors, ties, np.array([0, 2]), 1, members, inner, cuts) == 1
    assert members.tolist() == [[0, 1, -1], [-1, -1, -1]]
