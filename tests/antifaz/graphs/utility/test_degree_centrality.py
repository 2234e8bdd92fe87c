"""Degree centrality, checked by hand."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.degree_centrality import DegreeCentrality
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, renumbered, unchanged


def measure(graph: Graph, released: ProtectedGraph) -> dict:
    return DegreeCentrality().measure(graph, released, np.random.default_rng(0), unwatched)


def test_a_star_whose_center_moves_keeps_nothing_of_its_top():
    star = graph_of(nx.star_graph(9))
    moved = graph_of(nx.relabel_nodes(nx.star_graph(9), {0: 1, 1: 0}))
    result = measure(star, unchanged(moved))
    assert result["value"] == 0.0
    # Two nodes of ten change by 8 of 9, and the mean centrality is 18 / 90.
    assert result["error"] == pytest.approx(2 / 10 * 8 / 9 / 0.2)


def test_new_node_numbers_change_nothing():
    graph = karate()
    found = measure(graph, renumbered(graph))
    quantiles = found.pop("quantiles")
    assert found == {"value": 1.0, "top": 0.05, "error": 0.0, "exact": True}
    assert quantiles["original"] == pytest.approx(quantiles["released"])


def test_directed_degrees_are_added():
    graph = graph_of(nx.DiGraph([(0, 1), (1, 0), (2, 0)]))
    assert measure(graph, unchanged(graph))["value"] == 1.0
