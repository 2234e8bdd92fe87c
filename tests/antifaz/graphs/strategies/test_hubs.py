"""Hubs: joined to all others; edges are removed again if pairs keep their common neighbors."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.hubs import join_hubs, trim
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, network_of
from tests.antifaz.graphs.releases import graphs


def few_shared(graph: Graph, k: int) -> int:
    """Pairs with some common neighbors and fewer than k, counted by another library."""
    network = network_of(graph)
    counts = [len(list(nx.common_neighbors(network, u, v))) for u in network for v in network if u < v]
    return sum(0 < count < k for count in counts)


def test_the_largest_nodes_are_joined_to_all_others():
    star = graph_of(nx.star_graph(5))
    joined = join_hubs(graph_of(nx.disjoint_union(nx.star_graph(5), nx.cycle_graph(4))), 1)
    assert joined.degrees[0] == joined.n - 1
    assert np.isin(star.keys, join_hubs(star, 2).keys).all()


def test_nodes_that_know_hubs_alone_are_joined_in_pairs():
    # The leaves of a star know the center alone: 1-2, 3-4, and the last with another.
    joined = join_hubs(graph_of(nx.star_graph(5)), 1)
    assert joined.degrees.tolist()[0] == 5
    assert min(joined.degrees.tolist()) == 2
    assert joined.m == 5 + 3


def test_a_graph_of_hubs_alone_is_complete():
    assert join_hubs(graph_of(nx.path_graph(3)), 3).m == 3
    assert join_hubs(graph_of(nx.empty_graph(1)), 1).m == 0


@settings(deadline=None, max_examples=40)
@given(graph=graphs(least=4, most=18, directed=False), k=st.integers(2, 4), seed=st.integers(0, 99))
def test_what_is_taken_back_leaves_every_pair_what_it_needs(graph, k, seed):
    joined = join_hubs(graph, min(k + 1, graph.n))
    trimmed = trim(graph, joined, k, 2, np.random.default_rng(seed), unwatched)
    assert np.isin(graph.keys, trimmed.keys).all()
    assert np.isin(trimmed.keys, joined.keys).all()
    assert few_shared(trimmed, k) <= few_shared(joined, k)
    # No degree falls to below the least unless it was there before.
    assert (trimmed.degrees >= np.minimum(joined.degrees, 2)).all()


def test_some_edges_of_the_karate_club_can_be_taken_back():
    joined = join_hubs(karate(), 4)
    trimmed = trim(karate(), joined, 3, 2, np.random.default_rng(0), unwatched)
    assert trimmed.m < joined.m
    assert few_shared(trimmed, 3) == few_shared(joined, 3) == 0
