"""Degree histogram distance."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.degree_histogram_distance import DegreeHistogramDistance
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return DegreeHistogramDistance().measure(graph, released, np.random.default_rng(0), unwatched)


def test_both_distances_of_a_path_that_is_closed_to_a_cycle():
    # Two of four nodes move from degree 1 to degree 2.
    result = measure(graph_of(nx.path_graph(4)), graph_of(nx.cycle_graph(4)))
    assert result["value"] == pytest.approx(0.5)
    assert result["earth_mover"] == pytest.approx(0.5)


def test_new_node_numbers_change_nothing():
    star = graph_of(nx.star_graph(4))
    assert measure(star, star.relabeled(np.array([4, 3, 2, 1, 0])))["value"] == 0


def test_directed_graphs_compare_in_and_out_degrees():
    out = Graph.from_pairs(3, np.array([0, 0]), np.array([1, 2]), directed=True)
    into = Graph.from_pairs(3, np.array([1, 2]), np.array([0, 0]), directed=True)
    result = measure(into, out)
    # In-degrees 2, 0, 0 against 0, 1, 1, and the other way round: shares 2/3, 0, 1/3 against 1/3, 2/3, 0.
    assert result["value"] == pytest.approx(2 / 3)
    assert result["earth_mover"] == pytest.approx(2 / 3)


def test_graphs_without_nodes_do_not_differ():
    empty = Graph(0, np.zeros(0, dtype=np.int64))
    assert measure(empty, empty)["value"] == 0
