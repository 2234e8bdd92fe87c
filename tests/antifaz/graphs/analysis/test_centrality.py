"""Centralities against another library, from all nodes and from pivots."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.analysis import centrality as module
from antifaz.graphs.analysis.centrality import ShortestPaths, compare, shortest_paths
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kernels.graphs.paths import distances_to
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, unchanged


def search(graph: Graph, seed: int = 0) -> ShortestPaths:
    return shortest_paths(graph, np.random.default_rng(seed), unwatched)


def in_order(scores: dict) -> list[float]:
    return [scores[node] for node in sorted(scores)]


@settings(deadline=None, max_examples=40)
@given(n=st.integers(3, 25), density=st.floats(0.0, 0.6), seed=st.integers(0, 999))
def test_every_figure_agrees_with_another_library(n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed)
    found = search(graph_of(network))
    assert found.exact
    assert found.betweenness == pytest.approx(in_order(nx.betweenness_centrality(network)))
    assert found.closeness == pytest.approx(in_order(nx.closeness_centrality(network)))
    lengths = [d for _, row in nx.all_pairs_shortest_path_length(network) for d in row.values() if d]
    assert found.lengths.tolist() == (np.bincount(lengths).tolist() if lengths else [])
    assert found.apart == n * (n - 1) - len(lengths)


def test_pivots_estimate_what_all_nodes_tell(monkeypatch):
    graph = graph_of(nx.barabasi_albert_graph(500, 3, seed=1))
    exact = search(graph)
    monkeypatch.setattr(module, "AFFORDABLE", 100 * (2 * graph.m + graph.n + 1))
    sampled = search(Graph(graph.n, graph.keys), seed=2)
    assert len(sampled.sources) == 100
    assert not sampled.exact
    top = np.argsort(-exact.betweenness)[:25]
    gaps = np.abs(sampled.betweenness - exact.betweenness)[top]
    assert (gaps <= 3 * sampled.errors[top]).mean() > 0.9
    assert sampled.closeness == pytest.approx(exact.closeness, rel=0.1)


def test_one_search_serves_every_measure():
    graph = graph_of(nx.path_graph(5))
    assert search(graph) is search(graph)


def test_the_top_and_the_error_are_compared_person_by_person():
    before = np.arange(40.0)
    # Node 39 is now at the bottom; an added node is at the top.
    released = ProtectedGraph(Graph(41, np.zeros(0, dtype=np.int64)), np.append(np.arange(40), -1))
    after = np.append(before, 100.0)
    after[39] = 0.0
    found = compare(before, after, released)
    # Top of the original 38 and 39, of the release (three of 41) 37, 38 and the made-up one.
    assert found["value"] == pytest.approx(1 / 4)
    assert found["error"] == pytest.approx(39 / 40 / 19.5)


def test_ties_with_the_last_of_the_top_belong_to_it():
    graph = graph_of(nx.empty_graph(10))
    assert compare(np.ones(10), np.ones(10), unchanged(graph))["value"] == 1.0


def test_nodes_know_the_nearest_of_some_others():
    offsets, neighbors = graph_of(nx.disjoint_union(nx.path_graph(6), nx.path_graph(2))).neighbors
    assert distances_to(offsets, neighbors, np.array([0, 4, 4])).tolist() == [0, 1, 2, 1, 0, 1, -1, -1]


def test_means_of_groups_are_of_ten_nodes_at_least():
    graph = graph_of(nx.empty_graph(25))
    found = compare(np.arange(25.0), np.arange(25.0)[::-1].copy(), unchanged(graph))["quantiles"]
    assert found["original"] == found["released"] == [6.0, 18.5]
    few = graph_of(nx.empty_graph(19))
    assert "quantiles" not in compare(np.arange(19.0), np.arange(19.0), unchanged(few))
    many = graph_of(nx.empty_graph(1000))
    assert len(compare(np.arange(1000.0), np.arange(1000.0), unchanged(many))["quantiles"]["original"]) == 10
