"""Louvain: agreement of communities."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility import louvain as module
from antifaz.graphs.utility.louvain import Louvain
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, perturbed, renumbered


def measure(graph: Graph, released: ProtectedGraph) -> dict:
    return Louvain().measure(graph, released, np.random.default_rng(0), unwatched)


def test_clear_communities_agree_under_new_node_numbers():
    graph = graph_of(nx.ring_of_cliques(8, 6))
    result = measure(graph, renumbered(graph))
    assert result["value"] == result["precision"] == 1.0
    assert result["nmi"] == pytest.approx(1)
    assert result["clusters"] == {"original": 8, "released": 8}
    assert result["modularity"]["original"] == pytest.approx(result["modularity"]["released"])
    assert result["noise"]["jaccard"] == 1.0


def test_changed_edges_lower_the_agreement_below_the_noise():
    graph = graph_of(nx.relaxed_caveman_graph(12, 10, 0.1, seed=1))
    result = measure(graph, perturbed(graph, 0.6))
    assert result["value"] < 0.7 * result["noise"]["jaccard"]
    assert result["nmi"] < result["noise"]["nmi"]


def test_a_large_graph_is_compared_around_one_node(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 20)
    assert measure(karate(), renumbered(karate()))["nodes"] == 20


def test_a_graph_without_nodes_agrees_with_itself():
    empty = graph_of(nx.Graph())
    assert measure(empty, renumbered(empty))["value"] == 1.0
