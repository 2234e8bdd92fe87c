"""Distances between classes and the whole release, with values checked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from verifier.evidence.models import Classes
from verifier.people.closeness import (
    Spread,
    equal_distance,
    hierarchical_distance,
    largest_gain,
    largest_share,
    ordered_distance,
    renumbered,
    spread,
)


def spread_of(*classes: str) -> Spread:
    """Classes given as words: every letter is one row's sensitive value."""
    rows = [(number, ord(letter) - ord("a")) for number, word in enumerate(classes) for letter in word]
    of_row, values = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return spread(Classes(of_row, len(classes)), values, int(values.max()) + 1)


def test_the_published_example_of_nine_salaries() -> None:
    assert ordered_distance(spread_of("abc", "defghi"), Fraction("0.375")) == (pytest.approx(0.375), True)
    assert ordered_distance(spread_of("abc", "defghi"), Fraction("0.3749"))[1] is False
    # {6k, 8k, 11k} of 3k…11k: 0.167, with the other six as one more class.
    first = ordered_distance(spread_of("dfi", "abcegh"), Fraction(1, 6))
    assert first == (pytest.approx(1 / 6), True)


def test_nominal_codes_are_half_apart_and_ordered_ones_a_third() -> None:
    assert equal_distance(spread_of("ab", "cd"), Fraction("0.5")) == (pytest.approx(0.5), True)
    assert ordered_distance(spread_of("ab", "cd"), Fraction(1, 3)) == (pytest.approx(1 / 3), True)


def test_values_of_one_branch_are_nearer_than_those_of_another() -> None:
    levels = [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    # Each class has one value of either branch: half of the probability moves half the height.
    assert hierarchical_distance(spread_of("ac", "bd"), levels, Fraction("0.25")) == (pytest.approx(0.25), True)
    # Each class is one branch: half of the probability moves to the root.
    assert hierarchical_distance(spread_of("ab", "cd"), levels, Fraction("0.5")) == (pytest.approx(0.5), True)
    assert hierarchical_distance(spread_of("ab", "cd"), levels, Fraction("0.4999999999999"))[1] is False


def test_one_value_is_at_no_distance() -> None:
    for distance in (equal_distance, ordered_distance):
        assert distance(spread_of("aa", "aaa"), Fraction(0)) == (0.0, True)


def test_a_bound_that_is_met_exactly_holds_and_the_least_below_it_does_not() -> None:
    counted = spread_of("aab", "abb")  # one third against one half
    assert equal_distance(counted, Fraction(1, 6))[1] is True
    assert equal_distance(counted, Fraction(1, 6) - Fraction(1, 10**15))[1] is False


def test_codes_are_ranked_before_they_are_ordered() -> None:
    counted = renumbered(spread_of("ab", "cd"), [0, 3, 1, 2])
    # Now the classes are {0, 3} and {1, 2}.
    assert ordered_distance(counted, Fraction(1, 6)) == (pytest.approx(1 / 6), True)


def test_the_largest_share_and_the_largest_gain() -> None:
    counted = spread_of("aab", "abbb")  # a: 3 of 7, in the first class 2 of 3
    assert largest_share(counted, Fraction("0.75")) == (0.75, True)
    assert largest_share(counted, Fraction("0.7499999999"))[1] is False
    assert largest_gain(counted, Fraction(5, 9), False) == (pytest.approx(5 / 9), True)
    assert largest_gain(counted, Fraction(5, 9) - Fraction(1, 10**14), False)[1] is False


def test_a_frequent_value_is_bounded_by_its_information_content() -> None:
    counted = spread_of("aaaab", "aaabb")  # a: 7 of 10, -ln 0.7 = 0.357 above its gain 1/7; b gains 1/3
    assert largest_gain(counted, Fraction(1), True)[1] is True
    rarer = spread_of("aaaaaaaaaa", "aaaaaaaaab", "aaaaabbbbb")  # a: 24 of 30, gain 1/4 above -ln 0.8 = 0.223
    assert largest_gain(rarer, Fraction(2), False)[1] is True
    assert largest_gain(rarer, Fraction(2), True)[1] is False


def test_a_constant_column_gains_nothing_and_may() -> None:
    assert largest_gain(spread_of("aa", "aa"), Fraction(1), True) == (0.0, True)
