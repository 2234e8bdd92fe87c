"""Harmonic mean distance."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.harmonic_mean_distance import HarmonicMeanDistance
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def measure(graph: Graph, release: Graph) -> dict:
    return HarmonicMeanDistance().measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


def test_it_is_one_over_the_efficiency():
    result = measure(karate(), graph_of(nx.complete_graph(34)))
    assert result["original"] == pytest.approx(1 / nx.global_efficiency(nx.karate_club_graph()))
    assert result["released"] == pytest.approx(1)
    assert result["exact"]


def test_pieces_are_infinitely_far_apart():
    # Of six pairs two are joined, at distance 1: the mean inverse is 1/3.
    result = measure(graph_of(nx.path_graph(4)), graph_of(nx.Graph([(0, 1), (2, 3)])))
    assert result["released"] == pytest.approx(3)


def test_a_release_without_edges_has_none():
    result = measure(karate(), graph_of(nx.empty_graph(34)))
    assert result["released"] is None
    assert result["loss"] == 1.0
    empty = graph_of(nx.empty_graph(3))
    assert measure(empty, empty)["loss"] == 0.0
