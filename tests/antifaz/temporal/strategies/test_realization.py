"""Editing to fixed degrees: any possible degrees are reached, with close to the fewest edits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.temporal.strategies.realization import degrees_of, realize


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


@st.composite
def graphs(draw: st.DrawFn, n: int, directed: bool) -> Graph:
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return graph_of(n, draw(st.lists(pairs, max_size=n * n)), directed)


@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_degrees_of_any_other_graph_are_reached(directed, data):
    n = data.draw(st.integers(2, 9))
    graph, other = data.draw(graphs(n, directed)), data.draw(graphs(n, directed))
    realized = realize(graph, degrees_of(other), 4, np.random.default_rng(1))
    assert realized is not None
    assert np.array_equal(degrees_of(realized.graph), degrees_of(other))


def test_two_nodes_in_need_are_joined_and_nothing_else_changes():
    path = graph_of(4, [(0, 1), (1, 2), (2, 3)])
    realized = realize(path, np.array([2, 2, 2, 2]), 4, np.random.default_rng(1))
    assert realized is not None
    assert not realized.rebuilt
    assert realized.graph.keys.tolist() == graph_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)]).keys.tolist()


def test_an_edge_is_handed_over_from_who_has_one_too_many():
    star = graph_of(5, [(0, 1), (0, 2), (0, 3)])
    realized = realize(star, np.array([2, 1, 1, 1, 1]), 4, np.random.default_rng(1))
    assert realized is not None
    assert len(np.setxor1d(star.keys, realized.graph.keys)) == 2


def test_degrees_that_no_graph_has_are_not_reached():
    assert realize(graph_of(3, [(0, 1)]), np.array([1, 1, 1]), 4, np.random.default_rng(1)) is None
