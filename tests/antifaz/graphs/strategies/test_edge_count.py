"""Edge count: the number of edges stays, and at least k nodes share every degree."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.graphs.strategies.edge_count import score, settle_edge_count
from antifaz.watch import unwatched
from tests.antifaz.graphs.releases import graph_of, graphs

STAR = graph_of(nx.disjoint_union(nx.star_graph(12), nx.path_graph(30)))


def protect(graph: Graph, k: int, keep_edges: float) -> Graph:
    method = KDegree(effort="fast", keep_edges=keep_edges)
    return method.apply(graph, [KDegreeAnonymity(k=k)], np.random.default_rng(0), unwatched).graph


def test_edges_that_a_hub_lost_are_made_up_for_among_others():
    # Twelve edges of the hub are removed: no other node has nearly that number.
    assert protect(STAR, 3, 0.0).m < STAR.m
    assert protect(STAR, 3, 1.0).m == STAR.m


def test_by_hand_a_missing_edge_joins_two_of_many():
    # Degrees 0 four times and 1 six times: with k = 2 two nodes without edges may be joined.
    made = graph_of(nx.disjoint_union(nx.empty_graph(4), nx.from_edgelist([(0, 1), (2, 3), (4, 5)])))
    original = Graph.from_pairs(10, *np.array([(4, 5), (6, 7), (8, 9), (0, 9)], dtype=np.int64).T)
    settled = settle_edge_count(original, made, 2, 1.0, np.random.default_rng(0), unwatched)
    assert settled.m == 4
    assert sorted(settled.degrees.tolist()) == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]


def test_nothing_moves_where_every_degree_is_shared_by_k_alone():
    made = graph_of(nx.disjoint_union(nx.complete_graph(3), nx.path_graph(2)))
    original = Graph(5, np.append(made.keys, 4))
    assert settle_edge_count(original, made, 3, 1.0, np.random.default_rng(0), unwatched) is made


@settings(deadline=None, max_examples=40)
@given(graph=graphs(least=6, most=24), k=st.integers(2, 4), seed=st.integers(0, 999))
def test_degrees_stay_shared_and_the_number_of_edges_comes_nearer(graph, k, seed):
    rng = np.random.default_rng(seed)
    made = protect(graph, k, 0.0)
    settled = settle_edge_count(graph, made, k, 1.0, rng, unwatched)
    assert KDegreeAnonymity(k=k).holds(settled)
    assert abs(settled.m - graph.m) <= abs(made.m - graph.m)
    assert score(graph, settled, 1.0) >= score(graph, made, 1.0)


@settings(deadline=None, max_examples=15)
@given(graph=graphs(least=6, most=20), k=st.integers(2, 4))
def test_the_method_gives_its_guarantee_with_the_choice_too(graph, k):
    assert KDegreeAnonymity(k=k).holds(protect(graph, k, 0.5))


def test_only_greedy_keeps_the_number_of_edges():
    with pytest.raises(ValueError, match="keep_edges is only for the strategy greedy"):
        KDegree(strategy="umga", keep_edges=0.5)
