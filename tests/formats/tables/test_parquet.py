import io
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from formats.core.faults import Fault
from formats.core.limits import Limits
from formats.reading import read_table
from tests.formats.limits import limits_of


def stored(table: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def texts_of(values: pa.Array, limits: Limits) -> list[str]:
    column = read_table([stored(pa.table({"c": values}))], "parquet", {}, limits).columns[0]
    return list(column.values[column.codes])


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array(["b", None, "", "é"]), ["b", "", "", "é"]),
        (pa.array([1, None, -5], pa.int16()), ["1", "", "-5"]),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        (pa.array([1.5, float("nan"), 3.0, 1e22, -0.0, 1e-7]), ["1.5", "", "3", "1" + "0" * 22, "0", "0.0000001"]),
        (pa.array(np.array([0.1, 2.0], np.float32)), ["0.1", "2"]),
        (pa.array([Decimal("1.50"), None]), ["1.5", ""]),
        (pa.array([True, False, None]), ["true", "false", ""]),
        (pa.array([date(2020, 2, 29), None]), ["2020-02-29", ""]),
        (pa.array([datetime(2020, 1, 2, 3, 4, 5)]), ["2020-01-02T03:04:05"]),
        (
            pa.array([datetime(2020, 1, 2, 3, tzinfo=UTC)], pa.timestamp("us", "Europe/Madrid")),
            ["2020-01-02T03:00:00Z"],
        ),
        (pa.array([1], pa.timestamp("ns")), ["1970-01-01T00:00:00"]),
        (pa.array([time(3, 4)]), ["03:04:00"]),
        (pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y", "x"]),
        (pa.array([None, None], pa.null()), ["", ""]),
    ],
)
def test_writes_every_type_as_its_canonical_text(values, texts, limits):
    assert texts_of(values, limits) == texts


def test_reads_row_groups_as_one_table(limits):
    table = pa.table({"a": [f"v{i % 5}" for i in range(1000)], "b": list(range(1000))})
    read = read_table([stored(table, row_group_size=70)], "parquet", {}, limits)
    assert read.n == 1000
    assert list(read.columns[1].values[read.columns[1].codes]) == [str(i) for i in range(1000)]
    assert len(read.columns[0].values) == 5


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([{"cnry": 1}]),
        pa.array([b"cnry"]),
        pa.array([1], pa.duration("s")),
    ],
)
def test_refuses_nested_columns_and_types_that_tables_do_not_have(values, limits, refused):
    error = refused(read_table, [stored(pa.table({"c": values}))], "parquet", {}, limits)
    assert (error.rule, error.column) == ("unsupported_type", "c")


def test_refuses_an_infinite_number(limits, refused):
    content = stored(pa.table({"c": [1.0, float("inf")]}))
    assert refused(read_table, [content], "parquet", {}, limits).rule == "not_a_number"


def test_refuses_a_file_that_lies(limits, refused):
    good = stored(pa.table({"c": ["cnry"] * 10}), compression="none")
    for bad in (
        good[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1",
        good[:-8] + b"\0\0\0\0PAR1",
        good[:40] + good[50:],
        b"PAR1" + good[4:-20],
        b"PAR1PAR1",
        b"not parquet at all",
        b"",
    ):
        error = refused(read_table, [bad], "parquet", {}, limits)
        assert error.rule == "unreadable"
        assert "cnry" not in str(error)


def test_survives_every_single_damaged_byte(limits):
    """Whatever is wrong with a file, it is read or refused, and nothing else happens."""
    good = stored(pa.table({"c": ["x", "y", None], "d": [1, 2, 3]}))
    for place in range(4, len(good), 3):
        with suppress(Fault):
            read_table([good[:place] + bytes([good[place] ^ 0x55]) + good[place + 1 :]], "parquet", {}, limits)


def test_keeps_the_limits(refused):
    content = stored(pa.table({"a": [None] * 5000, "b": list(range(5000))}))
    assert refused(read_table, [content], "parquet", {}, limits_of(max_rows=4999)).rule == "too_many_rows"
    assert refused(read_table, [content], "parquet", {}, limits_of(max_columns=1)).rule == "too_many_columns"
    table = stored(pa.table({"a": pa.array([None] * 10**6, pa.string())}))
    assert refused(read_table, [table], "parquet", {}, limits_of(max_bytes=10**5)).rule == "too_large"


def repeated(text: str, times: int) -> bytes:
    coded = pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([text]))
    return stored(pa.table({"a": coded}))


def test_a_long_value_repeated_many_times_stays_one_value(limits):
    table = read_table([repeated("x" * 90_000, 20_000)], "parquet", {}, limits)
    assert table.n == 20_000
    assert len(table.columns[0].values) == 1


def test_a_small_file_that_unfolds_beyond_the_limit_is_refused(limits, refused):
    bomb = repeated("x" * 90_000, 200_000)
    assert len(bomb) < 1 << 20
    assert refused(read_table, [bomb], "parquet", {}, limits).rule == "too_large"


def test_values_that_no_row_has_are_not_part_of_the_column(limits):
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.int32()), pa.array(["cnry", "x"]))
    column = read_table([stored(pa.table({"a": coded}))], "parquet", {}, limits).columns[0]
    assert list(column.values) == ["x"]
    assert list(column.codes) == [0, 0]


def test_refuses_a_table_without_rows_or_columns(limits, refused):
    assert refused(read_table, [stored(pa.table({"a": []}))], "parquet", {}, limits).rule == "no_records"
    assert refused(read_table, [stored(pa.table({"": [1]}))], "parquet", {}, limits).rule == "empty_column_name"
