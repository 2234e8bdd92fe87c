"""Average clustering against another library."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility import average_clustering as module
from antifaz.graphs.utility.average_clustering import AverageClustering
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def measure(graph: Graph, release: Graph) -> dict:
    return AverageClustering().measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


@settings(deadline=None, max_examples=30)
@given(n=st.integers(1, 25), density=st.floats(0.0, 1.0), seed=st.integers(0, 999))
def test_it_agrees_with_another_library(n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed)
    result = measure(graph_of(network), graph_of(network))
    assert result["original"] == pytest.approx(nx.average_clustering(network))
    assert result["exact"]


@pytest.mark.parametrize("directed", [False, True])
def test_a_sample_comes_with_an_error_that_covers_the_truth(directed, monkeypatch):
    network = nx.karate_club_graph()
    monkeypatch.setattr(module, "AFFORDABLE", 1)
    graph = graph_of(nx.DiGraph(network) if directed else network)
    result = measure(graph, karate())
    assert not result["exact"]
    error = result["standard_error"]["original"]
    assert 0 < error < 0.002
    assert result["original"] == pytest.approx(nx.average_clustering(network), abs=5 * error)


def test_a_graph_without_edges_has_none():
    empty = graph_of(nx.empty_graph(3))
    assert measure(empty, empty)["loss"] == 0.0
