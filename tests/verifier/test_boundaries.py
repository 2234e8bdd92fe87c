"""Edge cases of counting: the largest keys, the longest numbers, empty and single inputs, ties."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.verifier.boundary_samples import whole
from verifier.people.sensitive import levels_of, paths_of, ranks_of
from verifier.readers.cells import Cells, Coder, Column, class_of_rows, encoded, is_number, runs_as_formula, same_rows
from verifier.readers.columns import column_faults, plain_texts
from verifier.readers.networks import Network, edge_faults, edge_keys, node_numbers
from verifier.readers.sizes import moment_of
from verifier.verdict.exact import exact, rounded_down, rounded_up


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
