"""Degree risk: counts in full for the release; of the original the bins below ten are withheld."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.risk.degree import Degree, _withheld_histogram


def karate() -> Graph:
    return Graph.from_pairs(34, *np.array(list(nx.karate_club_graph().edges), dtype=np.int64).T)


def released(graph: Graph) -> ProtectedGraph:
    return ProtectedGraph(graph, np.arange(graph.n))


def test_the_histogram_of_karate_is_counted_by_hand():
    # Degrees [0,1,11,6,6,3,2,0,0,1,1,0,1,0,0,0,1,1]: six unique, 2 + 3 in small classes, 6 + 6, 11.
    after = Degree().after(released(karate()))
    assert after["k"] == 1
    assert after["unique_nodes"] == 6
    assert after["unique_share"] == 6 / 34
    assert after["candidate_sets"] == {"1": 6, "2-4": 5, "5-10": 12, "11-20": 11, "21+": 0}


def test_k_and_the_unique_nodes_of_the_original_are_shown_and_small_bins_withheld():
    before = Degree().before(karate())
    assert before["k"] == 1
    assert before["unique_nodes"] == 6
    assert before["unique_share"] == 6 / 34
    assert before["candidate_sets"] == {"1": "<10", "2-4": "<10", "5-10": 12, "11-20": 11, "21+": "<10"}


def test_a_count_withheld_alone_cannot_be_had_by_subtraction():
    histogram = {"1": 12, "2-4": 15, "5-10": 30, "11-20": 4, "21+": 50}
    assert _withheld_histogram(histogram) == {"1": 12, "2-4": ">=10", "5-10": 30, "11-20": "<10", "21+": 50}


def test_the_number_of_unique_nodes_does_not_give_another_bin_away():
    # The first bin is known from the unique nodes: with two withheld, of which it is one, the other would follow.
    histogram = {"1": 6, "2-4": 15, "5-10": 30, "11-20": 4, "21+": 50}
    assert _withheld_histogram(histogram) == {"1": "<10", "2-4": ">=10", "5-10": 30, "11-20": "<10", "21+": 50}


def test_large_counts_of_the_original_are_told():
    cycle = Graph.from_pairs(30, np.arange(30), (np.arange(30) + 1) % 30)
    before = Degree().before(cycle)
    assert before["k"] == 30
    assert before["candidate_sets"]["21+"] == 30


def test_directions_make_pairs_of_degrees():
    graph = Graph.from_pairs(4, np.array([0, 2]), np.array([1, 3]), directed=True)
    assert Degree().after(released(graph))["k"] == 2


def test_a_graph_without_nodes_has_no_candidates():
    empty = Graph(0, np.zeros(0, dtype=np.int64))
    assert Degree().after(released(empty))["k"] == 0
    assert Degree().before(empty)["unique_nodes"] == 0
