"""Closeness centrality."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.analysis import centrality
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.closeness_centrality import ClosenessCentrality
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of, renumbered, unchanged


def measure(graph: Graph, released: ProtectedGraph) -> dict:
    return ClosenessCentrality().measure(graph, released, np.random.default_rng(0), unwatched)


def test_new_node_numbers_change_nothing():
    graph = karate()
    result = measure(graph, renumbered(graph))
    assert result["value"] == 1.0
    assert result["error"] == pytest.approx(0)
    assert result["exact"]


def test_the_error_is_that_of_another_library():
    graph = karate()
    release = graph_of(nx.gnp_random_graph(34, 0.15, seed=1))
    before, after = (np.array(list(nx.closeness_centrality(network_of(each)).values())) for each in (graph, release))
    result = measure(graph, unchanged(release))
    assert result["error"] == pytest.approx(np.abs(before - after).mean() / before.mean())
    top = [set(np.argsort(-each)[:2]) for each in (before, after)]
    assert result["value"] == pytest.approx(len(top[0] & top[1]) / len(top[0] | top[1]))


def test_a_large_graph_is_searched_from_pivots_and_says_so(monkeypatch):
    graph = graph_of(nx.barabasi_albert_graph(300, 3, seed=1))
    monkeypatch.setattr(centrality, "AFFORDABLE", 50 * (2 * graph.m + graph.n + 1))
    result = measure(graph, renumbered(graph))
    assert not result["exact"]
    assert result["sources"] == {"original": 50, "released": 50}
    # The same people are the pivots of both graphs.
    assert result["value"] == 1.0
    assert result["error"] == pytest.approx(0, abs=1e-9)
    assert 0 < result["largest_error_of_distance"]["original"] < 1


def test_a_graph_without_nodes_agrees_with_itself():
    graph = graph_of(nx.Graph())
    assert measure(graph, unchanged(graph))["value"] == 1.0
