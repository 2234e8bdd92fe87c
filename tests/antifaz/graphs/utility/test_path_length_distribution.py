"""Path length distribution, checked by hand."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.utility.path_length_distribution import MOST_LENGTHS, PathLengthDistribution
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, renumbered, unchanged


def measure(graph: Graph, release: Graph) -> dict:
    return PathLengthDistribution().measure(graph, unchanged(release), np.random.default_rng(0), unwatched)


def test_a_path_that_breaks_moves_pairs_to_those_apart():
    # Of the six pairs of a path of four, three are at distance 1, two at 2, one at 3.
    result = measure(graph_of(nx.path_graph(4)), graph_of(nx.Graph([(0, 1), (2, 3)])))
    assert result["original"] == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert result["released"] == pytest.approx([2 / 6, 0, 0])
    assert result["apart"] == pytest.approx({"original": 0, "released": 4 / 6})
    assert result["value"] == pytest.approx(4 / 6)


def test_new_node_numbers_change_nothing():
    graph = karate()
    assert measure(graph, renumbered(graph).graph)["value"] == pytest.approx(0)


def test_very_long_paths_are_told_together():
    result = measure(graph_of(nx.path_graph(80)), graph_of(nx.path_graph(80)))
    assert len(result["original"]) == MOST_LENGTHS
    assert sum(result["original"]) == pytest.approx(1)


def test_a_graph_without_nodes_agrees_with_itself():
    empty = graph_of(nx.Graph())
    assert measure(empty, empty)["value"] == 0.0
