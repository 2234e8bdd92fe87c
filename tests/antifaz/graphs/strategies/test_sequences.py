"""Target degrees: the cheapest increases against exhaustive search, and even sums."""

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antifaz.graphs.strategies.sequences import Ranking, grouped, raised


@settings(deadline=None, max_examples=30)
@given(degrees=st.lists(st.integers(0, 4), min_size=5, max_size=5), k=st.integers(2, 5), even=st.booleans())
def test_no_raises_are_cheaper(degrees, k, even):
    allowed = [
        sum(targets) - sum(degrees)
        for targets in product(range(5), repeat=5)
        if all(t >= d for t, d in zip(targets, degrees, strict=True))
        and min(Counter(targets).values()) >= k
        and not (even and (sum(targets) - sum(degrees)) % 2)
    ]
    found = raised(np.array(degrees), k, even, np.random.default_rng(0))
    if not allowed:
        assert found is None
        return
    assert found is not None
    assert (found >= degrees).all()
    assert found.sum() - sum(degrees) == min(allowed)
    assert min(Counter(found.tolist()).values()) >= k


def test_which_of_equal_nodes_changes_is_left_to_chance():
    degrees = np.array([3, 2, 2, 2, 2, 2, 2])
    found = {tuple(np.flatnonzero(raised(degrees, 2, False, np.random.default_rng(s)) > degrees)) for s in range(60)}
    assert found == {(node,) for node in range(1, 7)}


def test_long_runs_of_equal_degrees_keep_theirs():
    degrees = np.array([9] * 3 + [1] * 1000)
    ranking = Ranking.of(degrees, 2, np.random.default_rng(0))
    assert len(ranking.values) == 3 + 16
    assert (ranking.spread(ranking.values) == degrees).all()
    found = raised(degrees, 5, True, np.random.default_rng(0))
    assert found is not None
    assert Counter(found.tolist()) == Counter({9: 5, 1: 998})


def test_where_no_group_has_an_odd_size_the_targets_stay():
    falling, cuts = np.array([5, 4, 3, 3]), np.array([0, 2, 4])
    assert grouped(falling, cuts, np.array([4, 3]), 9).tolist() == [4, 4, 3, 3]


@settings(deadline=None, max_examples=30)
@given(values=st.lists(st.integers(0, 9), min_size=4, max_size=20), data=st.data())
def test_groups_end_with_an_even_sum_of_changes_at_the_least_cost(values, data):
    falling = np.sort(np.array(values))[::-1]
    cut = data.draw(st.integers(2, len(values) - 2))
    cuts = np.array([0, cut, len(values)])
    targets = falling[(cuts[:-1] + cuts[1:]) // 2]
    found = grouped(falling, cuts, targets, 9)
    assume(falling.sum() % 2 == 0 or (np.diff(cuts) % 2).any())
    assert (found.sum() - falling.sum()) % 2 == 0
    assert len(set(found[:cut])) == len(set(found[cut:])) == 1
    costs = [
        np.abs(falling - np.repeat(targets + shift, np.diff(cuts))).sum()
        for shift in (np.array(s) for s in product((-1, 0, 1), repeat=2))
        if (np.repeat(targets + shift, np.diff(cuts)).sum() - falling.sum()) % 2 == 0
        and (targets + shift).min() >= 0
        and (targets + shift).max() <= 9
    ]
    assert np.abs(falling - found).sum() == min(costs)
