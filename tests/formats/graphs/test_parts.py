import numpy as np
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.graphs.parts import distinct, distinct_first, simple_graph

NUMBERS = st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 5), max_size=60).map(lambda x: np.array(x, np.int64))


@given(NUMBERS)
@effort(deadline=None)
def test_distinct_numbers_are_those_that_numpy_finds(numbers):
    expected, first = np.unique(numbers, return_index=True)
    assert np.array_equal(distinct(numbers), expected)
    kept, places = distinct_first(numbers)
    assert np.array_equal(kept, expected)
    assert np.array_equal(places, first)


def test_a_simple_graph_has_every_edge_once_and_no_loop():
    ids = np.array(["a", "b", "c"], object)
    sources, targets = np.array([2, 0, 1, 1, 0]), np.array([0, 1, 0, 1, 2])
    graph = simple_graph(ids, sources, targets, directed=False, strict=False)
    assert list(zip(graph.sources, graph.targets, strict=True)) == [(0, 1), (0, 2)]
    assert (graph.self_loops, graph.repeated) == (1, 2)
    directed = simple_graph(ids, sources, targets, directed=True, strict=False)
    assert (len(directed.sources), directed.self_loops, directed.repeated) == (4, 1, 0)


def test_a_graph_may_have_no_edges():
    none = np.empty(0, np.int64)
    assert len(simple_graph(np.array(["a"], object), none, none, directed=False, strict=True).sources) == 0
