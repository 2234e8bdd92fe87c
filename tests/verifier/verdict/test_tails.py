"""Tails: the bound is never tighter than the exact probability, and close enough to detect violations."""

import pytest
from scipy import stats

from verifier.verdict.tails import is_possible

UNLIKELY = 2.0**-64


@pytest.mark.parametrize("draws", [1, 20, 600, 20_000])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.01, 0.9), (0.25, 0.75), (0.5, 0.5), (0.1, 0.1)])
def test_what_is_not_believed_has_a_chance_below_the_bound(draws: int, low: float, high: float) -> None:
    """By the exact binomial distribution, at every number."""
    for number in range(0, draws + 1, max(1, draws // 600)):
        if not is_possible(number, draws, low, high):
            below, above = stats.binom.cdf(number, draws, low), stats.binom.sf(number - 1, draws, high)
            assert min(below, above) <= UNLIKELY


def test_every_number_of_a_few_draws_is_believed_and_of_many_a_missing_one_is_not() -> None:
    assert all(is_possible(number, 20, 0.25, 0.75) for number in range(21))
    assert not is_possible(0, 400, 0.25, 0.75)
    assert not is_possible(400, 400, 0.25, 0.75)
    assert is_possible(100, 400, 0.25, 0.75)


def test_many_looks_are_believed_a_little_more() -> None:
    edge = next(number for number in range(10_000) if is_possible(number, 10_000, 0.3, 0.7))
    assert not is_possible(edge - 1, 10_000, 0.3, 0.7)
    assert is_possible(edge - 1, 10_000, 0.3, 0.7, looks=10**6)
