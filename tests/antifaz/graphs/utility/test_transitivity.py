"""Transitivity against another library."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.transitivity import Transitivity, transitivity
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return Transitivity().measure(graph, released, np.random.default_rng(0), unwatched)


def test_karate_has_the_known_transitivity():
    network = nx.karate_club_graph()
    result = measure(graph_of(network), graph_of(nx.complete_graph(34)))
    assert result["original"] == pytest.approx(nx.transitivity(network))
    assert result["released"] == pytest.approx(1)
    assert result["loss"] == pytest.approx(1 / nx.transitivity(network) - 1)


@settings(deadline=None, max_examples=60)
@given(n=st.integers(0, 25), density=st.floats(0.0, 1.0), seed=st.integers(0, 1000))
def test_it_agrees_with_another_library(n, density, seed):
    network = nx.gnp_random_graph(n, density, seed=seed)
    assert transitivity(graph_of(network)) == pytest.approx(nx.transitivity(network))


def test_a_pair_joined_both_ways_is_one_edge():
    arcs = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 0)])
    assert transitivity(graph_of(arcs)) == pytest.approx(1)
