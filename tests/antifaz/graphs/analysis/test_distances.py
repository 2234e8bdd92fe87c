"""Distances against another library, on connected, disconnected and sampled graphs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.analysis import distances as module
from antifaz.graphs.analysis.distances import both_distances, distances, draw_sources
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, seed: int = 0) -> module.Distances:
    return distances(graph, np.random.default_rng(seed), unwatched)


def test_karate_has_the_published_distance_and_diameter():
    found = measure(graph_of(nx.karate_club_graph()))
    assert found.mean == pytest.approx(2.408, abs=5e-4)
    assert found.longest == 5
    assert found.exact
    assert found.standard_error == 0
    assert found.pair_coverage == 1


@settings(deadline=None, max_examples=60)
@given(n=st.integers(2, 25), density=st.floats(0.0, 0.5), seed=st.integers(0, 1000))
def test_every_figure_agrees_with_another_library(n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed)
    found = measure(graph_of(network))
    parts = sorted(nx.connected_components(network), key=lambda part: (-len(part), min(part)))
    largest = network.subgraph(parts[0])
    if len(largest) > 1:
        assert found.mean == pytest.approx(nx.average_shortest_path_length(largest))
        assert found.longest == nx.diameter(largest)
        assert found.harmonic_mean == pytest.approx(1 / nx.global_efficiency(network))
    else:
        assert found.mean is None
        assert found.harmonic_mean is None
    assert found.pair_coverage == pytest.approx(sum(len(p) * (len(p) - 1) for p in parts) / (n * (n - 1)))


def test_directions_are_ignored():
    found = measure(graph_of(nx.DiGraph([(0, 1), (2, 1)])))
    assert found.mean == pytest.approx(4 / 3)


def test_a_sample_comes_with_an_error_that_covers_the_truth(monkeypatch):
    graph = graph_of(nx.barabasi_albert_graph(600, 3, seed=1))
    exact = measure(graph)
    monkeypatch.setattr(module, "AFFORDABLE", 60 * (2 * graph.m + graph.n + 1))
    sampled = measure(Graph(graph.n, graph.keys), seed=2)
    assert not sampled.exact
    assert len(sampled.sources) == 60
    assert 0 < sampled.standard_error < 0.1
    assert abs(sampled.mean - exact.mean) < 4 * sampled.standard_error
    assert sampled.longest <= exact.longest


def test_standard_errors_of_a_sample_are_those_of_its_sources(monkeypatch):
    network = nx.barabasi_albert_graph(600, 3, seed=1)
    graph = graph_of(network)
    monkeypatch.setattr(module, "AFFORDABLE", 60 * (2 * graph.m + graph.n + 1))
    sampled = measure(Graph(graph.n, graph.keys), seed=2)
    searches = [nx.single_source_shortest_path_length(network, source) for source in sampled.sources]
    means = [sum(found.values()) / 599 for found in searches]
    inverses = [sum(1 / steps for steps in found.values() if steps) / 599 for found in searches]
    assert sampled.standard_error == pytest.approx(np.std(means, ddof=1) / np.sqrt(60))
    # A harmonic mean is a reciprocal: its error is that of the mean inverse, over the square of that mean.
    error = np.std(inverses, ddof=1) / np.sqrt(60) / np.mean(inverses) ** 2
    assert sampled.standard_error_of_harmonic_mean == pytest.approx(error)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_without_edges_there_are_no_distances(n):
    found = measure(Graph(n, np.zeros(0, dtype=np.int64)))
    assert found.mean is None
    assert found.harmonic_mean is None
    assert found.longest == 0
    assert found.pair_coverage == 0


def test_the_harmonic_mean_of_a_sample_comes_with_an_error_that_covers_the_truth(monkeypatch):
    graph = graph_of(nx.barabasi_albert_graph(600, 3, seed=1))
    exact = measure(graph)
    assert exact.standard_error_of_harmonic_mean == 0
    monkeypatch.setattr(module, "AFFORDABLE", 60 * (2 * graph.m + graph.n + 1))
    sampled = measure(Graph(graph.n, graph.keys), seed=2)
    assert sampled.harmonic_mean == pytest.approx(exact.harmonic_mean, abs=4 * sampled.standard_error_of_harmonic_mean)


def test_one_search_serves_every_measure():
    graph = graph_of(nx.karate_club_graph())
    assert measure(graph) is measure(graph)


def test_both_graphs_are_searched_from_the_same_people(monkeypatch):
    graph = graph_of(nx.barabasi_albert_graph(300, 3, seed=1))
    names = np.random.default_rng(5).permutation(300)
    released = ProtectedGraph(graph.relabeled(names), np.argsort(names))
    monkeypatch.setattr(module, "AFFORDABLE", 40 * (2 * graph.m + graph.n + 1))
    before, after = both_distances(graph, released, np.random.default_rng(0), unwatched)
    assert sorted(released.origin[after.sources]) == before.sources.tolist()
    assert after.mean == pytest.approx(before.mean)


def test_preferred_sources_come_first_and_others_fill_up():
    rng = np.random.default_rng(0)
    assert draw_sources(5, 9, rng).tolist() == [0, 1, 2, 3, 4]
    chosen = draw_sources(100, 10, rng, np.array([7, 3, 99]))
    assert {3, 7, 99} <= set(chosen.tolist())
    assert len(set(chosen.tolist())) == 10
    assert set(draw_sources(100, 2, rng, np.array([7, 3, 99])).tolist()) <= {3, 7, 99}
