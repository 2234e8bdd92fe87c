"""Agreement of partitions, checked by hand, and modularity against another library."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.analysis import communities
from antifaz.graphs.analysis.communities import agreement, by_person, compare_clusterings, graph_within, modularity
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, random_graph, renumbered, unchanged


def test_one_cluster_against_two_scores_the_larger():
    two = np.repeat([0, 1], [18, 16])
    found = agreement(np.zeros(34, dtype=np.int64), two)
    assert found["jaccard"] == pytest.approx(18 / 34)
    assert found["nmi"] == pytest.approx(0)
    assert found["precision"] == 1.0
    assert agreement(two, np.zeros(34, dtype=np.int64))["precision"] == pytest.approx(18 / 34)


def test_clusters_are_matched_one_to_one():
    # Both clusters of the second lie mostly in the first one's first; only one of them can be matched with it.
    one, other = np.array([0, 0, 0, 0, 0, 1]), np.array([0, 0, 0, 1, 1, 1])
    assert agreement(one, other)["jaccard"] == pytest.approx((3 + 1) / 6)


def test_names_of_clusters_do_not_matter():
    labels = np.array([3, 3, 7, 7, 1])
    found = agreement(labels, np.array([0, 0, 9, 9, 4]))
    assert found == pytest.approx({"jaccard": 1.0, "nmi": 1.0, "precision": 1.0})


def test_nodes_in_no_cluster_count_where_the_other_has_them():
    one, other = np.array([0, 0, -1, -1]), np.array([0, 0, 0, -1])
    found = agreement(one, other)
    assert found["jaccard"] == pytest.approx(2 / 3)
    assert found["precision"] == pytest.approx(2 / 3)
    nowhere = np.full(4, -1)
    assert agreement(nowhere, nowhere)["jaccard"] == 1.0


def test_clusters_that_lost_nodes_do_not_share_all_information():
    # Two clusters of five, of which the second side has four nodes each: both agree on the nodes that both have.
    one = np.repeat([0, 1], 5)
    other = np.where(np.arange(10) % 5 == 4, -1, one)
    found = agreement(one, other)
    assert found["jaccard"] == pytest.approx(0.8)
    # By hand: the second side determines the first (ln 2), whose own entropy is 0.8 ln 2.5 + 0.2 ln 10.
    entropy = 0.8 * np.log(2.5) + 0.2 * np.log(10)
    assert found["nmi"] == pytest.approx(2 * np.log(2) / (np.log(2) + entropy))
    assert found["nmi"] < 0.8
    assert agreement(other, one)["nmi"] == pytest.approx(found["nmi"])


def test_nodes_that_neither_side_has_do_not_count():
    one = np.array([0, 0, 1, 1, -1, -1])
    assert agreement(one, one)["nmi"] == pytest.approx(1)


def test_very_many_clusters_are_matched_greedily(monkeypatch):
    one, other = np.arange(50) // 5, (np.arange(50) + 2) // 5
    exact = agreement(one, other)["jaccard"]
    monkeypatch.setattr(communities, "LARGEST_TABLE", 1)
    assert 0.5 * exact <= agreement(one, other)["jaccard"] <= exact


@settings(deadline=None, max_examples=30)
@given(n=st.integers(2, 20), density=st.floats(0.05, 0.9), seed=st.integers(0, 999))
def test_modularity_is_that_of_another_library(n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed)
    labels = np.random.default_rng(seed).integers(0, 3, n)
    groups = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    expected = nx.community.modularity(network, groups) if network.number_of_edges() else 0.0
    assert modularity(graph_of(network), labels) == pytest.approx(expected)


def test_a_node_in_no_cluster_is_one_of_its_own():
    graph = karate()
    labels = np.full(34, -1)
    assert modularity(graph, labels) == pytest.approx(modularity(graph, np.arange(34)))


def test_labels_go_back_to_persons():
    released = ProtectedGraph(graph_of(nx.empty_graph(3)), np.array([2, -1, 0]))
    assert by_person(np.array([5, 6, 7]), released, 4).tolist() == [7, -1, 5, -1]


def parity(graph: Graph, rng: np.random.Generator, watch) -> np.ndarray:
    return graph.degrees % 2


def test_a_clustering_by_structure_alone_agrees_with_itself_and_says_so():
    graph = karate()
    found = compare_clusterings(parity, graph, renumbered(graph), np.random.default_rng(0), unwatched)
    assert found["value"] == found["noise"]["jaccard"] == 1.0
    assert found["clusters"] == {"original": 2, "released": 2}
    assert found["nodes"] == 34


def test_a_large_graph_is_compared_around_one_node():
    graph = random_graph(200, 600)
    found = compare_clusterings(parity, graph, renumbered(graph), np.random.default_rng(0), unwatched, 50)
    assert found["nodes"] == 50
    assert found["value"] == 1.0


@pytest.mark.parametrize("directed", [False, True])
def test_the_graph_of_some_nodes_is_that_of_another_library(directed):
    graph = random_graph(30, 90, directed=directed)
    nodes = np.array([2, 3, 5, 7, 11, 13, 17])
    part = network_of(graph).subgraph(nodes.tolist())
    expected = {(np.searchsorted(nodes, a), np.searchsorted(nodes, b)) for a, b in part.edges}
    found = graph_within(graph, nodes)
    assert set(zip(found.sources, found.targets, strict=True)) == expected
    assert unchanged(found).graph.n == 7
