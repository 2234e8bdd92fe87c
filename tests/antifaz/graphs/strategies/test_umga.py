"""UMGA: means of optimal groups, the number of edges nearly kept, and edges chosen by relevance if requested."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.edits.relevance import relevance
from antifaz.graphs.strategies.umga import microaggregated
from tests.antifaz.graphs.perturbing import graph_of
from tests.antifaz.graphs.strategies.anonymous import STUBBORN, anonymized, small_graphs


@settings(deadline=None, max_examples=25)
@given(graph=small_graphs(), data=st.data())
def test_every_small_graph_becomes_anonymous(graph, data):
    k = data.draw(st.integers(2, graph.n))
    anonymized(graph, k, "umga", edge_selection=data.draw(st.sampled_from(["random", "relevance"])))


@pytest.mark.parametrize("selection", ["random", "relevance"])
@pytest.mark.parametrize("k", [3, 7])
@pytest.mark.parametrize("name", STUBBORN)
def test_graphs_on_which_it_gets_stuck_come_to_an_end(name, k, selection):
    anonymized(graph_of(STUBBORN[name]), k, "umga", edge_selection=selection)


def test_the_targets_are_rounded_means():
    # Groups {9, 8}, {5, 4, 4}, {1, 1, 1}: 8.5, 4.33 and 1; eight nodes of degree 8 at most would be odd otherwise.
    degrees = np.array([1, 5, 9, 4, 1, 8, 4, 1, 0, 0, 0])
    targets = microaggregated(degrees, 2, np.random.default_rng(0))
    assert sorted(targets.tolist()) in (
        sorted([8, 8, 4, 4, 4, 1, 1, 1, 0, 0, 0]),
        sorted([9, 9, 4, 4, 4, 1, 1, 1, 0, 0, 0]),
        sorted([8, 8, 5, 5, 5, 1, 1, 1, 0, 0, 0]),
    )
    assert (targets.sum() - degrees.sum()) % 2 == 0


@settings(deadline=None, max_examples=40)
@given(n=st.integers(31, 60), seed=st.integers(0, 2**32 - 1), k=st.integers(2, 15))
def test_the_targets_are_anonymous_and_their_sum_is_even_and_near(n, seed, k):
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 31, n)
    original[0] += original.sum() % 2
    targets = microaggregated(original, k, rng)
    assert np.unique(targets, return_counts=True)[1].min() >= k
    assert (targets.sum() - original.sum()) % 2 == 0
    assert abs(targets.sum() - original.sum()) <= 4 * k
    assert targets.min() >= 0


def test_the_number_of_edges_is_nearly_kept():
    graph = graph_of(nx.barabasi_albert_graph(400, 4, seed=2))
    released = anonymized(graph, 5, "umga")
    assert abs(released.graph.m - graph.m) <= 5


def test_by_relevance_less_relevant_edges_go():
    graph = graph_of(nx.powerlaw_cluster_graph(400, 5, 0.5, seed=3))
    gone = {}
    for selection in ("random", "relevance"):
        keys = [
            np.setdiff1d(graph.keys, anonymized(graph, 10, "umga", seed, edge_selection=selection).graph.keys)
            for seed in range(2)
        ]
        gone[selection] = relevance(graph, np.concatenate(keys)).mean()
    assert gone["relevance"] < 0.97 * gone["random"]
