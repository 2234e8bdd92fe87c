"""Readings: whole columns are read exactly as their texts one by one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import PLAIN
from antifaz.tables.reading.readings import detect_type
from antifaz.tables.texts.value_types import ValueType, shorten
from tests.oracles.column_types import type_cells

DIGITS = st.text("0123456789", max_size=25)
SIGNS = st.sampled_from(["", "", "", "-", "+", "\u2212"])
EXPONENTS = st.sampled_from(["", "", "", "", "e5", "E-3", "e+07", "e308", "e309", "e-400", "e1000"])
POINTS = st.sampled_from(["", ".", ".", ",", "..", "\u066b"])
NUMBERS = st.builds("".join, st.tuples(SIGNS, DIGITS, POINTS, DIGITS, EXPONENTS))
PLAIN_NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=2).map(str),
    st.tuples(st.integers(-3, 3), st.text("01", max_size=4)).map(lambda pair: f"{pair[0]}.{pair[1]}"),
)
ODD = st.one_of(
    st.sampled_from(["0", "-0", "+0", "00", "007", "-007", ".5", "5.", "-.5", ".", "-", "+", "1e5", "-0.0", "-0.000"]),
    st.sampled_from(["nan", "NaN", "inf", "-inf", "Infinity", "1_000", "1,000", "1.000", "1.000,5", "0x10"]),
    st.sampled_from(["\u0661\u0662", "\uff11", "\u00b2", "1 ", " 1", "\t1", "1\n", "1\u00a0", "\ud800", "a\u0301"]),
    st.sampled_from(["true", "false", "True", "TRUE", "true ", "true\n"]),
    st.sampled_from(["9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775808"]),
    st.sampled_from(["999999999999999999", "1000000000000000000", "-999999999999999999", "-1000000000000000000"]),
    st.sampled_from(["0.1", "0.10000000000000000001", "1e-400", "-1e-400", "1.7976931348623159e308"]),
)
LONG = st.tuples(st.integers(190, 420), st.integers(0, 420)).map(lambda pair: "7" * pair[0] + "." + "0" * pair[1] + "1")
MONTHS = st.sampled_from(["00", "01", "02", "12", "13"])
DAYS = st.sampled_from(["00", "01", "28", "29", "30", "31", "32"])
YEARS = st.sampled_from(["0000", "0001", "1684", "1900", "1969", "1970", "2000", "2024", "2255", "2256", "9999"])
EDGE_DATES = st.builds("-".join, st.tuples(YEARS, MONTHS, DAYS))
DATES = st.one_of(
    st.dates().map(str), EDGE_DATES, st.sampled_from(["2024-1-1", "20240101", "2024-01-01 ", "-001-01-01"])
)
HOURS = st.sampled_from(["00:00", "23:59", "24:00", "12:60", "7:30", "07:30"])
SECONDS = st.sampled_from(["", ":00", ":59", ":60", ":30.5", ":30.000001", ":30.123456", ":30.1234567", ":30."])
ZONES = st.sampled_from(["", "Z", "z", "+00:00", "-00:00", "+14:00", "-23:59", "+24:00", "+05:60", "+0530", " UTC"])
EDGE_MOMENTS = st.builds("".join, st.tuples(DATES, st.sampled_from("T t"), HOURS, SECONDS, ZONES))
OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.one_of(
    EDGE_MOMENTS,
    st.datetimes(timezones=st.one_of(st.none(), st.just(UTC), OFFSETS)).map(datetime.isoformat),
)
BOOLEANS = st.sampled_from(["true", "false"])
ANYTHING = st.one_of(NUMBERS, PLAIN_NUMBERS, ODD, LONG, DATES, MOMENTS, BOOLEANS, st.text(max_size=5))
"""Any text; columns of one kind are drawn apart, or hardly any would have a type."""
CELLS = st.one_of(
    *(
        st.lists(st.one_of(kind, st.just("")), max_size=12)
        for kind in (NUMBERS, PLAIN_NUMBERS, ODD, LONG, st.dates().map(str), DATES, MOMENTS, BOOLEANS, ANYTHING)
    )
)


def compare(cells, declared, decimal):
    texts = list(dict.fromkeys(cells))
    codes = np.array([texts.index(cell) for cell in cells], dtype=np.int32)
    expected = type_cells(cells, declared, decimal)
    if isinstance(expected, int):
        with pytest.raises(InvalidDataset) as caught:
            cast_column("c", texts, codes, declared and ValueType(declared), replace(PLAIN, decimal=decimal))
        assert caught.value.row == expected
        return
    type_, values, numbers, places = expected
    column = cast_column("c", texts, codes, declared and ValueType(declared), replace(PLAIN, decimal=decimal))
    assert (column.type.value, list(column.values), list(column.codes)) == (type_, values, places)
    assert all(type(value) is str for value in column.values)
    # As bytes, so that a negative zero or a last bit makes a difference.
    assert numbers is None or np.array(numbers, dtype=np.float64).tobytes() == column.numbers.tobytes()
    assert (column.numbers is None) == (numbers is None)


@settings(max_examples=8 * settings().max_examples, deadline=None)
@given(CELLS, st.sampled_from([".", ","]))
@example(["-0.0", "0", "1e-400", "-1e-400", "0.00"], ".")
@example(["0", "-0.0", "1"], ".")
@example(["0.1", "0.10000000000000000001", "0.1000"], ".")
@example(["2024-01-01T00:00Z", "2024-01-01 00:00", "2024-01-01T01:00+01:00"], ".")
@example(["\ud800", "\U00010000", "\uffff"], ".")
def test_detects_and_reads_columns_as_text_by_text(cells, decimal):
    compare(cells, None, decimal)


@settings(max_examples=8 * settings().max_examples, deadline=None)
@given(
    CELLS, st.sampled_from([".", ","]), st.sampled_from(["integer", "decimal", "boolean", "date", "datetime", "text"])
)
@example(["+1", "01", "1", "-0", "+0"], ".", "integer")
@example(["+1,50", "01,5", "1.5"], ",", "decimal")
@example(["9007199254740993", "9007199254740992", "9007199254740994"], ".", "integer")
@example(["1", "\ud800"], ".", "integer")
def test_reads_declared_columns_as_text_by_text(cells, decimal, declared):
    compare(cells, declared, decimal)


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.lists(st.datetimes(timezones=st.one_of(st.none(), OFFSETS)).map(datetime.isoformat), max_size=12))
def test_reads_moments_to_the_last_bit(cells):
    compare(cells, None, ".")
    compare(cells, "datetime", ".")


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.lists(st.one_of(PLAIN_NUMBERS, LONG), max_size=12))
def test_reads_decimals_to_the_last_bit(cells):
    compare(cells, "decimal", ".")


def test_a_strange_text_after_many_plain_ones_makes_the_column_text():
    plain = [str(number) for number in range(1000)]
    assert detect_type(plain) is ValueType.INTEGER
    assert detect_type([*plain, "1e3"]) is ValueType.DECIMAL
    assert detect_type([*plain, "007"]) is ValueType.TEXT


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6))
def test_shortens_faithfully(number):
    assert float(shorten(str(number))) == float(number)
