"""Fake edge plausibility attack: strangers joined at random stand out among friends."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.fake_edge_plausibility import FakeEdgePlausibility, area_under_curve
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, renumbered


def attempt(graph: Graph, released: ProtectedGraph) -> dict:
    return FakeEdgePlausibility().attempt(graph, released, np.random.default_rng(0), unwatched)


def test_the_area_is_the_chance_that_a_real_edge_scores_higher():
    scores, real = np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True])
    # Of four pairs of real and added, three and a half are in the right order.
    assert area_under_curve(scores, real) == pytest.approx(3.5 / 4)


def test_edges_added_at_random_among_friends_are_told():
    graph = graph_of(nx.relaxed_caveman_graph(30, 8, 0.05, seed=1))
    result = attempt(graph, perturbed(graph, 0.1))
    assert result["rate"] > 0.95
    assert result["baseline"] == 0.5
    assert result["added"] > 50


def test_edges_added_at_random_to_a_random_graph_are_not():
    graph = graph_of(nx.gnm_random_graph(400, 2000, seed=1))
    assert 0.4 < attempt(graph, perturbed(graph, 0.2))["rate"] < 0.6


def test_without_added_edges_there_is_nothing_to_tell():
    graph = graph_of(nx.cycle_graph(9))
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == 0.5
    assert result["added"] == 0


def test_a_graph_without_nodes_gives_nothing_away():
    empty = graph_of(nx.Graph())
    assert attempt(empty, renumbered(empty))["rate"] == 0.5
