"""Swap: partners within reach."""

import numpy as np
import pytest

from antifaz.kernels.tables.swap import pair_ranks


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10, 1000])
@pytest.mark.parametrize("reach", [1, 2, 7, 2000])
def test_partners_are_mutual_and_within_reach(size, reach):
    partners = pair_ranks(np.random.default_rng(size).random(size), reach)
    ranks = np.arange(size)
    assert np.array_equal(partners[partners], ranks)
    assert np.abs(partners - ranks).max(initial=0) <= reach


def test_neighbors_swap_when_the_reach_is_one():
    assert pair_ranks(np.full(5, 0.5), 1).tolist() == [1, 0, 3, 2, 4]


def test_draws_decide_how_far():
    assert pair_ranks(np.zeros(4), 3).tolist() == [1, 0, 3, 2]
    assert pair_ranks(np.full(4, 0.999), 3).tolist() == [3, 2, 1, 0]
