import csv
import io
import json
import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import verifier
from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.reading import read_table
from formats.writing import render_nodes, render_table
from tests.formats.limits import limits_of
from verifier.readers import tables

FORMATS = ["csv", "parquet", "jsonl"]


def column(
    name: str, cells: list[str], type_: ValueType = ValueType.TEXT, extra: list[str] | None = None
) -> ReleasedColumn:
    labels = sorted(set(cells)) + (extra or [])
    codes = np.array([labels.index(cell) for cell in cells], np.int32)
    return ReleasedColumn(name, name, Role.INSENSITIVE, type_, codes, np.array(labels, object))


def rendered(columns: list[ReleasedColumn], format_: str) -> bytes:
    return b"".join(render_table(columns, format_))


def test_csv_is_plain_and_quotes_only_where_needed():
    columns = [
        column("a,b", ["x", 'say "hi"', "[1, 2]", "*"]),
        column("n", ["-5", "3", "", "1.5"], ValueType.DECIMAL),
        column("é", ["ñ\nm", " ", "", "\r"]),
    ]
    expected = '"a,b",n,é\nx,-5,"ñ\nm"\n"say ""hi""",3, \n"[1, 2]",,\n*,1.5,"\'\r"\n'
    assert rendered(columns, "csv").decode() == expected


@pytest.mark.parametrize(
    "text", ["=HYPERLINK(1)", "+1", "-cmd", "@x", "\tx", "\rx", "\n=x", "-5", "＝x", "＋1", "－1", "＠x"]
)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe_in_csv_only(text):
    columns = [column("a", [text, "plain"])]
    rows = list(csv.reader(io.StringIO(rendered(columns, "csv").decode(), newline="")))
    assert rows == [["a"], ["'" + text], ["plain"]]
    assert json.loads(rendered(columns, "jsonl").split(b"\n")[0]) == {"a": text}
    assert pq.read_table(io.BytesIO(rendered(columns, "parquet")))["a"].to_pylist() == [text, "plain"]


@pytest.mark.parametrize("name", ["=1+1", "-5", "\n=1", "＝x", "'=x", "''＠x", "a", "'a", "a=b", "é"])
def test_a_header_that_a_spreadsheet_would_run_gets_an_apostrophe_in_csv_only_and_the_verifier_reads_it(name):
    columns = [column(name, ["x", "y"]), column("other", ["1", "2"])]
    content = rendered(columns, "csv")
    header = next(csv.reader(io.StringIO(content.decode(), newline="")))[0]
    marked = name.lstrip("'").startswith(("=", "-", "\n", "＝", "＠"))
    assert header == (f"'{name}" if marked else name)
    assert json.loads(rendered(columns, "jsonl").split(b"\n")[0])[name] == "x"
    assert pq.read_schema(io.BytesIO(rendered(columns, "parquet"))).names == [name, "other"]
    for format_ in FORMATS:
        read = tables.read_table(verifier.Artifact(format_, "table", rendered(columns, format_)))
        assert (read.names, read.rows) == ((name, "other"), 2)


def test_numbers_are_never_marked_in_a_column_of_numbers_but_other_labels_are():
    assert rendered([column("a", ["-5", "+3", "-1.5e3"], ValueType.DECIMAL)], "csv") == b"a\n-5\n+3\n-1.5e3\n"
    assert rendered([column("a", ["-**"], ValueType.INTEGER)], "csv") == b"a\n'-**\n"


def test_a_missing_cell_alone_in_its_row_is_no_blank_line():
    assert rendered([column("a", ["", "x"])], "csv") == b'a\n""\nx\n'


def test_typed_formats_hold_numbers_and_nulls():
    columns = [
        column("i", ["1", "", "-3"], ValueType.INTEGER),
        column("d", ["1.5", "2", ""], ValueType.DECIMAL),
        column("r", ["[1, 2]", "3", "*"], ValueType.INTEGER),
        column("t", ["7", "", "ñ"]),
    ]
    table = pq.read_table(io.BytesIO(rendered(columns, "parquet")))
    assert table.schema.types == [pa.int64(), pa.float64(), pa.string(), pa.string()]
    assert table.to_pydict() == {
        "i": [1, None, -3],
        "d": [1.5, 2.0, None],
        "r": ["[1, 2]", "3", "*"],
        "t": ["7", None, "ñ"],
    }
    lines = rendered(columns, "jsonl").decode().splitlines()
    assert lines[0] == '{"i": 1, "d": 1.5, "r": "[1, 2]", "t": "7"}'
    assert lines[1] == '{"i": null, "d": 2, "r": "3", "t": null}'


def test_parquet_holds_nothing_but_its_rows():
    codes = np.array([0, 0, 2], np.int32)
    labels = np.array(["kept", "cnry_0123456789", "also"], object)
    columns = [ReleasedColumn("c", "c", Role.SENSITIVE, ValueType.TEXT, codes, labels, "meaning")]
    for format_ in FORMATS:
        assert b"cnry" not in rendered(columns, format_)
    content = rendered(columns, "parquet")
    file = pq.ParquetFile(io.BytesIO(content))
    assert file.metadata.metadata is None
    assert file.metadata.created_by.strip() == "antifaz version 1"
    assert not file.metadata.row_group(0).column(0).is_stats_set
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    for word in (b"pandas", b"ARROW:schema", b"parquet-cpp"):
        assert word not in content


def test_the_same_columns_give_the_same_bytes():
    columns = [column("a", ["x", "y"] * 50), column("n", ["1", "2"] * 50, ValueType.INTEGER)]
    for format_ in FORMATS:
        assert rendered(columns, format_) == rendered(columns, format_)


def test_long_tables_come_in_pieces():
    cells = [f"v{i % 1000}" for i in range(300_000)]
    codes = np.arange(300_000, dtype=np.int32) % 1000
    columns = [ReleasedColumn("a", "a", Role.INSENSITIVE, ValueType.TEXT, codes, np.array(cells[:1000], object))]
    for format_ in FORMATS:
        pieces = list(render_table(columns, format_))
        assert len(pieces) > 2
        table = read_table(iter(pieces), format_, {}, limits_of())
        assert list(table.columns[0].values[table.columns[0].codes]) == cells


def test_the_node_table_begins_with_the_node():
    columns = [column("city", ["Vic", "", "Reus"])]
    assert b"".join(render_nodes(3, columns, "csv")) == b"node,city\n0,Vic\n1,\n2,Reus\n"
    assert b"".join(render_nodes(2, [], "jsonl")) == b'{"node": 0}\n{"node": 1}\n'
    table = pq.read_table(io.BytesIO(b"".join(render_nodes(3, columns, "parquet"))))
    assert table.to_pydict() == {"node": [0, 1, 2], "city": ["Vic", None, "Reus"]}


CELLS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
    st.sampled_from(["*", "=1+1", "-5", "@a", '"', "a,b", "\n", "\r\n", "", " ", "'", "'=x", "[1, 2]", '["a", "b"]']),
).map(lambda text: unicodedata.normalize("NFC", text))
NUMBERS = st.one_of(st.integers(-(10**20), 10**20).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))
TABLES = st.integers(1, 6).flatmap(
    lambda rows: st.lists(
        st.one_of(
            st.tuples(st.just(ValueType.TEXT), st.lists(CELLS, min_size=rows, max_size=rows)),
            st.tuples(st.just(ValueType.DECIMAL), st.lists(NUMBERS, min_size=rows, max_size=rows)),
            st.tuples(st.just(ValueType.INTEGER), st.lists(CELLS, min_size=rows, max_size=rows)),
        ),
        min_size=1,
        max_size=4,
    )
)


def guarded(text: str, type_: ValueType) -> str:
    """What csv shows of a text: the rule of the contract, written down once more."""
    if not text.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")):
        return text
    number = re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", text, re.ASCII)
    return text if number and type_ is not ValueType.TEXT else f"'{text}"


@given(TABLES)
@effort(deadline=None, max_examples=2 * effort().max_examples)
def test_what_is_read_back_is_what_was_written(drawn):
    columns = [column(f"c{i}", cells, type_) for i, (type_, cells) in enumerate(drawn)]
    for format_ in FORMATS:
        table = read_table([rendered(columns, format_)], format_, {"encoding": "utf-8"}, limits_of())
        for (type_, cells), raw in zip(drawn, table.columns, strict=True):
            read = [str(text) for text in raw.values[raw.codes]]
            if format_ == "csv":
                assert read == [guarded(cell, type_) for cell in cells]
            elif read != cells:
                assert [float(text) for text in read if text] == [float(cell) for cell in cells if cell]


@given(TABLES)
@effort(deadline=None)
def test_the_verifier_reads_the_same_rows_in_every_format(drawn):
    columns = [column(f"c{i}", cells, type_) for i, (type_, cells) in enumerate(drawn)]
    policy = {"kind": "table", "attributes": {c.name: {"role": "insensitive"} for c in columns}, "guarantees": []}
    artifacts = [verifier.Artifact(format_, "table", rendered(columns, format_)) for format_ in FORMATS]
    assert verifier.verify(policy, artifacts).faults == ()
