"""Every refusal of a table states what is wrong, without a value of the file."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.verifier.conftest import released_parquet
from tests.verifier.refusing import cells_of
from verifier import Artifact
from verifier.readers.tables import read_table, scan_json
from verifier.verdict.verdict import Unreadable


def refusal_of_table(form: str, content: bytes) -> str:
    with pytest.raises(Unreadable) as refused:
        read_table(Artifact(form, "table", content))
    return str(refused.value)


# --- tables ----------------------------------------------------------------------------------------------------------

NOT_CSV = "not a csv file with rows of one length in UTF-8"
STRAY = "a quote inside a cell that is not quoted as a whole"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no header"),
        (b"\na\n", "no header"),
        (b'"a', "the header is not csv in UTF-8"),
        (b'"a"b,c\n1,2\n', "the header is not csv in UTF-8"),
        (b"\xff,b\n1,2\n", "the header is not csv in UTF-8"),
        (b'a,b\n1,"2\n', "a quoted cell does not end"),
        (b'a,b\nx"y",2\n', STRAY),
        (b'a,b\n"x"y,2\n', STRAY),
        (b'a,b\n1,x""\n', STRAY),
        (b'a,b\n1,"2"3', STRAY),
        (b'a,b\n"1" ,2\n', STRAY),
        (b'a,b\n"1""2"3,4\n', STRAY),
        (b'a,b\n1"",2\n', STRAY),
        (b"a,b\nx\ry,2\n", "a carriage return outside quotes"),
        (b"a,b\n1,2\r\n", "a carriage return outside quotes"),
        (b"a,b\n1,2\n\n3,4\n", "a blank line"),
        (b"a,b\n1,2\n\n", "a blank line"),
        (b"a,b\n1\n", NOT_CSV),
        (b"a,b\n1,2,3\n", NOT_CSV),
        (b"a,b\n" + b"1,2\n" * 5_000 + b"\xff,4\n", NOT_CSV),
    ],
)
def test_csv(content: bytes, why: str) -> None:
    assert refusal_of_table("csv", content) == why


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        (b'"a"\n"1"', [("t", "1")]),
        (b'a\n""""\n', [("t", '"')]),
        (b'a\n""""""\n', [("t", '""')]),
        (b'a\n"x""y"\n', [("t", 'x"y')]),
        (b'a\n"1"\n"2"\n', [("t", "1"), ("t", "2")]),
        (b'a\n"x\r\ny"\n', [("t", "x\r\ny")]),
        (b'a\n"\n\nx"\n', [("t", "\n\nx")]),
        (b'a\n"x\n\n"\n', [("t", "x\n\n")]),
    ],
)
def test_csv_quotes_that_stand_where_they_may(content: bytes, cells: list[tuple[str, str]]) -> None:
    (column,) = read_table(Artifact("csv", "table", content)).columns
    assert cells_of(column) == cells


def test_a_csv_header_keeps_its_line_ends() -> None:
    assert read_table(Artifact("csv", "table", b'"a\r\nb",c\n1,2\n')).names == ("a\r\nb", "c")


def test_line_ends_in_cells_are_read_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.readers.tables._BLOCK", 64)
    content = b"a,b\n" + b"".join(b'"x\n\ny",%d\n' % number for number in range(200))
    first, second = read_table(Artifact("csv", "table", content)).columns
    assert cells_of(first) == [("t", "x\n\ny")] * 200
    assert cells_of(second) == [("t", str(number)) for number in range(200)]


def test_blank_lines_inside_quotes_are_no_blank_lines() -> None:
    for cell in ("\n\nx", "x\n\n", "\n\n\n"):
        first, second = read_table(Artifact("csv", "table", f'a,b\n"{cell}","{cell}"\n'.encode())).columns
        assert cells_of(first) == cells_of(second) == [("t", cell)]


def test_a_csv_header_may_begin_with_an_empty_name() -> None:
    assert read_table(Artifact("csv", "table", b',"b"\n1,2\n')).names == ("", "b")


TEXTS = pa.table({"a": ["x", "y"]})
NOT_TEXT = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
"""A column of texts whose only cell is not UTF-8."""


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a parquet file"),
        (b"PAR1PAR1", "not a parquet file"),
        (released_parquet(TEXTS)[:-9], "not a parquet file"),
        (released_parquet(pa.table({"a": NOT_TEXT})), "not a parquet file"),
        (
            released_parquet(TEXTS.replace_schema_metadata({"pandas": "{}"}), store_schema=True),
            "metadata beside the columns",
        ),
        (
            released_parquet(
                pa.table([pa.array(["x"])], pa.schema([pa.field("a", pa.string(), metadata={"note": "Ana"})])),
                store_schema=True,
            ),
            "metadata beside the columns",
        ),
        (
            released_parquet(pa.table({"a": pa.array([0], pa.timestamp("ms"))})),
            "a column that is neither text nor number",
        ),
        (released_parquet(pa.table({"a": [["x"]]})), "columns that are nested, or metadata beside them"),
        (released_parquet(pa.table({"a": [b"x"]})), "a column that is neither text nor number"),
        (
            released_parquet(
                pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array(["x", "y"]))})
            ),
            "a dictionary with values that no row shows",
        ),
    ],
)
def test_parquet(content: bytes, why: str) -> None:
    assert refusal_of_table("parquet", content) == why


@pytest.mark.parametrize(
    ("array", "cells"),
    [
        (pa.array(["x", None], pa.large_string()), [("t", "x"), ("-", "")]),
        (pa.array([-1, None], pa.int64()), [("i", "-1"), ("-", "")]),
        (pa.array([0.5, 1e300], pa.float64()), [("f", "0.5"), ("f", "1e+300")]),
    ],
)
def test_parquet_columns_of_every_plain_type(array: pa.Array, cells: list[tuple[str, str]]) -> None:
    table = read_table(Artifact("parquet", "table", released_parquet(pa.table({"a": array}))))
    assert cells_of(table.columns[0]) == cells
    assert table.rows == 2


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 2], pa.uint64()),
        pa.array([-1, None], pa.int8()),
        pa.array([0.5, 1.5], pa.float32()),
        pa.array([True, False]),
        pa.nulls(2),
    ],
)
def test_parquet_columns_of_types_that_releases_do_not_have(array: pa.Array) -> None:
    content = released_parquet(pa.table({"a": array}))
    assert refusal_of_table("parquet", content) == "a column that is neither text nor number"


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_parquet_numbers_that_are_none(number: float) -> None:
    assert refusal_of_table("parquet", released_parquet(pa.table({"a": [0.5, number]}))) == "a number that overflows"


def without_rows(schema: pa.Schema) -> bytes:
    target = io.BytesIO()
    pq.ParquetWriter(target, schema, store_schema=False).close()
    author = f"parquet-cpp-arrow version {pa.__version__}".encode()
    return target.getvalue().replace(author, b"antifaz version 1".ljust(len(author)))


def test_a_parquet_file_without_rows_is_read_as_one() -> None:
    table = read_table(Artifact("parquet", "table", without_rows(pa.schema({"a": pa.string(), "b": pa.int64()}))))
    assert (table.names, table.rows) == (("a", "b"), 0)
    assert [column.codes.tolist() for column in table.columns] == [[], []]


def test_a_parquet_file_without_columns_has_no_rows() -> None:
    table = read_table(Artifact("parquet", "table", without_rows(pa.schema({}))))
    assert (table.names, table.rows) == ((), 0)


def test_the_number_of_a_parquet_field_is_metadata() -> None:
    numbered = pa.schema([pa.field("a", pa.string(), metadata={"PARQUET:field_id": "7"})])
    content = released_parquet(pa.table([pa.array(["x"])], numbered))
    assert refusal_of_table("parquet", content) == "a column that is neither text nor number"


def test_a_csv_cell_may_be_long() -> None:
    content = b"a,b\n" + b"".join(b"%s,%d\n" % (b"x" * 5_000, number) for number in range(20))
    table = read_table(Artifact("csv", "table", content))
    assert cells_of(table.columns[0]) == [("t", "x" * 5_000)] * 20


def test_a_csv_file_without_rows_is_read_as_one() -> None:
    table = read_table(Artifact("csv", "table", b"a,b\n"))
    assert (table.names, table.rows, [column.codes.tolist() for column in table.columns]) == (("a", "b"), 0, [[], []])


FLAT, ALIKE = (
    "a line that is not a flat object",
    "a line that is not a flat object with the keys of the first line",
)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff", "not UTF-8"),
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"a": 1} x\n', "not JSON"),
        (b'{"a": ' + b"[" * 100_000, "not JSON"),
        (b"[1]\n", FLAT),
        (b'[{"a": 1}]\n', FLAT),
        (b'"a"\n', FLAT),
        (b"{}\n", FLAT),
        (b'{"a": [1]}\n', FLAT),
        (b'{"a": {"b": 1}}\n', ALIKE),
        (b'{"a": 1, "a": 2}\n', "a repeated key"),
        (b'{"a": NaN}\n', "a number that JSON does not have"),
        (b'{"a": -Infinity}\n', "a number that JSON does not have"),
        (b'{"a": 1}\n{"b": 1}\n', ALIKE),
        (b'{"a": 1}\n\n', ALIKE),
        (b'{"a": 1}\n{"a": 1, "b": 2}\n', ALIKE),
        (b'{"a": 1}\n{"a": 01}\n', "not JSON"),
    ],
)
def test_jsonl(content: bytes, why: str) -> None:
    assert refusal_of_table("jsonl", content) == why


def test_jsonl_spaces_are_those_of_the_first_line_or_others() -> None:
    (column,) = read_table(Artifact("jsonl", "table", b'{"a":1}\n{ "a" : 2 }\n{"a": "\\"x\\""}')).columns
    assert cells_of(column) == [("i", "1"), ("i", "2"), ("t", '"x"')]


def test_a_format_that_is_not_one_of_tables() -> None:
    assert refusal_of_table("graphml", b"") == "not a format of tables"


def test_json_that_goes_on_after_its_value() -> None:
    with pytest.raises(Unreadable, match=r"^not JSON$"):
        scan_json("{} {}")
