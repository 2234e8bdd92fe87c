"""Vertex refinement risk: shares by query, checked by hand."""

import networkx as nx

from antifaz.graphs.risk.vertex_refinement import VertexRefinement
from tests.antifaz.graphs.networks import graph_of, karate, unchanged


def test_the_first_query_knows_degrees():
    after = VertexRefinement().after(unchanged(karate()))
    assert after["H0"] == {"k": 34, "shares": {"1": 0, "2-4": 0, "5-10": 0, "11-20": 0, "21+": 1}}
    # Degrees [0,1,11,6,6,3,2,0,0,1,1,0,1,0,0,0,1,1].
    assert after["H1"]["shares"] == {"1": 6 / 34, "2-4": 5 / 34, "5-10": 12 / 34, "11-20": 11 / 34, "21+": 0}
    assert after["H4"]["shares"]["1"] >= after["H2"]["shares"]["1"] > after["H1"]["shares"]["1"]


def test_a_cycle_hides_everybody_at_every_depth():
    before = VertexRefinement().before(graph_of(nx.cycle_graph(30)))
    assert all(before[f"H{depth}"]["k"] == 30 for depth in range(5))


def test_small_shares_of_the_original_are_withheld_and_k_is_shown():
    before = VertexRefinement().before(karate())
    assert before["H1"]["k"] == 1
    assert before["H1"]["shares"]["1"] == "<0.294"


def test_a_graph_without_nodes_has_no_candidates():
    assert VertexRefinement().after(unchanged(graph_of(nx.Graph())))["H4"]["k"] == 0
