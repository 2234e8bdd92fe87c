"""Plain steps towards given degrees, checked by their remainder and their changes."""

import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.double_cover import begin
from antifaz.graphs.strategies.realization import Realization
from antifaz.graphs.strategies.sides import Rows
from tests.antifaz.graphs.perturbing import graph_of
from tests.antifaz.graphs.strategies.anonymous import small_graphs
from tests.patience import shortest

STEPS = ("add_edges", "remove_edges", "rotate_edges", "swap_edges")


@settings(deadline=None, max_examples=40)
@given(graph=small_graphs(), steps=st.permutations(STEPS), seed=st.integers(0, 2**32 - 1))
def test_what_is_left_is_what_the_edits_have_not_made(graph, steps, seed):
    rng = np.random.default_rng(seed)
    targets = np.clip(graph.degrees + rng.integers(-2, 3, graph.n), 0, graph.n - 1)
    built = Realization(graph, targets)
    before = np.abs(built.residual).sum()
    for step in steps:
        getattr(built, step)(rng)
        after = built.result
        assert (np.diff(after.keys) > 0).all()
        assert (after.sources < after.targets).all()
        assert np.array_equal(targets - after.degrees, built.residual)
        assert np.abs(built.residual).sum() <= before
        before = np.abs(built.residual).sum()


def test_needy_nodes_are_joined_and_others_left_alone():
    graph = graph_of(nx.cycle_graph(8))
    targets = np.array([3, 2, 2, 2, 3, 2, 2, 2])
    built = Realization(graph, targets)
    built.add_edges(np.random.default_rng(0))
    assert built.settled
    assert np.setdiff1d(built.result.keys, graph.keys).tolist() == [0 * 8 + 4]


def test_neighbors_with_too_many_edges_are_parted():
    graph = graph_of(nx.cycle_graph(8))
    built = Realization(graph, np.array([1, 1, 2, 2, 2, 2, 2, 2]))
    built.remove_edges(np.random.default_rng(0))
    assert built.settled
    assert np.setdiff1d(graph.keys, built.result.keys).tolist() == [0 * 8 + 1]


@pytest.mark.parametrize("directed", [False, True])
def test_many_with_too_many_edges_are_parted_without_comparing_all_pairs(directed):
    # On a path, every second node has too many edges, and no two of these are neighbors: comparing all pairs of them
    # takes minutes, looking at their edges milliseconds.
    n = 200_000
    graph = Graph.from_pairs(n, np.arange(n - 1), np.arange(1, n), directed)

    def work(count: int) -> float:
        started = time.process_time()
        if directed:
            both = np.stack([graph.out_degrees, graph.in_degrees])
            both[:, :count:2] = 0
            begin(graph, (rows.offsets, rows.neighbors), both, np.random.default_rng(1))
        else:
            kept = graph.degrees.copy()
            kept[:count:2] = 0
            Realization(graph, kept).remove_edges(np.random.default_rng(1))
        return time.process_time() - started

    rows = Rows.of(graph)
    work(10)
    assert shortest(lambda: work(n), 5.0) < 5.0


def test_a_rotation_takes_from_one_and_gives_to_another():
    graph = graph_of(nx.star_graph(5))
    built = Realization(graph, np.array([4, 2, 1, 1, 1, 1]))
    built.rotate_edges(np.random.default_rng(0))
    assert built.settled
    assert built.result.m == graph.m


def test_neighbors_in_need_are_served_by_an_edge_that_gives_way():
    # Nodes 0 and 1 are joined already: 4–5 must give way.
    graph = graph_of(nx.Graph([(0, 1), (2, 3), (4, 5)]))
    built = Realization(graph, np.array([2, 2, 1, 1, 1, 1]))
    built.add_edges(np.random.default_rng(0))
    assert not built.settled
    built.swap_edges(np.random.default_rng(0))
    assert built.settled
    assert built.result.m == 4
