import numpy as np
import pyarrow as pa

from storage.settings import Settings
from workers.codecs.raw import check_rows, checked_names, clean_column, encode_texts, unified


def test_merges_texts_that_are_equal_in_normal_form(settings):
    column = clean_column("c", np.array([0, 1, 2, 1]), pa.array(["e\u0301", "x", "\u00e9"]), settings)
    assert list(column.values[column.codes]) == ["\u00e9", "x", "\u00e9", "x"]
    assert len(column.values) == 2


def test_leaves_out_texts_that_no_row_has(settings):
    column = clean_column("c", np.array([2, 0]), pa.array(["a", "unused", "b"]), settings)
    assert list(column.values) == ["a", "b"]
    assert list(column.codes) == [1, 0]


def test_names_column_and_first_row_of_a_cell_that_is_too_long(refused):
    error = refused(encode_texts, "c", ["ab", "abc", "abc"], Settings(max_cell_bytes=2))
    assert (error.rule, error.column, error.row) == ("cell_too_long", "c", 2)


def test_unifies_dictionaries_of_several_batches():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    codes, texts = unified(chunks)
    assert [texts.to_pylist()[code] for code in codes] == ["a", "b", "b", "c"]


def test_names_are_in_normal_form_distinct_and_not_empty(settings, refused):
    assert checked_names(["e\u0301", "b"], settings) == ["\u00e9", "b"]
    assert refused(checked_names, ["a", "b", "a"], settings).detail == "columns 1 and 3 have the same name"
    assert refused(checked_names, ["a", "\t"], settings).rule == "empty_column_name"
    assert refused(checked_names, [], settings).rule == "no_columns"


def test_a_table_has_records(refused):
    assert refused(check_rows, 0, Settings()).rule == "no_records"
