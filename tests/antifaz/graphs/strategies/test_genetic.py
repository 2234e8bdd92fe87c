"""The genetic strategy: every individual is a valid division, and generations improve it."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.strategies import genetic
from antifaz.watch import unwatched
from tests.antifaz.graphs.perturbing import graph_of
from tests.antifaz.graphs.strategies.anonymous import STUBBORN, anonymized, edits, small_graphs


@settings(deadline=None, max_examples=10)
@given(graph=small_graphs(), data=st.data())
def test_every_small_graph_becomes_anonymous(graph, data):
    anonymized(graph, data.draw(st.integers(2, graph.n)), "genetic")


@pytest.mark.parametrize("k", [3, 7])
@pytest.mark.parametrize("name", STUBBORN)
def test_graphs_on_which_it_gets_stuck_come_to_an_end(name, k):
    anonymized(graph_of(STUBBORN[name]), k, "genetic")


@settings(deadline=None, max_examples=30)
@given(count=st.integers(2, 60), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_children_of_valid_divisions_are_valid(count, seed, data):
    k = data.draw(st.integers(2, count))
    rng = np.random.default_rng(seed)
    values = np.sort(rng.integers(0, 20, count))[::-1].astype(np.int64)
    people = [genetic._first(values, k), *(genetic._random(count, k, rng) for _ in range(3))]
    people += [genetic._child(people, count, k, rng) for _ in range(20)]
    for cuts in people:
        assert cuts[0] == 0
        assert cuts[-1] == count
        assert np.diff(cuts).min() >= k
        medians = np.repeat(genetic._medians(values, cuts), np.diff(cuts))
        assert genetic._distance(values, cuts) == np.abs(values - medians).sum()


def test_generations_come_near_the_best_division():
    values = np.sort(np.random.default_rng(1).integers(0, 200, 60))[::-1].astype(np.int64)
    best = np.full(61, np.inf)
    best[0] = 0
    for stop in range(3, 61):
        for start in range(stop - 3, -1, -1):
            group = values[start:stop]
            best[stop] = min(best[stop], best[start] + np.abs(group - group[len(group) // 2]).sum())
    found = []
    for generations in (1, 400):
        cuts, _ = genetic._evolve(values, 3, generations, np.random.default_rng(2), unwatched)
        found.append(genetic._distance(values, cuts))
    assert best[60] <= found[1] < found[0]
    assert found[1] <= 1.15 * best[60]


def test_it_needs_fewer_edits_than_the_published_runs():
    graph = graph_of(nx.karate_club_graph())
    assert edits(anonymized(graph, 2, "genetic", effort="normal")) <= 6
    assert edits(anonymized(graph, 5, "genetic", effort="normal")) <= 20


def test_when_the_time_is_used_up_the_fittest_so_far_is_taken():
    graph = graph_of(nx.karate_club_graph())
    released = genetic.anonymize(graph, 3, "high", np.random.default_rng(0), lambda _: True)
    assert released.account["generations"] == 0
    assert np.unique(released.graph.degrees, return_counts=True)[1].min() >= 3
