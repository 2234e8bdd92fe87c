"""Where counting could go wrong at the edge: the largest keys, the longest numbers, the empty, the single, the tie."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.verifier.together import judge_releases
from verifier.cells import Cells, Coder, Column, class_of_rows, encoded, is_number, runs_as_formula, same_rows
from verifier.closeness import (
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
from verifier.columns import column_faults, plain_texts
from verifier.exact import exact, rounded_down, rounded_up
from verifier.joint import EarlierRelease
from verifier.models import Classes, Tallies, distinct_l, entropy_l, recursive_l, smallest_class, tally
from verifier.networks import Network, edge_faults, edge_keys, node_numbers
from verifier.sensitive import levels_of, moment_of, paths_of, ranks_of


def whole(*numbers: int) -> np.typing.NDArray[np.int64]:
    return np.array(numbers, np.int64)


def coded(cells: Sequence[Any]) -> Column:
    coder = Coder()
    coder.add(cells)
    return coder.column()


# --- keys of rows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "sizes"),
    [
        ([(0, 2**24), (0, 0)], [2**40, 2**40]),
        ([(0, 16), (0, 0), (0, 0), (0, 0)], [2**20] * 4),
        ([(0, 4), (0, 0), (0, 0)], [2**31] * 3),
        ([(2**30, 2**30), (0, 1)], [2**31, 2**31]),
        ([(1, 0), (0, 1)], [2, 2]),
        ([(0, 1), (1, 0)], [2, 1000]),
    ],
)
def test_two_rows_that_differ_anywhere_are_two_classes(codes: list[tuple[int, int]], sizes: list[int]) -> None:
    columns = [(whole(*column), size) for column, size in zip(codes, sizes, strict=True)]
    classes, count = class_of_rows(columns, 2)
    assert count == 2
    assert classes[0] != classes[1]
    assert classes.dtype == np.int64


def test_a_column_without_values_makes_no_class() -> None:
    classes, count = class_of_rows([(whole(), 0), (whole(), 0)], 0)
    assert (classes.tolist(), count) == ([], 0)


def test_a_coder_that_was_given_nothing_is_an_empty_column() -> None:
    column = Coder().column()
    assert (column.codes.tolist(), column.codes.dtype, list(column.texts), column.kinds) == ([], np.int64, [], "")


def test_a_coder_keeps_truth_values_and_batches_in_order() -> None:
    coder = Coder()
    coder.add([True, None])
    coder.add([False, True, "true"])
    column = coder.column()
    assert [(column.kinds[code], column.texts[code]) for code in column.codes] == [
        ("b", "true"), ("-", ""), ("b", "false"), ("b", "true"), ("t", "true"),
    ]  # fmt: skip


def test_labels_of_two_kinds_stay_two_labels() -> None:
    column = encoded(whole(0, 1, 2), ["1", "1", "1"], "tit")
    assert (column.codes.tolist(), list(column.texts), column.kinds) == ([0, 1, 0], ["1", "1"], "ti")


# --- comparing formats -----------------------------------------------------------------------------------------------


def one(form: str, *cells: Any) -> Cells:
    return Cells(form, "table", ("c",), (coded(cells),), len(cells))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1" * 400, True),
        ("1" * 401, False),
        ("1.", True),
        (".5", True),
        ("+1.5e-3", True),
        ("1e5", True),
        (".", False),
        ("e5", False),
        ("1e", False),
        ("", False),
        ("٣", False),
        ("1\n", False),
    ],
)
def test_what_reads_as_a_number(text: str, number: bool) -> None:
    assert is_number(text) is number


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("007", ("i", "7"), True),
        ("007", "7", False),
        ("7.0", "7.00", False),
        ("7.0", ("i", "7"), False),
        ("7.0", ("f", "7.0"), True),
        ("7", ("f", "7.0"), True),
        ("+7", ("i", "7"), True),
        ("'+7", ("i", "7"), True),
        ("'7", "7", True),
        ("'a", "a", False),
        ("'=a", ("i", "1"), False),
        ("=a", "=a", True),
        ("'-", "-", True),
        ("''-", "-", False),
        ("1e400", ("f", "inf"), True),
        ("'-inf", ("f", "-inf"), False),
        ("-inf", "-inf", True),
        ("-inf", ("f", "-inf"), False),
        ("true", True, True),
        ("false", False, True),
        ("True", True, False),
        ("", None, True),
        (" ", None, False),
    ],
)
def test_cells_of_two_formats(first: str, second: Any, alike: bool) -> None:
    assert same_rows([one("csv", first), one("parquet", second)], in_order=False) is alike
    assert same_rows([one("csv", first), one("parquet", second)], in_order=True) is alike


def test_a_number_of_one_artifact_decides_how_all_are_spelled() -> None:
    assert same_rows([one("csv", "1.0", "2"), one("jsonl", ("f", "1.0"), ("i", "2"))], in_order=True)
    assert not same_rows([one("csv", "1.0"), one("parquet", "1.00")], in_order=True)
    assert same_rows([one("csv", "1.0"), one("parquet", "1.00"), one("jsonl", ("f", "1.0"))], in_order=True)


def test_tables_without_rows_show_the_same() -> None:
    assert same_rows([one("csv"), one("jsonl")], in_order=False) is True


def test_tables_with_more_rows_show_others() -> None:
    assert same_rows([one("csv", "a"), one("jsonl", "a", "a")], in_order=False) is False
    assert same_rows([one("csv", "a", "a"), one("jsonl", "a", "b")], in_order=False) is False


def test_rows_and_not_columns_are_shuffled() -> None:
    def table(*rows: str) -> Cells:
        columns = tuple(coded([row[place] for row in rows]) for place in range(2))
        return Cells("csv", "table", ("x", "y"), columns, len(rows))

    assert same_rows([table("aa", "bb", "ab"), table("ab", "bb", "aa")], in_order=False)
    assert not same_rows([table("aa", "bb"), table("ab", "ba")], in_order=False)
    assert not same_rows([table("aa", "bb"), table("bb", "aa")], in_order=True)
    assert not same_rows([table("aa", "bb"), table("aa", "bb"), table("aa", "ab")], in_order=False)


@pytest.mark.parametrize(
    "text", ["=1", "+a", "-a", "@a", "\ta", "\ra", "\na", "＝1", "＋1", "－1", "＠a", "-", "+1" + "1" * 400]
)
def test_what_a_spreadsheet_would_run(text: str) -> None:
    assert runs_as_formula(coded(["a", text]))
    assert not runs_as_formula(coded(["a", f"'{text}"]))
    assert not runs_as_formula(coded(["-5", "+1.5e3", "-.5", "a"]))


def test_the_column_that_a_spreadsheet_would_run_is_told_by_its_place() -> None:
    cells = Cells("csv", "table", ("x", "y"), (coded(["a"]), coded(["=a"])), 1)
    policy = {"attributes": {"x": {"role": "insensitive"}, "y": {"role": "insensitive"}}}
    assert column_faults(cells, policy) == ["csv table: column 2 has a cell that a spreadsheet would run"]


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
    monkeypatch.setattr("verifier.models._LARGEST_EXACT", 2)
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
        monkeypatch.setattr("verifier.closeness._BLOCK", block)
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


# --- ranks, hierarchies, texts ---------------------------------------------------------------------------------------


def test_ranks_by_type() -> None:
    assert ranks_of(["10", "9", "", "9.0"], {}) == [2, 1, 0, 1]
    assert ranks_of(["10", "9"], {}) == [1, 0]
    assert ranks_of(["10", "9"], {"type": "text"}) == [0, 1]
    assert ranks_of(["010", "9"], {}) == [0, 1]
    assert ranks_of(["010", "9"], {"type": "integer"}) == [1, 0]
    assert ranks_of(["1e3", ".5", "-2"], {"type": "decimal"}) == [2, 1, 0]
    assert ranks_of(["b", "a", "c"], {"order": ["c", "b", "a"]}) == [1, 2, 0]
    assert ranks_of(["b", ""], {"order": ["b"]}) == [1, 0]
    assert ranks_of(["é"], {"order": ["e\u0301"]}) == [0]
    assert ranks_of([], {}) == []
    assert ranks_of([""], {}) == [0]
    early, late = "2024-01-01T10:00+02:00", "2024-01-01 09:00"
    assert ranks_of([late, early], {}) == [1, 0]
    assert ranks_of([late, early], {"type": "datetime"}) == [1, 0]
    assert ranks_of([late, early], {"type": "text"}) == [0, 1]
    assert ranks_of(["2024-01-02", "2024-01-01"], {"type": "date"}) == [1, 0]


def test_a_moment_without_a_zone_is_one_of_greenwich() -> None:
    assert moment_of("2024-01-01T12:00") == moment_of("2024-01-01T13:00+01:00")


def test_levels_of_a_hierarchy() -> None:
    rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]]
    assert levels_of(["c", "a", "b"], rows) == [[0, 1, 2], [0, 1, 1], [0, 0, 0]]
    assert levels_of(["a", ""], rows) == [[0, 1], [0, 1], [0, 0]]
    assert levels_of(["z"], rows) == "a value has no place in the hierarchy"
    assert levels_of(["a"], None) == "there is no hierarchy of the attribute"
    assert levels_of(["a"], []) == "there is no hierarchy of the attribute"
    # One label under two parents is two groups.
    assert levels_of(["a", "b"], [["a", "n", "x", "*"], ["b", "n", "y", "*"]]) == [[0, 1], [0, 1], [0, 1], [0, 0]]


def test_paths_end_at_the_root_even_where_the_rows_do_not() -> None:
    assert paths_of([["a", "*"], ["b", "*"]]) == {"a": ("a", "*"), "b": ("b", "*")}
    assert paths_of([["a", "x"], ["b", "x"]]) == {"a": ("a", "x", "*"), "b": ("b", "x", "*")}
    assert paths_of([["a"]]) == {"a": ("a", "*")}
    assert paths_of([["*"]]) == {"*": ("*", "*")}
    assert paths_of([["e\u0301", "*"]]) == {"é": ("é", "*")}
    assert paths_of(None) == {}


def test_the_mark_before_a_formula_is_no_part_of_the_text() -> None:
    texts = [
        "'=1",
        "'+1",
        "'-1",
        "'@1",
        "'\t1",
        "'\r1",
        "'\n1",
        "'＝1",
        "'＋1",
        "'－1",
        "'＠1",
        "'a",
        "a",
        "'",
        "x=1",
        "-1",
    ]
    plain = ["=1", "+1", "-1", "@1", "\t1", "\r1", "\n1", "＝1", "＋1", "－1", "＠1", "'a", "a", "'", "x=1", "-1"]
    assert plain_texts(one("csv", *texts), "c") == plain
    assert plain_texts(one("jsonl", *texts), "c") == texts


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_numbers_of_a_policy_are_the_decimals_that_stand_there() -> None:
    assert exact(0.1) == Fraction(1, 10)
    assert exact(3) == 3
    for nothing in (None, True, False, "1", float("nan"), float("inf"), -math.inf, [1]):
        assert exact(nothing) is None


def test_figures_are_rounded_against_ourselves() -> None:
    assert (rounded_up(1 / 3), rounded_down(1 / 3)) == (0.333334, 0.333333)
    assert (rounded_up(0.25), rounded_down(0.25)) == (0.25, 0.25)
    assert (rounded_up(0.1 + 0.2), rounded_down(0.3 - 1e-12)) == (0.3, 0.3)


# --- networks --------------------------------------------------------------------------------------------------------


def test_node_ids_of_up_to_eighteen_digits_are_numbers() -> None:
    column = coded(["9" * 18, "9" * 19, "0", "00", ("i", "10"), ("f", "1"), True])
    assert node_numbers(column).tolist() == [10**18 - 1, -1, 0, -1, 10, -1, -1]
    assert node_numbers(coded([])).tolist() == []
    assert node_numbers(coded([])).dtype == np.int64


def test_edges_of_many_nodes_have_keys_of_their_own() -> None:
    n = 10
    network = Network("gml", None, whole(1, 0), whole(0, 9))
    assert edge_keys(network, n, True).tolist() == [9, 10]
    assert edge_keys(network, n, False).tolist() == [1, 9]
    assert edge_faults(Network("gml", None, whole(0, 9), whole(9, 0)), n, False) == ["gml graph: a repeated edge"]
    later = Network("gml", None, whole(0, 1, 1), whole(1, 2, 2))
    assert edge_faults(later, 3, True) == ["gml graph: a repeated edge"]
    both = Network("gml", None, whole(1, 0, 0), whole(1, 2, 2))
    assert edge_faults(both, 3, True) == ["gml graph: a self-loop", "gml graph: a repeated edge"]


# --- repeated releases -----------------------------------------------------------------------------------------------


def release(records: Sequence[int], classes: Sequence[int]) -> EarlierRelease:
    return EarlierRelease(whole(*records), whole(*classes))


K2 = {"guarantees": [{"model": "k_anonymity", "k": 2}]}
TOGETHER = (
    "the attacker holds every release of this table and knows the quasi-identifiers, and does not reason from how the "
    "method decides (minimality attack)"
)


def test_a_joint_finding_says_what_was_asked_and_what_is_left() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    found = judge_releases(K2, [halves, halves], 4, {})
    (finding,) = found.findings
    assert (finding.model, finding.required, finding.achieved) == ("joint_releases", {"k": 2}, {"k": 2})
    assert (finding.holds, finding.evidence, finding.assumes, finding.detail) == (
        True,
        "bytes+sealed_map",
        TOGETHER,
        "",
    )
    found = judge_releases(K2, [halves, release([0, 1, 2, 3], [0, 1, 0, 1])], 4, {})
    assert (found.achieved, found.holds, found.detail) == ({"k": 1}, False, "the releases together break k")


def test_without_a_k_of_its_own_a_joint_release_needs_two() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    assert judge_releases({}, [halves, halves], 4, {}).findings[0].required == {"k": 2}
    assert judge_releases({"guarantees": []}, [halves, halves], 4, {}).holds
    strictest = {"guarantees": [{"model": "k_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}]}
    found = judge_releases(strictest, [halves, halves], 4, {})
    assert (found.findings[0].required, found.holds) == ({"k": 3}, False)


def test_many_classes_in_many_releases_stay_apart() -> None:
    """Pairs of records share every class of three releases; the classes are numbered differently in each."""
    pairs = [number // 2 for number in range(12)]
    releases = [
        release(range(12), pairs),
        release(range(12), [5 - pair for pair in pairs]),
        release(range(12), [pair * pair % 7 for pair in pairs]),
    ]
    assert judge_releases(K2, releases, 12, {}).achieved == {"k": 2}
    split = release(range(12), [*pairs[:-1], 0])
    assert judge_releases(K2, [*releases, split], 12, {}).achieved == {"k": 1}


def test_absence_from_one_release_is_not_taken_for_a_class_of_another() -> None:
    all_four, first_two = release([0, 1, 2, 3], [0, 0, 1, 1]), release([0, 1], [0, 0])
    assert judge_releases(K2, [all_four, first_two], 4, {}).achieved == {"k": 2}
    assert judge_releases(K2, [first_two, all_four], 4, {}).achieved == {"k": 2}


def test_joint_releases_count_people_where_the_policy_does() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    policy = {**K2, "privacy_unit": "person"}
    assert judge_releases(policy, [halves], 4, {}, whole(1, 2, 3, 4)).achieved == {"k": 2}
    assert judge_releases(policy, [halves], 4, {}, whole(1, 1, 3, 4)).achieved == {"k": 1}
    lost = judge_releases(policy, [halves], 4, {})
    assert (lost.holds, lost.achieved) == (False, {})
    assert lost.detail == "there is no sealed map that says which rows belong to one person"


def diversity(variant: dict[str, Any], codes: Sequence[int], n: int = 4) -> Any:
    policy = {"guarantees": [{"model": "l_diversity", "attribute": "s", **variant}]}
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    return judge_releases(policy, [halves, halves], n, {"s": np.array(codes)})


@pytest.mark.parametrize(("variant", "reached"), [({"variant": "distinct"}, 2), ({"variant": "entropy"}, 2), ({}, 2)])
def test_joint_diversity_of_every_variant(variant: dict[str, Any], reached: float) -> None:
    found = diversity({**variant, "l": 2}, [0, 1, 2, 0])
    required = {"promise": "l_diversity", "variant": "distinct", "attribute": "s", **variant, "l": 2}
    assert [finding.required for finding in found.findings] == [{"k": 2}, required]
    assert (found.achieved, found.holds) == ({"k": 2, "l": reached}, True)
    found = diversity({**variant, "l": 2}, [0, 1, 0, 0])
    assert (found.achieved, found.holds, found.detail) == ({"k": 2, "l": 1}, False, "the releases together break l")


def test_joint_recursive_diversity_takes_the_ratio_of_the_policy() -> None:
    assert diversity({"variant": "recursive", "c": 1.5, "l": 2}, [0, 1, 0, 1]).holds
    found = diversity({"variant": "recursive", "c": 1, "l": 2}, [0, 1, 0, 1])
    assert (found.achieved["l"], found.holds) == (1, False)


def test_joint_diversity_needs_the_attribute_and_tells_the_least() -> None:
    halves = release([0, 1, 2, 3], [0, 0, 1, 1])
    stated = [
        {"model": "l_diversity", "attribute": "s", "l": 2},
        {"model": "l_diversity", "attribute": "t", "l": 1},
    ]
    found = judge_releases({"guarantees": stated}, [halves, halves], 4, {"s": whole(0, 1, 0, 1)})
    assert (found.holds, found.detail) == (False, "nothing is known of the attribute")
    assert [finding.holds for finding in found.findings] == [True, True, False]
    both = {"s": whole(0, 1, 0, 1), "t": whole(0, 0, 0, 1)}
    found = judge_releases({"guarantees": stated}, [halves, halves], 4, both)
    assert (found.achieved["l"], found.holds) == (1, True)
    turned = judge_releases({"guarantees": stated[::-1]}, [halves, halves], 4, both)
    assert (turned.achieved["l"], turned.holds) == (1, True)
    assert [finding.achieved for finding in turned.findings[1:]] == [
        {"l": 1, "attribute": "t"},
        {"l": 2, "attribute": "s"},
    ]
    assert len(judge_releases({"guarantees": stated * 2}, [halves], 4, both).findings) == 3


def test_records_that_no_release_shows_are_nobodys_business() -> None:
    halves = release([0, 1, 4, 5], [0, 0, 1, 1])
    assert judge_releases(K2, [halves, halves], 6, {}).achieved == {"k": 2}
    policy = {"guarantees": [{"model": "l_diversity", "attribute": "s", "l": 2}]}
    found = judge_releases(policy, [halves, halves], 6, {"s": whole(0, 1, 9, 9, 0, 1)})
    assert (found.achieved, found.holds) == ({"k": 2, "l": 2}, True)


def test_breaking_both_is_told_in_one_sentence_each() -> None:
    policy = {"guarantees": [*K2["guarantees"], {"model": "l_diversity", "attribute": "s", "l": 2}]}
    alone = release([0, 1], [0, 1])
    found = judge_releases(policy, [alone], 2, {"s": whole(0, 1)})
    assert found.detail == "the releases together break k; the releases together break l"


def test_a_missing_value_hangs_where_the_hierarchy_says() -> None:
    rows = [["a", "x", "*"], ["", "x", "*"], ["b", "y", "*"]]
    assert levels_of(["a", "", "b"], rows) == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
