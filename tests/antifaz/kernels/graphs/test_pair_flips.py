"""Choosing pairs: each independently with its probability, in key order, however the random words arrive."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from antifaz.kernels.graphs.pair_flips import FOUND, POSITION, WORDS_USED, join_kept_and_added, skip_pairs

UNIT = 2**56


def chosen(n: int, rate: int, directed: bool, seed: int, batch: int = 10_000) -> NDArray[np.int64]:
    """The keys of the chosen pairs, the words given in batches."""
    rng, state = np.random.default_rng(seed), np.zeros(5, dtype=np.int64)
    total = n * (n - 1) // (1 if directed else 2)
    words, found = np.empty(0, dtype=np.uint64), []
    while state[POSITION] < total:
        words = np.concatenate([words, rng.integers(0, 2**64, batch, dtype=np.uint64)])
        keys = np.empty(len(words), dtype=np.int64)
        skip_pairs(words, np.uint64(rate), n, directed, state, keys)
        found.append(keys[: state[FOUND]])
        words = words[state[WORDS_USED] :]
    return np.concatenate(found)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_keys_are_sorted_and_those_of_pairs(n: int, directed: bool) -> None:
    for seed in range(20):
        keys = chosen(n, UNIT // 2, directed, seed)
        first, second = keys // n, keys % n
        assert (np.diff(keys) > 0).all()
        assert (first != second).all()
        assert directed or (first < second).all()


@pytest.mark.parametrize("directed", [False, True])
def test_at_an_enormous_rate_every_pair_is_chosen(directed: bool) -> None:
    keys = chosen(9, 60 * UNIT, directed, 1)
    assert len(keys) == (72 if directed else 36)


def test_at_the_smallest_rate_hardly_any_pair_of_many_is_chosen() -> None:
    assert len(chosen(1_000_000, 1, False, 3)) == 0


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_the_result_does_not_depend_on_how_many_words_come_at_a_time(batch: int) -> None:
    assert np.array_equal(chosen(60, UNIT // 20, False, 5, batch), chosen(60, UNIT // 20, False, 5))


def test_no_room_is_overrun() -> None:
    state, keys = np.zeros(5, dtype=np.int64), np.empty(3, dtype=np.int64)
    words = np.random.default_rng(2).integers(0, 2**64, 1_000, dtype=np.uint64)
    skip_pairs(words, np.uint64(UNIT), 50, False, state, keys)
    assert state[FOUND] == 3
    assert state[POSITION] < 50 * 49 // 2


def counts_by_pair(n: int, rate: int, rounds: int) -> NDArray[np.int64]:
    counts = np.zeros(n * n, dtype=np.int64)
    for seed in range(rounds):
        counts[chosen(n, rate, False, 1_000 + seed, 2_000)] += 1
    upper = np.triu_indices(n, 1)
    return counts.reshape(n, n)[upper]


def test_every_pair_is_chosen_with_the_stated_chance_and_a_chance_that_is_a_tenth_off_would_be_noticed() -> None:
    rounds, rate = 4_000, UNIT // 8
    counts, chance = counts_by_pair(6, rate, rounds), -math.expm1(-1 / 8)

    def unlikely(p: float) -> float:
        deviations = (counts - rounds * p) / math.sqrt(rounds * p * (1 - p))
        return float(stats.chi2.sf((deviations**2).sum(), len(counts)))

    assert unlikely(chance) > 1e-6
    assert unlikely(chance * 1.1) < 1e-6
    assert unlikely(chance * 0.9) < 1e-6


def test_pairs_are_chosen_independently_of_their_neighbors() -> None:
    keys = chosen(1_500, UNIT // 10, False, 11)
    total, chance = 1_500 * 1_499 // 2, -math.expm1(-0.1)
    first = keys // 1_500
    place = first * (2 * 1_500 - first - 1) // 2 + keys % 1_500 - first - 1
    for lag in (1, 2, 5):
        together = np.count_nonzero(np.isin(place + lag, place, assume_unique=True))
        spread = math.sqrt(total * chance**2 * (1 - chance**2) * 3)
        assert abs(together - total * chance**2) < 5 * spread
    halves = np.histogram(place, 64, (0, total))[0]
    assert stats.chisquare(halves).pvalue > 1e-6


def test_kept_and_added_keys_are_joined_in_order() -> None:
    keys = np.array([2, 5, 9, 12], dtype=np.int64)
    kept = np.array([True, False, True, False])
    joined = np.full(8, -1, dtype=np.int64)
    count = join_kept_and_added(keys, kept, np.array([1, 5, 9, 10, 20], dtype=np.int64), joined)
    assert joined[:count].tolist() == [1, 2, 9, 10, 20]
    nothing = np.empty(0, dtype=np.int64)
    assert join_kept_and_added(nothing, np.empty(0, dtype=np.bool_), nothing, joined) == 0
