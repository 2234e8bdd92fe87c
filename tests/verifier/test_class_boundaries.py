"""Classes, tallies and distances in edge cases: empty and single inputs, ties."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.verifier.boundary_samples import whole
from verifier.evidence.models import Classes, Tallies, distinct_l, entropy_l, recursive_l, smallest_class, tally
from verifier.people.closeness import (
    Spread,
    equal_distance,
    farthest,
    hierarchical_distance,
    largest_gain,
    largest_share,
    ordered_distance,
    renumbered,
    spread,
)

# --- classes and tallies ---------------------------------------------------------------------------------------------


def tallies(*classes: str) -> Tallies:
    rows = [(number, ord(letter) - ord("a")) for number, word in enumerate(classes) for letter in word]
    of_row, values = (whole(*column) for column in zip(*rows, strict=True))
    return tally(Classes(of_row, len(classes)), values, int(values.max()) + 1)


NONE = Classes(whole(), 0)


def test_nothing_has_no_class_no_diversity_and_is_at_no_distance_that_holds() -> None:
    assert smallest_class(NONE, None) == 0
    assert smallest_class(NONE, whole()) == 0
    empty = tally(NONE, whole(), 0)
    assert (distinct_l(empty), recursive_l(empty, Fraction(1)), entropy_l(empty, Fraction(1))) == (0, 0, (0.0, False))
    counted = spread(NONE, whole(), 0)
    assert (counted.rows, counted.totals.tolist()) == (0, [])
    assert farthest(np.zeros(0), Fraction(1), lambda _: Fraction(0)) == (0.0, False)
    assert largest_share(counted, Fraction(1)) == (0.0, False)
    assert largest_gain(counted, Fraction(1), False) == largest_gain(counted, Fraction(1), True) == (0.0, False)
    assert ordered_distance(counted, Fraction(1)) == (0.0, False)
    again = renumbered(counted, [])
    assert (again.totals.tolist(), again.counts.tolist(), again.value_of.tolist()) == ([], [], [])


def test_a_class_that_no_row_is_in_is_the_smallest() -> None:
    assert smallest_class(Classes(whole(0, 0, 2), 3), None) == 0
    assert smallest_class(Classes(whole(0, 0, 2), 3), whole(1, 2, 3)) == 0
    assert smallest_class(Classes(whole(0, 0), 2), None) == 0
    assert smallest_class(Classes(whole(0, 0), 2), whole(1, 2)) == 0


def test_persons_in_several_classes_count_in_each() -> None:
    classes = Classes(whole(0, 0, 1, 1, 1), 2)
    assert smallest_class(classes, whole(1, 2, 1, 2, 2)) == 2
    assert smallest_class(classes, whole(1, 2, 2, 2, 2)) == 1


def test_values_that_no_row_has_are_counted_as_none() -> None:
    counted = spread(Classes(whole(0, 0), 1), whole(0, 0), 3)
    assert counted.totals.tolist() == [2, 0, 0]
    assert counted.members(0) == [(0, 2)]
    assert counted.members(1) == []


@pytest.mark.parametrize(
    ("classes", "required", "holds"),
    [
        (("ab", "ab"), "2", True),
        (("ab", "abc"), "2", True),
        (("ab", "aab"), "2", False),
        (("aab",), "1.8898815", True),
        (("aab",), "1.8898816", False),
        (("a",), "1", True),
        (("a",), "1.0000000001", False),
    ],
)
def test_the_poorest_class_decides_about_entropy(classes: tuple[str, ...], required: str, holds: bool) -> None:
    assert entropy_l(tallies(*classes), Fraction(required))[1] is holds


def test_a_class_in_doubt_is_decided_by_its_own_counts() -> None:
    little_more = Fraction(2) + Fraction(1, 10**15)
    assert entropy_l(tallies("abc", "ab"), Fraction(2))[1] is True
    assert entropy_l(tallies("abc", "ab"), little_more)[1] is False
    assert entropy_l(tallies("ab", "abc"), little_more)[1] is False
    assert entropy_l(tallies("aaaabcde"), little_more + 2)[1] is False


def test_a_class_of_the_largest_size_is_decided_and_no_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.evidence.models._LARGEST_EXACT", 2)
    assert entropy_l(tallies("ab"), Fraction(2))[1] is True
    assert entropy_l(tallies("abc"), Fraction(3))[1] is False


def test_a_tie_of_a_larger_class_is_given_up_unless_a_common_factor_makes_it_small() -> None:
    assert entropy_l(Tallies(whole(2**20, 2**20), whole(0, 0), whole(0)), Fraction(2))[1] is True
    assert entropy_l(Tallies(whole(2**16 + 1, 2**16), whole(0, 0), whole(0)), Fraction(2))[1] is False


def test_recursion_sums_the_tail_of_each_class_alone() -> None:
    # First class 3, 2, 1: 3 < 2·(2 + 1). Second 2, 2: 2 < 2·2. Third 5, 1: 5 ≥ 2·1.
    assert recursive_l(tallies("aaabbc", "aabb"), Fraction(2)) == 2
    assert recursive_l(tallies("aaabbc", "aabb", "aaaaab"), Fraction(2)) == 1
    assert recursive_l(tallies("aaaaab", "aaabbc"), Fraction(2)) == 1
    assert recursive_l(tallies("abcdefgh"), Fraction("1.5")) == 8
    assert recursive_l(tallies("abcdefgh"), Fraction(1)) == 7


def test_recursion_of_large_counts_is_exact() -> None:
    assert 1.1 * 110 > 121  # in floating point
    assert recursive_l(Tallies(whole(121, 110), whole(0, 0), whole(0)), Fraction("1.1")) == 1
    large = Tallies(whole(3 * 10**15, 10**15), whole(0, 0), whole(0))
    assert recursive_l(large, Fraction(3)) == 1
    assert recursive_l(large, Fraction(3) + Fraction(1, 10**12)) == 2


# --- distances -------------------------------------------------------------------------------------------------------


def spread_of(*classes: str) -> Spread:
    rows = [(number, ord(letter) - ord("a")) for number, word in enumerate(classes) for letter in word]
    of_row, values = (whole(*column) for column in zip(*rows, strict=True))
    return spread(Classes(of_row, len(classes)), values, int(values.max()) + 1)


LITTLE = Fraction(1, 10**13)
LEVELS = [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("classes", "distance"),
    [(("aab", "abb"), Fraction(1, 6)), (("aa", "ab", "bb"), Fraction(1, 2)), (("aaaaaab", "b"), Fraction(3, 4))],
)
def test_the_distance_of_the_farthest_class(classes: tuple[str, ...], distance: Fraction) -> None:
    counted = spread_of(*classes)
    for measure in (equal_distance, ordered_distance):
        assert measure(counted, distance) == (pytest.approx(float(distance)), True)
        assert measure(counted, distance + LITTLE)[1] is True
        assert measure(counted, distance - LITTLE)[1] is False
        assert measure(counted, distance / 2)[1] is False


def test_one_class_that_is_too_far_is_not_forgiven_for_another_that_is_just_near_enough() -> None:
    counted = spread_of("aaab", "aabb", "bbbb")
    near = Fraction(1, 3)  # of the first class; the third is at 5/12
    assert equal_distance(counted, near)[1] is False
    assert equal_distance(counted, Fraction(5, 12))[1] is True


def test_ordered_distances_are_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = spread_of("aab", "abcd", "dd", "bccd", "a")
    expected = ordered_distance(counted, Fraction(1))
    for block in (1, 4, 8, 12):
        monkeypatch.setattr("verifier.people.closeness._BLOCK", block)
        assert ordered_distance(counted, Fraction(1)) == expected


def test_hierarchical_distances_move_as_little_as_they_can() -> None:
    # Over a b c d: the first class has too much of a (1/4) and too little of c (1/4), over the root.
    assert hierarchical_distance(spread_of("aabd", "ccbd"), LEVELS, Fraction(1, 4)) == (pytest.approx(0.25), True)
    # a for b inside one branch costs half as much.
    assert hierarchical_distance(spread_of("aacd", "bbcd"), LEVELS, Fraction(1, 8)) == (pytest.approx(0.125), True)
    # Both at once, in classes of different sizes.
    counted = spread_of("aaab", "bcdd")
    found = hierarchical_distance(counted, LEVELS, Fraction(1))
    # Shares 3/8 2/8 1/8 2/8; first class 6/8 2/8 0 0: 3/8 cross the root, nothing inside.
    assert found == (pytest.approx(3 / 8), True)
    assert hierarchical_distance(counted, LEVELS, Fraction(3, 8))[1] is True
    assert hierarchical_distance(counted, LEVELS, Fraction(3, 8) - LITTLE)[1] is False


def test_moves_inside_a_branch_and_over_the_root_add_up() -> None:
    # Shares 2/6 1/6 1/6 2/6. First class 2/3 0 0 1/3: a gives 1/6 to b (half the height) and 1/6 to c (over the
    # root, where d has what it should).
    counted = spread_of("aad", "bcd")
    expected = Fraction(1, 6) * Fraction(1, 2) + Fraction(1, 6)
    assert hierarchical_distance(counted, LEVELS, expected) == (pytest.approx(float(expected)), True)
    assert hierarchical_distance(counted, LEVELS, expected - LITTLE)[1] is False


@pytest.mark.parametrize("enhanced", [False, True])
def test_gains_at_their_bound(enhanced: bool) -> None:
    counted = spread_of("aab", "abbb", "cccc")  # the rarest gains most: c is 4 of 11, in its class all
    gain = Fraction(11, 4) - 1
    assert largest_gain(counted, gain, False) == (pytest.approx(float(gain)), True)
    assert largest_gain(counted, gain - LITTLE, False)[1] is False
    # ln(11 / 4) is 1.01: too little for a gain of 1.75.
    assert largest_gain(counted, gain, True) == (pytest.approx(float(gain)), False)
    small = spread_of("ab", "ab")
    assert largest_gain(small, Fraction(1, 10**9), enhanced) == (0.0, True)


def test_a_gain_within_its_information_but_not_within_beta() -> None:
    counted = spread_of("abbc", "bbcc")  # a: 1 of 8, in its class 1 of 4: it gains 1, and ln 8 is above 2
    assert largest_gain(counted, Fraction(1), True) == (pytest.approx(1.0), True)
    assert largest_gain(counted, 1 - LITTLE, True)[1] is False
    assert largest_gain(counted, Fraction(1, 2), True)[1] is False


def test_a_gain_as_near_to_its_information_as_whole_numbers_get() -> None:
    """Two values, each one half of all: a gain may reach ln 2, and 2 · 0.8465735902 - 1 lies just below it."""
    size = 10**10

    def counted(more: int) -> Spread:
        part = 8_465_735_902 + more
        counts = whole(size - part, part, part, size - part)
        return Spread(whole(0, 0, 1, 1), whole(0, 1, 0, 1), counts, whole(size, size), whole(size, size))

    assert largest_gain(counted(0), Fraction(1), True) == (pytest.approx(math.log(2)), True)
    assert largest_gain(counted(1), Fraction(1), True) == (pytest.approx(math.log(2)), False)


def test_shares_at_their_bound() -> None:
    counted = spread_of("aab", "abc")
    assert largest_share(counted, Fraction(2, 3)) == (pytest.approx(2 / 3), True)
    assert largest_share(counted, Fraction(2, 3) - LITTLE)[1] is False
