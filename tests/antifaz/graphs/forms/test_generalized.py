"""Generalized graphs: counts by hand and by enumeration, and graphs drawn uniformly from those that fit."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from antifaz.graphs.forms.generalized import (
    Summary,
    _draw_ranks,
    _ordered_pair,
    _unordered_pair,
    draw_graph,
    log_worlds,
    release,
    structural_loss,
    summarize,
)
from antifaz.graphs.graph import Graph
from tests.oracles.possible_worlds import all_pairs, block_counts, number_of_worlds

EVEN = 1e-6
"""Below this, a distribution is not even."""


def path_of_six(directed: bool = False) -> tuple[Graph, np.ndarray]:
    ends = np.arange(6)
    return Graph.from_pairs(6, ends[:-1], ends[1:], directed), np.array([0, 0, 0, 1, 1, 1])


@st.composite
def partitioned_graphs(draw):
    n = draw(st.integers(1, 12))
    directed = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = rng.integers(0, n, (2, draw(st.integers(0, 2 * n * n))))
    members = np.unique(rng.integers(0, draw(st.integers(1, n)), n), return_inverse=True)[1].astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], directed), members


def groups_of(members: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(members == number).tolist() for number in range(members.max() + 1)]


def edges_of(graph: Graph) -> list[tuple[int, int]]:
    return list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))


def counts_of(summary: Summary) -> Counter[tuple[int, int]]:
    found = {(number, number): count for number, count in enumerate(summary.inside.tolist())}
    found |= dict(zip(edges_of(summary.quotient), summary.between.tolist(), strict=True))
    return Counter({pair: count for pair, count in found.items() if count})


def test_a_path_cut_in_the_middle_by_hand():
    graph, members = path_of_six()
    summary = summarize(graph, members)
    assert summary.sizes.tolist() == [3, 3]
    assert summary.inside.tolist() == [2, 2]
    assert edges_of(summary.quotient) == [(0, 1)]
    assert summary.between.tolist() == [1]
    # Two of three pairs on each side, one of nine between.
    assert math.exp(log_worlds(summary)) == pytest.approx(3 * 3 * 9)
    # 2·e·(1 - e/pairs) over half of the fifteen pairs.
    assert structural_loss(summary) == pytest.approx((2 * 2 * 2 * (1 - 2 / 3) + 2 * (1 - 1 / 9)) / 7.5)


def test_directions_are_counted_apart():
    graph = Graph.from_pairs(4, np.array([0, 1, 0, 2, 3]), np.array([1, 0, 2, 0, 1]), directed=True)
    summary = summarize(graph, np.array([0, 0, 1, 1]))
    assert summary.inside.tolist() == [2, 0]
    assert edges_of(summary.quotient) == [(0, 1), (1, 0)]
    assert summary.between.tolist() == [1, 2]
    assert math.exp(log_worlds(summary)) == pytest.approx(1 * 1 * 4 * 6)


@given(partitioned_graphs())
@settings(max_examples=60, deadline=None)
def test_counts_and_worlds_are_those_of_the_definition(case):
    graph, members = case
    summary, groups = summarize(graph, members), groups_of(members)
    assert counts_of(summary) == block_counts(edges_of(graph), groups, graph.directed)
    expected = number_of_worlds(graph.n, edges_of(graph), groups, graph.directed)
    assert log_worlds(summary) == pytest.approx(math.log(expected), abs=1e-9)
    assert 0.0 <= structural_loss(summary) <= 1.0


@given(partitioned_graphs(), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_a_drawn_graph_has_the_same_counts(case, seed):
    graph, members = case
    summary = summarize(graph, members)
    drawn, places = draw_graph(summary, np.random.default_rng(seed))
    assert drawn.directed == graph.directed
    again = summarize(drawn, places)
    assert again.sizes.tolist() == summary.sizes.tolist()
    assert counts_of(again) == counts_of(summary)


@given(partitioned_graphs(), st.integers(0, 3), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_a_release_shows_counts_and_keeps_members_and_origins_sealed(case, samples, seed):
    graph, members = case
    released = release(graph, members, samples, {"said": True}, np.random.default_rng(seed))
    summary = summarize(graph, members)
    assert (released.origin == -1).all()
    assert released.members is members
    assert [column.name for column in released.node_columns] == ["size", "edges"]
    assert released.node_columns[0].values.tolist() == summary.sizes.tolist()
    assert released.node_columns[1].values.tolist() == summary.inside.tolist()
    assert released.edge_columns[0].values.tolist() == summary.between.tolist()
    assert released.account["supernodes"] == len(summary.sizes)
    assert released.account["said"] is True
    world = released.stand_in
    assert np.array_equal(np.sort(world.origin), np.arange(graph.n))
    assert counts_of(summarize(world.graph, members[world.origin])) == counts_of(summary)
    assert len(released.samples) == samples
    for sample in released.samples:
        assert counts_of(summarize(sample.graph, sample.origin)) == counts_of(summary)


def test_who_stands_where_in_a_world_is_drawn_too():
    graph, members = path_of_six()
    rng = np.random.default_rng(3)
    worlds = [release(graph, members, 0, {}, rng).stand_in for _ in range(900)]
    seen = Counter(int(world.origin[0]) for world in worlds)
    assert chisquare([seen[node] for node in range(6)]).pvalue > EVEN


@pytest.mark.parametrize("size", [2, 3, 4, 7, 30])
def test_ranks_are_pairs_each_once(size):
    ranks = np.arange(size * (size - 1))
    assert set(zip(*_ordered_pair(ranks, np.full(len(ranks), size)), strict=True)) == set(all_pairs(size, True))
    ranks = np.arange(size * (size - 1) // 2)
    assert set(zip(*_unordered_pair(ranks, np.full(len(ranks), size)), strict=True)) == set(all_pairs(size, False))


def test_ranks_of_huge_supernodes_are_exact():
    second = np.array([3_000_000_000, 2_999_999_999, 94_906_267], dtype=np.int64)
    for first in (np.zeros(3, dtype=np.int64), second - 1):
        found = _unordered_pair(second * (second - 1) // 2 + first, second)
        assert found[0].tolist() == first.tolist()
        assert found[1].tolist() == second.tolist()


Sampler = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def neighboring_ranks(room: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The twin that must be found out: distinct numbers with the right counts, but always next to one another."""
    where = np.repeat(np.arange(len(counts)), counts)
    turn = np.arange(len(where)) - np.repeat(np.cumsum(counts) - counts, counts)
    return where, (rng.integers(0, room)[where] + turn) % room[where]


def evenness(sampler: Sampler) -> float:
    """p-value of all choices of one of 3, two of 6 and two of 4 being equally likely."""
    room, counts = np.array([3, 6, 4]), np.array([1, 2, 2])
    rng = np.random.default_rng(11)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(5_400):
        ranks = sampler(room, counts, rng)[1]
        seen[(int(ranks[0]), *sorted(ranks[1:3].tolist()), *sorted(ranks[3:].tolist()))] += 1
    choices = [(a, *b, *c) for a in range(3) for b in combinations(range(6), 2) for c in combinations(range(4), 2)]
    return float(chisquare([seen[choice] for choice in choices]).pvalue)


def test_pairs_are_chosen_evenly():
    assert evenness(_draw_ranks) > EVEN


def test_pairs_that_are_not_chosen_evenly_would_be_found_out():
    assert evenness(neighboring_ranks) < EVEN


def test_graphs_are_drawn_evenly_among_all_that_fit():
    graph, members = path_of_six()
    summary = summarize(graph, members)
    rng = np.random.default_rng(5)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(4_050):
        drawn, places = draw_graph(summary, rng)
        blocks = np.argsort(np.argsort(places, kind="stable"), kind="stable").astype(np.int64)
        seen[tuple(drawn.relabeled(blocks).keys.tolist())] += 1
    assert len(seen) == 81
    assert chisquare(list(seen.values())).pvalue > EVEN


def test_extremes_leave_no_choice():
    complete = nx.complete_graph(7)
    ends = np.array(list(complete.edges))
    graph = Graph.from_pairs(7, ends[:, 0], ends[:, 1])
    members = np.array([0, 0, 0, 1, 1, 1, 1])
    assert log_worlds(summarize(graph, members)) == pytest.approx(0.0, abs=1e-9)
    drawn, _ = draw_graph(summarize(graph, members), np.random.default_rng(0))
    assert drawn.keys.tolist() == graph.keys.tolist()
    empty = Graph(7, np.zeros(0, dtype=np.int64))
    assert draw_graph(summarize(empty, members), np.random.default_rng(0))[0].m == 0
