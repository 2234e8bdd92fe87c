"""Cells: codes, packing, and comparison between formats."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.readers import cells
from verifier.readers.cells import Cell, Cells, Coder, Column, class_of_rows, encoded, same_rows


def coded(values: list[Cell]) -> Column:
    coder = Coder()
    coder.add(values)
    return coder.column()


def table(form: str, *columns: list[Cell]) -> Cells:
    names = tuple(f"c{position}" for position in range(len(columns)))
    return Cells(form, "table", names, tuple(coded(column) for column in columns), len(columns[0]))


def test_a_label_that_a_dictionary_holds_twice_is_one_label() -> None:
    column = encoded(np.array([0, 1, 2]), ["a", "b", "a"], "ttt")
    assert column.codes.tolist() == [0, 1, 0]
    assert list(column.texts) == ["a", "b"]


def test_the_same_text_of_two_kinds_is_two_labels() -> None:
    column = coded(["1", ("i", "1"), ("f", "1"), None, "", True, "true"])
    assert len(set(column.codes.tolist())) == 7
    assert column.kinds == "tif-tbt"


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_packing_that_overflows_numbers_the_same_classes(rows: list[tuple[int, int, int]]) -> None:
    columns = [(np.array(column, np.int64), 4) for column in zip(*rows, strict=True)]
    roomy, count = class_of_rows(columns, len(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_LARGEST_KEY", 20)
        tight, tight_count = class_of_rows(columns, len(rows))
    assert count == tight_count == len(set(rows))
    for classes in (roomy, tight):
        assert len(set(zip(classes.tolist(), rows, strict=True))) == count


def test_wide_columns_whose_keys_would_overflow_keep_their_classes_apart() -> None:
    first, others = np.array([0, 1, 1], np.int64), np.zeros(3, np.int64)
    classes, count = class_of_rows([(first, 2**32), (others, 2**32), (others, 2**32)], 3)
    assert count == 2
    assert classes.tolist() == [0, 1, 1]


def test_without_columns_all_rows_are_one_class() -> None:
    classes, count = class_of_rows([], 5)
    assert (classes.tolist(), count) == ([0] * 5, 1)


def test_tables_agree_as_multisets_of_rows_and_not_as_sets() -> None:
    first = table("csv", ["a", "a", "b"], ["1", "1", "2"])
    assert same_rows([first, table("jsonl", ["b", "a", "a"], ["2", "1", "1"])], in_order=False)
    assert not same_rows([first, table("jsonl", ["b", "a", "a"], ["2", "1", "1"])], in_order=True)
    assert not same_rows([first, table("jsonl", ["a", "b", "b"], ["1", "2", "2"])], in_order=False)
    assert not same_rows([first, table("jsonl", ["a", "a", "b"], ["1", "2", "1"])], in_order=False)
    assert not same_rows([first, table("jsonl", ["a", "a"], ["1", "1"])], in_order=False)


def test_all_tables_are_compared_and_not_only_the_first_two() -> None:
    same = table("csv", ["a", "b"])
    assert not same_rows([same, table("parquet", ["a", "b"]), table("jsonl", ["a", "c"])], in_order=False)


def test_columns_are_compared_by_name() -> None:
    first = Cells("csv", "table", ("x", "y"), (coded(["1"]), coded(["2"])), 1)
    swapped = Cells("jsonl", "table", ("y", "x"), (coded(["2"]), coded(["1"])), 1)
    assert same_rows([first, swapped], in_order=True)


@pytest.mark.parametrize(
    ("in_csv", "typed", "agree"),
    [
        ("'=x", "=x", True),
        ("'-x", "-x", True),
        ("'\tx", "\tx", True),
        ("x", "x", True),
        ("'x", "x", False),
        ("-5", "-5", True),
        ("'-5", "-5", True),
        ("-5", ("i", "-5"), True),
        ("5", ("i", "-5"), False),
        ("05", ("i", "5"), True),
        ("0.10", ("f", "0.1"), True),
        ("1e2", ("f", "100.0"), True),
        ("", None, True),
        ("true", True, True),
        ("nan", ("f", "nan"), True),
        ("1" * 5000, "1" * 5000, True),
    ],
)
def test_a_cell_is_compared_by_what_a_reader_would_see(in_csv: str, typed: Cell, agree: bool) -> None:
    assert same_rows([table("csv", [in_csv]), table("parquet", [typed])], in_order=False) is agree
