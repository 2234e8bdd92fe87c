"""Havel–Hakimi as published: which rows are discarded, and which nodes are joined."""

import numpy as np

from antifaz.temporal.strategies.havel_hakimi import recurring_rows
from antifaz.temporal.strategies.realizable import build
from antifaz.watch import unwatched


def test_of_equally_rare_rows_the_earliest_is_given_up_for_the_other():
    # All nodes of a row have one degree, so medians and shuffles leave it as it is.
    degrees = np.array([[1, 1, 1, 1], [2, 2, 2, 2]])
    rows = recurring_rows(degrees, 2, np.random.default_rng(1), unwatched)
    assert rows.degrees.tolist() == [[2, 2, 2, 2]] * 2
    assert (rows.replaced, rows.merged) == (0, 1)


def test_a_row_that_no_graph_has_becomes_the_nearest_that_one_has():
    degrees = np.array([[1] * 4, [4] * 4, [3] * 4, [3] * 4, [1] * 4])
    rows = recurring_rows(degrees, 2, np.random.default_rng(1), unwatched)
    assert rows.degrees[:, 0].tolist() == [1, 3, 3, 3, 1]
    assert (rows.replaced, rows.merged) == (1, 0)


def test_among_equals_the_earlier_node_is_joined_first():
    graph = build(5, np.array([1, 2, 1, 2, 0]))
    assert graph is not None
    assert sorted(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)) == [(0, 1), (1, 3), (2, 3)]
