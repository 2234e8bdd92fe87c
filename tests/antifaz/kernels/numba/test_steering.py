"""The random stream that steers searches."""

import numpy as np

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import accepts, below, draw, fraction, new_stream


@compiled("void(int64, uint64[::1], int64[::1], float64[::1])")
def fill(seed, words, numbers, fractions):
    """Words of a stream, then integers below five, then fractions."""
    stream = new_stream(seed)
    for i in range(len(words)):
        words[i] = draw(stream)
    for i in range(len(numbers)):
        numbers[i] = below(stream, 5)
    for i in range(len(fractions)):
        fractions[i] = fraction(stream)


@compiled("int64(int64, float64, float64, int64)")
def count_accepted(seed, rise, heat, tries):
    """How many of some steps are made."""
    stream = new_stream(seed)
    made = 0
    for _ in range(tries):
        made += accepts(stream, rise, heat)
    return made


def test_words_are_those_of_splitmix64():
    # The first words from the state 1234567, as the reference implementation of its authors prints them.
    words = np.empty(5, np.uint64)
    fill(1234567, words, np.empty(0, np.int64), np.empty(0))
    assert words.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_numbers_and_fractions_keep_their_limits():
    numbers, fractions = np.empty(1000, np.int64), np.empty(1000)
    fill(7, np.empty(0, np.uint64), numbers, fractions)
    assert sorted(set(numbers.tolist())) == [0, 1, 2, 3, 4]
    assert 0 <= fractions.min() < 0.01
    assert 0.99 < fractions.max() < 1


def test_a_step_that_costs_nothing_is_always_made_and_a_dear_one_as_often_as_its_heat_allows():
    # Fixed seeds: nothing is left to chance.
    assert count_accepted(1, 0.0, 0.0, 100) == 100
    assert count_accepted(1, -2.0, 1.0, 100) == 100
    assert count_accepted(1, 1.0, 0.0, 100) == 0
    assert abs(count_accepted(1, 1.0, 1.0, 100_000) / 100_000 - np.exp(-1)) < 0.01
    assert abs(count_accepted(2, 1.0, 0.25, 100_000) / 100_000 - np.exp(-4)) < 0.003
