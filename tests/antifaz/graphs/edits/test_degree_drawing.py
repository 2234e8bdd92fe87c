"""Graphs with given degrees: edges are dropped and added until nearly every node has its degree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.graphs.edits.degree_drawing import join_ends, with_degrees
from antifaz.graphs.graph import Graph
from antifaz.watch import unwatched


def graph_at_random(n: int, m: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_pairs(n, rng.integers(0, n, m), rng.integers(0, n, m))


def test_nodes_get_the_degrees_of_another_graph_with_groups() -> None:
    start, target = graph_at_random(400, 3_000, 1), graph_at_random(400, 2_500, 2)
    groups = np.arange(400) % 4
    keys = with_degrees(400, start.keys, target.degrees, groups, np.random.default_rng(3), unwatched)
    made = Graph(400, keys)
    assert (np.diff(keys) > 0).all()
    assert (made.sources < made.targets).all()
    assert np.abs(made.degrees - target.degrees).sum() <= 0.01 * target.degrees.sum()


def test_free_ends_are_joined_inside_their_groups_first() -> None:
    groups = np.repeat([0, 1], 50)
    keys = join_ends(
        100, np.zeros(0, dtype=np.int64), np.arange(100).repeat(3), np.random.default_rng(1), unwatched, groups
    )
    across = (keys // 100 < 50) != (keys % 100 < 50)
    assert len(keys) >= 148
    assert across.sum() <= 2


@given(st.integers(2, 12), st.integers(0, 30), st.integers(0, 2**20))
def test_what_comes_out_is_a_simple_graph(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = graph_at_random(n, m, seed)
    wanted = rng.integers(0, n, n)
    keys = with_degrees(n, start.keys, wanted, np.zeros(n, dtype=np.int64), rng, unwatched)
    assert (np.diff(keys) > 0).all()
    assert (keys // n < keys % n).all()
