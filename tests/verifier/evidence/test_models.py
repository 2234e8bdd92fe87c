"""Counts over classes and degrees, with values checked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from verifier.evidence.models import (
    Classes,
    Tallies,
    degree_groups,
    distinct_l,
    entropy_l,
    recursive_l,
    smallest_class,
    tally,
)


def tallies(*classes: str) -> Tallies:
    """Classes given as words: every letter is one record's sensitive value."""
    rows = [(number, ord(letter) - ord("a")) for number, word in enumerate(classes) for letter in word]
    of_row, values = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return tally(Classes(of_row, len(classes)), values, 26)


def test_counts_within_a_class_fall() -> None:
    counted = tallies("abbcccc", "zzy")
    assert counted.counts.tolist() == [4, 2, 1, 2, 1]
    assert counted.class_of.tolist() == [0, 0, 0, 1, 1]
    assert counted.starts.tolist() == [0, 3]


def test_the_smallest_class_by_rows_and_by_persons() -> None:
    classes = Classes(np.array([0, 0, 0, 1, 1]), 2)
    assert smallest_class(classes, None) == 2
    assert smallest_class(classes, np.array([9, 9, 9, 5, 6])) == 1
    assert smallest_class(classes, np.array([10**12, -4, 7, 5, 6])) == 2


def test_distinct_diversity_is_that_of_the_poorest_class() -> None:
    assert distinct_l(tallies("abc", "aab", "abcd")) == 2


@pytest.mark.parametrize("values", range(1, 27))
def test_entropy_diversity_of_equal_counts_is_not_truncated(values: int) -> None:
    word = "abcdefghijklmnopqrstuvwxyz"[:values] * 7
    assert entropy_l(tallies(word), Fraction(values)) == (values, True)
    assert entropy_l(tallies(word), Fraction(values) + Fraction(1, 10**15))[1] is False


def test_entropy_diversity_can_be_a_whole_number_without_equal_counts() -> None:
    # One half and four eighths: an entropy of two bits, so exactly 4.
    assert entropy_l(tallies("aaaabcde"), Fraction(4)) == (4, True)
    assert entropy_l(tallies("aaaaabcde"), Fraction(4))[1] is False


def test_entropy_diversity_takes_the_worst_class_and_rounds_down() -> None:
    reached, holds = entropy_l(tallies("abcd", "aab"), Fraction(2))
    assert not holds
    # 3 / 2^(2/3) = 1.88988157...
    assert reached == 1.889881


def test_entropy_of_a_large_class_in_doubt_is_not_granted() -> None:
    counts = np.array([2**16, 2**16 + 1], np.int64)
    large = Tallies(counts, np.array([0, 0]), np.array([0]))
    assert entropy_l(large, Fraction(2))[1] is False
    assert entropy_l(large, Fraction("1.99"))[1] is True


def test_entropy_of_a_class_as_large_as_can_be_decided_is_decided() -> None:
    half = 2**15
    even = Tallies(np.array([half, half]), np.array([0, 0]), np.array([0]))
    assert entropy_l(even, Fraction(2)) == (2.0, True)
    uneven = Tallies(np.array([half + 1, half - 1]), np.array([0, 0]), np.array([0]))
    assert entropy_l(uneven, Fraction(2))[1] is False
    assert entropy_l(uneven, Fraction("1.999999999"))[1] is True


@pytest.mark.parametrize(
    ("word", "c", "expected"),
    [
        ("aaabbc", "2", 2),  # 3 < 2·3 at l=2; 3 < 2·1 fails at l=3
        ("aaabbc", "4", 3),  # 3 < 4·1
        ("aaabbc", "1", 1),  # 3 < 3 fails at l=2; 3 < 6
        ("aaa", "1", 0),  # 3 < 3 fails even at l=1
        ("aaa", "2", 1),
        ("aaaaaaaaaaabbbbbbbbbb", "1.1", 1),  # 11 < 1.1·10 fails
        ("a" * 121 + "b" * 110, "1.1", 1),  # 121 < 121 fails, though 1.1 * 110 > 121 in floating point
        ("aaaaaaaaaaabbbbbbbbbb", "1.11", 2),
    ],
)
def test_recursive_diversity(word: str, c: str, expected: int) -> None:
    assert recursive_l(tallies(word), Fraction(c)) == expected
    assert recursive_l(tallies("abcdefgh", word), Fraction(c)) == min(
        expected, recursive_l(tallies("abcdefgh"), Fraction(c))
    )


def test_degrees_of_a_directed_graph_are_pairs() -> None:
    # 0→1, 0→2, 3→1: degrees (in, out) 0: (0,2), 1: (2,0), 2: (1,0), 3: (0,1).
    outward, inward, groups = degree_groups(4, np.array([0, 0, 3]), np.array([1, 2, 1]), True)
    assert outward.tolist() == [2, 0, 0, 1]
    assert inward.tolist() == [0, 2, 1, 0]
    assert groups.tolist() == [1, 1, 1, 1]
    assert sorted(degree_groups(4, np.array([0, 0, 3]), np.array([1, 2, 1]), False)[2].tolist()) == [2, 2]


def test_isolated_nodes_are_a_group_like_any_other() -> None:
    groups = degree_groups(5, np.array([0]), np.array([1]), False)[2]
    assert sorted(groups.tolist()) == [2, 3]
