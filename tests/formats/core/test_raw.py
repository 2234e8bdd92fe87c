import numpy as np
import pyarrow as pa

from formats.core.names import checked_names
from formats.core.raw import check_rows, clean_column, encode_texts, unified
from tests.formats.limits import limits_of


def test_merges_texts_that_are_equal_in_normal_form(limits):
    column = clean_column("c", np.array([0, 1, 2, 1]), pa.array(["e\u0301", "x", "\u00e9"]), limits)
    assert list(column.values[column.codes]) == ["\u00e9", "x", "\u00e9", "x"]
    assert len(column.values) == 2


def test_leaves_out_texts_that_no_row_has(limits):
    column = clean_column("c", np.array([2, 0]), pa.array(["a", "unused", "b"]), limits)
    assert list(column.values) == ["a", "b"]
    assert list(column.codes) == [1, 0]


def test_names_column_and_first_row_of_a_cell_that_is_too_long(refused):
    error = refused(encode_texts, "c", ["ab", "abc", "abc"], limits_of(max_cell_bytes=2))
    assert (error.rule, error.column, error.row) == ("cell_too_long", "c", 2)


def test_unifies_dictionaries_of_several_batches():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    codes, texts = unified(chunks)
    assert [texts.to_pylist()[code] for code in codes] == ["a", "b", "b", "c"]


def test_names_are_in_normal_form_distinct_and_not_empty(limits, refused):
    assert checked_names(["e\u0301", "b"], limits) == ["\u00e9", "b"]
    assert refused(checked_names, ["a", "b", "a"], limits).detail == "columns 1 and 3 have the same name"
    assert refused(checked_names, ["a", "\t"], limits).rule == "empty_column_name"
    assert refused(checked_names, [], limits).rule == "no_columns"


def test_a_table_has_records(refused):
    assert refused(check_rows, 0, limits_of()).rule == "no_records"
