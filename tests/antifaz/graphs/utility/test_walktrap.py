"""Walktrap against its definition, written out slowly."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.analysis.communities import agreement, modularity
from antifaz.graphs.graph import Graph
from antifaz.graphs.utility import walktrap as module
from antifaz.graphs.utility.walktrap import Walktrap, walk_clusters
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, perturbed, renumbered


def written_out(graph: Graph, steps: int) -> np.ndarray:
    """Join the two neighboring communities of lowest price until none is left; the best partition met."""
    network = network_of(graph)
    matrix = nx.to_numpy_array(network, nodelist=range(graph.n), weight=None) + np.eye(graph.n)
    degrees = matrix.sum(axis=1)
    walks = np.linalg.matrix_power(matrix / degrees[:, None], steps) / np.sqrt(degrees)
    groups = [[node] for node in range(graph.n)]
    best, highest = np.arange(graph.n), modularity(graph, np.arange(graph.n))
    while True:
        prices = {}
        for i, one in enumerate(groups):
            for j, other in enumerate(groups[:i]):
                if nx.cut_size(network, one, other):
                    gap = walks[one].mean(axis=0) - walks[other].mean(axis=0)
                    prices[j, i] = gap @ gap * len(one) * len(other) / (len(one) + len(other))
        if not prices:
            return best
        j, i = min(prices, key=prices.__getitem__)
        groups[j] = groups[j] + groups.pop(i)
        labels = np.zeros(graph.n, dtype=np.int64)
        for number, group in enumerate(groups):
            labels[group] = number
        if modularity(graph, labels) > highest + 1e-12:
            best, highest = labels, modularity(graph, labels)


@pytest.mark.parametrize("seed", range(4))
def test_it_joins_as_the_definition_says(seed):
    graph = graph_of(nx.gnp_random_graph(22, 0.15, seed=seed))
    found = walk_clusters(graph, 3, np.random.default_rng(0), unwatched)
    assert agreement(found, written_out(graph, 3))["jaccard"] == 1.0


def test_cliques_on_a_string_are_found():
    graph = graph_of(nx.ring_of_cliques(6, 5))
    result = Walktrap().measure(graph, renumbered(graph), np.random.default_rng(0), unwatched)
    assert result["clusters"] == {"original": 6, "released": 6}
    assert result["value"] == result["nmi"] == pytest.approx(1)
    assert result["exact"]


def test_a_projection_finds_nearly_the_same(monkeypatch):
    graph = graph_of(nx.relaxed_caveman_graph(12, 8, 0.1, seed=1))
    exact = walk_clusters(graph, 4, np.random.default_rng(0), unwatched)
    monkeypatch.setattr(module, "EXACT", 10)
    near = walk_clusters(graph, 4, np.random.default_rng(0), unwatched)
    assert agreement(exact, near)["nmi"] > 0.9


def test_changed_edges_lower_the_agreement():
    graph = karate()
    result = Walktrap().measure(graph, perturbed(graph, 0.4), np.random.default_rng(0), unwatched)
    assert result["noise"]["jaccard"] == 1.0
    assert result["value"] < 0.9


def test_a_large_graph_is_compared_around_one_node(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 20)
    graph = karate()
    assert Walktrap().measure(graph, renumbered(graph), np.random.default_rng(0), unwatched)["nodes"] == 20


def test_a_graph_without_nodes_agrees_with_itself():
    empty = graph_of(nx.Graph())
    assert Walktrap().measure(empty, renumbered(empty), np.random.default_rng(0), unwatched)["value"] == 1.0
