"""Vertex addition: the original stays whole, and added nodes are in a class of k or more themselves."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidPolicy
from antifaz.graphs.strategies.vertex_addition import Strangers, _among, _fewest
from antifaz.kinds.graph import GraphDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from tests.antifaz.graphs.perturbing import graph_of
from tests.antifaz.graphs.strategies.anonymous import STUBBORN, anonymized, small_graphs

POLICY = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
    "method": {"name": "k_degree", "strategy": "vertex_addition"},
}


@settings(deadline=None, max_examples=40)
@given(graph=small_graphs(), data=st.data())
def test_the_original_is_whole_and_everybody_hides_among_k(graph, data):
    released = anonymized(graph, data.draw(st.integers(2, graph.n)), "vertex_addition")
    assert released.account["edges_removed"] == 0
    after = released.graph
    inner = after.targets < graph.n
    assert np.array_equal(after.sources[inner] * graph.n + after.targets[inner], graph.keys)


@pytest.mark.parametrize("k", [2, 5, 7])
@pytest.mark.parametrize("name", STUBBORN)
def test_stubborn_graphs_come_to_an_end(name, k):
    anonymized(graph_of(STUBBORN[name]), k, "vertex_addition")


def test_the_published_example_takes_one_node_and_two_edges():
    network = nx.Graph([(1, 0), (1, 2), (1, 3), (1, 4), (4, 5), (4, 6), (0, 7), (2, 8), (5, 7), (6, 8)])
    graph = graph_of(nx.convert_node_labels_to_integers(network, ordering="sorted"))
    assert graph.degrees.tolist() == [2, 4, 2, 1, 3, 2, 2, 2, 2]
    released = anonymized(graph, 2, "vertex_addition")
    assert released.account["nodes_added"] == 1
    assert released.account["edges_added"] == 2
    assert released.graph.degrees.tolist() == [2, 4, 2, 2, 4, 2, 2, 2, 2, 2]


@settings(deadline=None, max_examples=60)
@given(lacking=st.lists(st.integers(0, 9), min_size=1, max_size=30), k=st.integers(2, 12))
def test_a_common_degree_is_always_found(lacking, k):
    array = np.array(lacking, dtype=np.int64)
    strangers = _fewest(array, np.array([3, 4]), k)
    if not array.any():
        assert strangers == Strangers(0, 0)
        return
    assert strangers.count >= array.max()
    assert strangers.count >= k or strangers.degree in (3, 4)
    total = int(array.sum())
    own = np.bincount(np.arange(total) % strangers.count, minlength=strangers.count)
    first, second = _among(total, strangers)
    assert (first != second).all()
    assert len({frozenset(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)}) == len(first)
    own = own + np.bincount(first, minlength=strangers.count) + np.bincount(second, minlength=strangers.count)
    assert (own == strangers.degree).all()


def test_made_up_nodes_stand_anywhere_in_the_release():
    policy = parse_policy(POLICY)
    graph = graph_of(nx.karate_club_graph())
    places = set()
    for seed in range(10):
        released = protect(
            check(GraphDataset((), graph.n, graph=graph), policy), policy, np.random.default_rng(seed)
        ).graph
        assert released is not None
        places |= set(np.flatnonzero(released.origin < 0).tolist())
    assert min(places) < 20


def test_attributes_of_nodes_cannot_be_released_with_made_up_ones():
    attributes = {"age": {"role": "insensitive"}}
    with pytest.raises(InvalidPolicy, match="may add nodes"):
        parse_policy({**POLICY, "attributes": attributes})
