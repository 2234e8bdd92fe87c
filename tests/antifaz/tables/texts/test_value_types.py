"""The table of value types: each row is complete, and what stands apart from the engine knows the same types."""

import math
from typing import get_args

import numpy as np
import pytest

from antifaz.tables.reading.readings import detect_type, read_declared
from antifaz.tables.texts.value_types import ValueType
from api_schemas.data.datasets import ColumnReading
from verifier.readers.sizes import SIZES

VALUES = {
    "integer": ("-7", "12"),
    "decimal": ("-7.25", "12"),
    "text": ("Zoë", "a"),
    "date": ("1969-12-31", "2024-02-29"),
    "datetime": ("1969-12-31T23:59:59+00:00", "2024-02-29T12:30:00+00:00"),
    "boolean": ("false", "true"),
}
"""Two values of each type, the smaller first."""
MEASURED = [type_ for type_ in ValueType if type_.is_measured]


def test_every_type_has_examples():
    assert list(VALUES) == list(ValueType)


@pytest.mark.parametrize("type_", ValueType)
def test_the_values_of_a_type_are_read_unchanged_and_recognized_if_it_may_be(type_: ValueType):
    readings = read_declared(np.array(VALUES[type_], dtype=object), type_)
    assert tuple(readings.canonical) == VALUES[type_]
    assert detect_type(VALUES[type_]) is (type_ if type_.definition.detected else ValueType.TEXT)


@pytest.mark.parametrize("type_", ValueType)
def test_only_types_with_a_size_have_numbers_and_these_rise(type_: ValueType):
    low, high = read_declared(np.array(VALUES[type_], dtype=object), type_).numbers
    assert (low < high) if type_.is_measured else (math.isnan(low) and math.isnan(high))


@pytest.mark.parametrize("type_", [type_ for type_ in ValueType if type_.definition.write is not None])
def test_a_written_number_is_read_back_also_at_the_limits(type_: ValueType):
    write, limits = type_.definition.write, type_.definition.limits
    assert write is not None
    for number in (*limits, 0.0, limits[1] // 2):
        reading = type_.definition.read(write(number), ".", True)
        assert reading is not None
        assert reading[1] == number


@pytest.mark.parametrize("type_", MEASURED)
def test_the_verifier_orders_the_values_of_every_type_with_a_size(type_: ValueType):
    low, high = map(SIZES[type_], VALUES[type_])
    assert low < high


def test_the_verifier_knows_no_other_types():
    assert list(SIZES) == MEASURED


def test_an_upload_may_declare_every_type():
    assert {name for each in get_args(ColumnReading.model_fields["type"].annotation) for name in get_args(each)} == set(
        ValueType
    )


def test_numbers_are_comparable_with_numbers_and_dates_with_dates_alone():
    pairs = {(one, other) for one in ValueType for other in ValueType if one is not other and one.is_comparable(other)}
    assert pairs == {("integer", "decimal"), ("decimal", "integer")}
