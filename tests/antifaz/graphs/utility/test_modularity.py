"""Modularity of communities."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility import modularity as module
from antifaz.graphs.utility.modularity import Modularity
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, renumbered


def measure(graph: Graph, released: ProtectedGraph) -> dict:
    return Modularity().measure(graph, released, np.random.default_rng(0), unwatched)


def test_two_cliques_on_a_bridge_have_the_modularity_of_two_halves():
    network = nx.barbell_graph(6, 0)
    result = measure(graph_of(network), renumbered(graph_of(network)))
    expected = nx.community.modularity(network, [range(6), range(6, 12)])
    assert result["original"] == result["released"] == result["kept"] == pytest.approx(expected)
    assert result["loss"] == 0


def test_changed_edges_hide_the_original_communities():
    graph = graph_of(nx.ring_of_cliques(10, 6))
    result = measure(graph, perturbed(graph, 0.5))
    assert result["kept"] < 0.7 * result["original"]
    assert result["released"] >= result["kept"]


def test_a_large_graph_is_compared_around_one_node(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 24)
    graph = graph_of(nx.ring_of_cliques(10, 6))
    result = measure(graph, renumbered(graph))
    assert result["nodes"] == 24
    assert result["loss"] == pytest.approx(0, abs=0.05)


def test_a_graph_without_edges_has_none():
    empty = graph_of(nx.empty_graph(5))
    assert measure(empty, renumbered(empty))["original"] == 0.0
