"""Which degrees graphs have: against networkx, and on sequences known by heart."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.temporal.strategies.realizable import build, build_arcs, is_graphical


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
    if graph is not None:
        assert graph.out_degrees.tolist() == sends.tolist()
        assert graph.in_degrees.tolist() == receives.tolist()


def test_an_odd_sum_and_too_high_a_degree_are_those_of_no_graph():
    assert not is_graphical(np.array([1, 1, 1]))
    assert not is_graphical(np.array([3, 1, 0, 0]))
    assert is_graphical(np.array([0, 0]))
    assert is_graphical(np.array([3, 3, 3, 3]))
