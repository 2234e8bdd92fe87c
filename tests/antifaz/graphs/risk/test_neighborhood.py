"""Neighborhood risk: candidate sets, checked by hand."""

import networkx as nx

from antifaz.graphs.risk.neighborhood import Neighborhood
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def test_neighbors_that_are_joined_tell_two_nodes_of_one_degree_apart():
    # Two triangles and a cycle of four: all degrees are 2.
    network = nx.disjoint_union_all([nx.cycle_graph(3), nx.cycle_graph(3), nx.cycle_graph(4)])
    after = Neighborhood().after(unchanged(graph_of(network)))
    assert after["k"] == 4
    assert after["shares"] == {"1": 0, "2-4": 0.4, "5-10": 0.6, "11-20": 0, "21+": 0}


def test_small_counts_of_the_original_are_withheld():
    before = Neighborhood().before(karate())
    assert before["k"] == 1
    assert "at most as large" in before["bound"]


def test_a_graph_without_nodes_has_no_candidates():
    assert Neighborhood().after(unchanged(graph_of(nx.Graph())))["k"] == 0
