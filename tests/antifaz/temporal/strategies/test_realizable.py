"""Which degree sequences are graphical: against networkx, and on well-known sequences."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.temporal.strategies.realizable import build, build_arcs, is_digraphical, is_graphical


@given(st.lists(st.integers(0, 8), min_size=1, max_size=9))
def test_a_sequence_is_that_of_a_graph_if_networkx_says_so_and_then_it_is_built(degrees):
    row = np.array(degrees, dtype=np.int64)
    assert is_graphical(row) == nx.is_graphical(degrees)
    graph = build(len(row), row)
    assert (graph is not None) == is_graphical(row)
    if graph is not None:
        assert graph.degrees.tolist() == degrees


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=7))
def test_arcs_are_built_if_networkx_says_that_they_can_be(pairs):
    sends, receives = np.array(pairs, dtype=np.int64).T
    graph = build_arcs(len(pairs), sends, receives)
    assert (graph is not None) == nx.is_digraphical(receives.tolist(), sends.tolist())
    assert (graph is not None) == is_digraphical(sends, receives)
    if graph is not None:
        assert graph.out_degrees.tolist() == sends.tolist()
        assert graph.in_degrees.tolist() == receives.tolist()


@given(st.integers(2, 9), st.integers(0, 2**30), st.integers(0, 2))
def test_the_degrees_of_a_directed_graph_are_those_of_one_until_a_node_sends_to_more_than_there_are(n, seed, moved):
    rows = np.random.default_rng(seed).random((n, n)) < 0.5
    np.fill_diagonal(rows, False)
    sends, receives = rows.sum(axis=1), rows.sum(axis=0)
    assert is_digraphical(sends, receives)
    sends[:moved] += 1
    receives[n - moved :] += 1
    assert is_digraphical(sends, receives) == nx.is_digraphical(receives.tolist(), sends.tolist())


def test_nobody_sends_an_edge_to_itself():
    assert not is_digraphical(np.array([3, 0, 0]), np.array([1, 1, 1]))
    assert is_digraphical(np.array([2, 1, 0]), np.array([1, 1, 1]))


def test_an_odd_sum_and_too_high_a_degree_are_those_of_no_graph():
    assert not is_graphical(np.array([1, 1, 1]))
    assert not is_graphical(np.array([3, 1, 0, 0]))
    assert is_graphical(np.array([0, 0]))
    assert is_graphical(np.array([3, 3, 3, 3]))
