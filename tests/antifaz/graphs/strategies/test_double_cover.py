"""Starts for directed graphs: anonymous targets that add up, and edits that lead towards them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.double_cover import begin, pair_targets
from antifaz.graphs.strategies.greedy import Search
from antifaz.graphs.strategies.sides import Rows, edited


@st.composite
def directed_graphs(draw, most_nodes: int = 30):
    n = draw(st.integers(4, most_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = (n * rng.random((2, draw(st.integers(0, 4 * n)))) ** 2).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], directed=True)


def missing(graph: Graph, targets: np.ndarray) -> int:
    return int(np.abs(targets - np.stack([graph.out_degrees, graph.in_degrees])).sum())


@settings(deadline=None, max_examples=25)
@given(graph=directed_graphs(), k=st.integers(2, 4), seed=st.integers(0, 2**32 - 1))
def test_every_edit_leads_towards_the_targets(graph, k, seed):
    rng = np.random.default_rng(seed)
    targets = pair_targets(graph, k, 2000, rng)
    rows = Rows.of(graph)
    begun = begin(graph, (rows.offsets, rows.neighbors), targets, rng)
    assert begun.directed
    assert (np.diff(begun.keys) > 0).all()
    assert (begun.sources != begun.targets).all()
    edits = len(np.setxor1d(graph.keys, begun.keys))
    assert missing(begun, targets) <= missing(graph, targets) - edits


@pytest.mark.parametrize("k", [2, 5])
def test_targets_are_anonymous_and_senders_and_receivers_add_up(k):
    rng = np.random.default_rng(2)
    ends = (400 * rng.random((2, 3000)) ** 2).astype(np.int64)
    graph = Graph.from_pairs(400, ends[0], ends[1], directed=True)
    targets = pair_targets(graph, k, 20_000, rng)
    _, sizes = np.unique(targets, axis=1, return_counts=True)
    assert sizes.min() >= k
    assert targets[0].sum() == targets[1].sum()
    rows = Rows.of(graph)
    begun = begin(graph, (rows.offsets, rows.neighbors), targets, rng)
    assert missing(begun, targets) < 0.5 * missing(graph, targets)


def test_common_pairs_stay_as_they_are():
    # A directed ring: every node is (1, 1).
    graph = Graph.from_pairs(12, np.arange(12), (np.arange(12) + 1) % 12, directed=True)
    targets = pair_targets(graph, 5, 100, np.random.default_rng(0))
    assert (targets == 1).all()


def test_the_edits_between_two_graphs_lead_from_one_to_the_other():
    rng = np.random.default_rng(4)
    first, second = (Graph.from_pairs(9, *rng.integers(0, 9, (2, 20)), directed=True) for _ in range(2))
    found = Search.between(first, second, 3, False)
    assert np.array_equal(edited(first, found.edits).keys, second.keys)
    other = Search.between(first, first, 2, True)
    assert found.or_fewer(other).outcome[0] == 0
    assert found.or_fewer(other).trials == 5
    assert found.or_fewer(other).stopped
    assert Search.with_room(0).or_fewer(found).found
