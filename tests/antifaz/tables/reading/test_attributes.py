"""Attributes: types, orders and missing values of columns."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.hierarchies.mask import Mask
from antifaz.hierarchies.nuts import Nuts
from antifaz.tables.reading.attributes import (
    AttributeSettings,
    cast_column,
    point_to,
    resolve_attribute,
    rows_to_suppress,
)
from antifaz.tables.reading.dialect import PLAIN
from antifaz.tables.table import Recoding, Role
from antifaz.tables.texts.value_types import ValueType


def cast(cells, declared=None, decimal="."):
    texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return cast_column("c", texts, codes.astype(np.int32), declared, replace(PLAIN, decimal=decimal))


@pytest.mark.parametrize(
    ("cells", "type_"),
    [
        (["1", "-20", "0"], ValueType.INTEGER),
        (["1", "", "3"], ValueType.INTEGER),
        (["1", "2.5", "1e3"], ValueType.DECIMAL),
        (["true", "false"], ValueType.BOOLEAN),
        (["True", "False"], ValueType.TEXT),
        (["2020-02-29", "1999-12-31"], ValueType.DATE),
        (["2020-02-30", "1999-12-31"], ValueType.TEXT),
        (["2020-02-29T10:00:00Z", "1999-12-31 23:59"], ValueType.DATETIME),
        (["08500", "17600"], ValueType.TEXT),
        (["1", "x"], ValueType.TEXT),
        (["", ""], ValueType.TEXT),
        (["1" * 25], ValueType.DECIMAL),
        (["nan", "inf"], ValueType.TEXT),
        (["1e999"], ValueType.TEXT),
        ([" 1", "2"], ValueType.TEXT),
    ],
)
def test_detects_types(cells, type_):
    assert cast(cells).type is type_


def test_sorts_numbers_by_size_with_the_missing_value_first():
    column = cast(["10", "9", "", "-3", "10"])
    assert list(column.values) == ["", "-3", "9", "10"]
    assert column.missing == 0
    assert np.isnan(column.numbers[0])
    assert list(column.values[column.codes]) == ["10", "9", "", "-3", "10"]


def test_reads_decimal_commas():
    column = cast(["1,5", "0,25", "3"], decimal=",")
    assert column.type is ValueType.DECIMAL
    assert list(column.values) == ["0.25", "1.5", "3"]
    assert cast(["1.5", "2"], decimal=",").type is ValueType.TEXT


def test_different_spellings_of_a_number_are_one_value():
    column = cast(["1.5", "1.50", "15e-1", "2"])
    assert list(column.values) == ["1.5", "2"]


def test_composed_and_decomposed_letters_are_one_value():
    column = cast(["Ma\u0301laga", "M\u00e1laga"])
    assert list(column.values) == ["M\u00e1laga"]
    assert list(column.codes) == [0, 0]


def test_drops_texts_that_no_row_has():
    column = cast_column("c", ["unused", "7", "8"], np.array([1, 2, 1], dtype=np.int32))
    assert column.type is ValueType.INTEGER
    assert list(column.values) == ["7", "8"]


def test_an_empty_column_is_text():
    column = cast_column("c", [], np.zeros(0, dtype=np.int32))
    assert column.type is ValueType.TEXT
    assert len(column.codes) == 0


def test_names_the_first_row_that_is_not_of_the_declared_type():
    with pytest.raises(InvalidDataset) as caught:
        cast(["1", "cnry", "3", "cnry"], ValueType.INTEGER)
    assert (caught.value.rule, caught.value.column, caught.value.row) == ("type_mismatch", "c", 2)
    assert "cnry" not in str(caught.value)


def test_a_declared_integer_takes_leading_zeros():
    assert list(cast(["007", "+8"], ValueType.INTEGER).values) == ["7", "8"]


@pytest.mark.parametrize(
    ("cells", "hierarchy", "recoding"),
    [(["1", "2"], None, Recoding.RANGE), (["a", "b"], None, Recoding.SET), (["a", "b"], Mask(), Recoding.ANCESTOR)],
)
def test_the_type_decides_the_default_recoding(cells, hierarchy, recoding):
    attribute = resolve_attribute(cast(cells), AttributeSettings(role="quasi_identifier"), hierarchy)
    assert attribute.recoding is recoding


@pytest.mark.parametrize("recoding", ["range", "mean", "median", "bounds", "ancestor"])
def test_refuses_a_recoding_that_does_not_fit(recoding):
    with pytest.raises(InvalidPolicy) as caught:
        resolve_attribute(cast(["a", "b"]), AttributeSettings(role="quasi_identifier", recoding=recoding), None)
    assert caught.value.pointer == "/attributes/c/recoding"


def test_only_quasi_identifiers_are_recoded():
    assert resolve_attribute(cast(["1"]), AttributeSettings(role="sensitive"), None).recoding is None
    with pytest.raises(InvalidPolicy):
        resolve_attribute(cast(["1"]), AttributeSettings(role="sensitive", recoding="range"), None)


def test_pointers_escape_slashes_and_tildes():
    assert point_to("a/b~c", "recoding") == "/attributes/a~1b~0c/recoding"


def test_a_stated_order_renumbers_the_values():
    stated = AttributeSettings(role="quasi_identifier", order=["low", "mid", "high"])
    attribute = resolve_attribute(cast(["high", "low", "", "mid"]), stated, None)
    assert list(attribute.column.values) == ["", "low", "mid", "high"]
    assert list(attribute.column.values[attribute.column.codes]) == ["high", "low", "", "mid"]
    with pytest.raises(InvalidDataset):
        resolve_attribute(cast(["other"]), stated, None)
    with pytest.raises(InvalidPolicy):
        resolve_attribute(cast(["1", "2"]), stated, None)


def test_missing_values_are_rejected_with_their_row():
    with pytest.raises(InvalidDataset) as caught:
        resolve_attribute(cast(["a", "b", ""]), AttributeSettings(role="sensitive", missing="reject"), None)
    assert (caught.value.rule, caught.value.row) == ("missing_value", 3)


def test_rows_with_a_missing_value_are_left_out_where_the_policy_says_so():
    first = cast(["a", "", "c"])
    second = cast_column("d", ["", "x"], np.array([0, 1, 1], dtype=np.int32))
    settings_ = {
        "c": AttributeSettings(role="sensitive", missing="suppress_row"),
        "d": AttributeSettings(role="sensitive"),
    }
    assert list(rows_to_suppress([first, second], settings_)) == [False, True, False]
    assert len(rows_to_suppress([], {})) == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_rows_are_left_out_for_a_missing_value_in_any_of_several_columns(order):
    columns = [cast(["a", "", "c"]), cast_column("d", ["", "x"], np.array([0, 1, 1], dtype=np.int32))]
    settings_ = {name: AttributeSettings(role="sensitive", missing="suppress_row") for name in ("c", "d")}
    assert list(rows_to_suppress([columns[place] for place in order], settings_)) == [True, True, False]


def test_a_value_without_a_place_is_named_by_its_first_row():
    codes = np.array([0, 0, 1, 2, 1], dtype=np.int32)
    column = cast_column("place", ["DE212", "Atlantis", "ES511"], codes)
    with pytest.raises(InvalidDataset) as caught:
        resolve_attribute(column, AttributeSettings(role=Role.QUASI_IDENTIFIER), Nuts())
    assert (caught.value.rule, caught.value.column, caught.value.row, caught.value.count) == (
        "unknown_value",
        "place",
        3,
        1,
    )
