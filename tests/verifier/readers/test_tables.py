"""Readers of tables: what they read, and everything they refuse to guess."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.conftest import released_parquet
from verifier import Artifact
from verifier.readers.cells import Cells, kind_and_text
from verifier.readers.tables import read_table, scan_json
from verifier.verdict.verdict import Unreadable


def read(form: str, content: bytes) -> Cells:
    return read_table(Artifact(form, "table", content))


def rows(cells: Cells) -> list[tuple[tuple[str, str], ...]]:
    columns = [[(column.kinds[code], column.texts[code]) for code in column.codes] for column in cells.columns]
    return list(zip(*columns, strict=True))


def test_csv_cells_are_exact_texts() -> None:
    cells = read("csv", b'a,"b ""x"""\nNA,\n"",null\n" 1","l\nm, ""n"""\n')
    assert cells.names == ("a", 'b "x"')
    assert rows(cells) == [
        (("t", "NA"), ("t", "")),
        (("t", ""), ("t", "null")),
        (("t", " 1"), ("t", 'l\nm, "n"')),
    ]


def test_csv_may_lack_the_last_line_end_and_have_one_empty_column() -> None:
    assert rows(read("csv", b"a,b\n1,2")) == [(("t", "1"), ("t", "2"))]
    assert rows(read("csv", b'a\n1\n\n""\n')) == [(("t", "1"),), (("t", ""),), (("t", ""),)]


def test_a_quoted_blank_line_is_part_of_a_cell() -> None:
    assert rows(read("csv", b'a,b\n"x\n\ny",2\n')) == [(("t", "x\n\ny"), ("t", "2"))]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"a,b\n1,2,3\n",
        b"a,b\n1\n",
        b"a,b\n1,2\n\n3,4\n",
        b"a,b\n1,2\n\n",
        b"\na,b\n1,2\n",
        b"a,b\r\n1,2\r\n",
        b"a,b\nx\ry,2\n",
        b'a,b\nx"y,2\n',
        b'a,b\n"x"y,2\n',
        b'a,b\nx "y",2\n',
        b'a,b\n1,"2\n',
        b'a,b\n1,"2""\n',
        b"a,b\n\xff,2\n",
        b"\xff,b\n1,2\n",
    ],
)
def test_csv_that_readers_would_guess_about_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        read("csv", content)


def test_csv_blocks_share_one_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.readers.tables._BLOCK", 64)
    content = b"a,b\n" + b"".join(b"%d,x%d\n" % (number % 7, number % 5) for number in range(500))
    cells = read("csv", content)
    assert sorted(cells.columns[0].texts) == [str(number) for number in range(7)]
    assert rows(cells)[499] == (("t", str(499 % 7)), ("t", f"x{499 % 5}"))


def test_any_bytes_like_content_is_read() -> None:
    for content in (b"a\n1\n", bytearray(b"a\n1\n"), memoryview(b"a\n1\n")):
        assert rows(read_table(Artifact("csv", "table", content))) == [(("t", "1"),)]
    for content in (b'{"a": 1}', bytearray(b'{"a": 1}'), memoryview(b'{"a": 1}')):
        assert rows(read_table(Artifact("jsonl", "table", content))) == [(("i", "1"),)]


def test_parquet_keeps_kinds_apart() -> None:
    table = pa.table({"text": ["1", "", None], "whole": pa.array([1, -2, None], pa.int64()), "part": [1.0, 0.1, None]})
    assert rows(read("parquet", released_parquet(table))) == [
        (("t", "1"), ("i", "1"), ("f", "1.0")),
        (("t", ""), ("i", "-2"), ("f", "0.1")),
        (("-", ""), ("-", ""), ("-", "")),
    ]


def test_parquet_row_groups_share_one_dictionary() -> None:
    table = pa.table({"a": ["x", "y", "y", "z", "x", "z"], "n": [1, 2, 3, 1, 2, 3]})
    content = released_parquet(table, row_group_size=2)
    assert [row[0][1] for row in rows(read("parquet", content))] == ["x", "y", "y", "z", "x", "z"]
    assert [row[1][1] for row in rows(read("parquet", content))] == ["1", "2", "3", "1", "2", "3"]


def test_parquet_labels_that_no_row_shows_are_refused() -> None:
    labels = pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int32()), pa.array(["x", "suppressed"]))
    with pytest.raises(Unreadable, match="no row shows"):
        read("parquet", released_parquet(pa.table({"a": labels})))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        released_parquet(pa.table({"a": ["x"]}))[:-9],
        released_parquet(pa.table({"a": ["x"]})).replace(b"PAR1", b"PAR2"),
        released_parquet(pa.table({"a": ["x"]}).replace_schema_metadata({"pandas": "{}"}), store_schema=True),
        released_parquet(pa.table({"a": [["x"]]})),
        released_parquet(pa.table({"a": pa.array([0], pa.timestamp("ms"))})),
    ],
)
def test_parquet_that_is_broken_or_carries_more_than_plain_columns_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        read("parquet", content)


def test_jsonl_cells_keep_their_kind_and_numbers_their_spelling() -> None:
    content = '{"a": 1, "b": "x\\u00e9\\n"}\n{"a": 1.50,"b":null}\n{"a": "1", "b": true}\n{"a": -2e3, "b": "xé\\n"}\n'
    cells = read("jsonl", content.encode())
    assert cells.names == ("a", "b")
    assert rows(cells) == [
        (("i", "1"), ("t", "xé\n")),
        (("f", "1.50"), ("-", "")),
        (("t", "1"), ("b", "true")),
        (("f", "-2e3"), ("t", "xé\n")),
    ]
    assert len(cells.columns[1].texts) == 3


def test_jsonl_blocks_share_one_list_of_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.readers.tables._LINES", 20)
    content = "".join(f'{{"a": {number % 4}}}\n' for number in range(11)).encode()
    assert [row[0][1] for row in rows(read("jsonl", content))] == [str(number % 4) for number in range(11)]


SCALARS = st.one_of(
    st.text(st.sampled_from('\\",:{}é\n\x1f '), max_size=9).map(json.dumps),
    st.text(st.sampled_from('\\",é '), max_size=9).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(["1", "-0.50", "2E3", "true", "null"]),
    st.sampled_from(["01", "NaN", "[1]", "tru", '"\\q"', '"x', 'x"', "1, 2", '1, "b": 2', "", '"\t"', "1}"]),
)


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.lists(st.tuples(SCALARS, SCALARS), min_size=1, max_size=6), st.sampled_from([1, 40, 1 << 20]))
def test_jsonl_is_read_as_line_after_line_would_be(cells: list[tuple[str, str]], block: int) -> None:
    """Against the standard library on each line by itself: what it refuses is refused, what it reads is read."""
    lines = [f'{{"a": {first}, "b":{second} }}' for first, second in cells]
    try:
        pairs = [scan_json(line) for line in lines]
        flat = all([key for key, _ in line] == ["a", "b"] and not _nested(line) for line in pairs)
    except Unreadable:
        flat = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verifier.readers.tables._LINES", block)
        if flat:
            wanted = [tuple(kind_and_text(cell) for _, cell in line) for line in pairs]
            assert rows(read("jsonl", "\n".join(lines).encode())) == wanted
        else:
            with pytest.raises(Unreadable):
                read("jsonl", "\n".join(lines).encode())


def _nested(pairs: list[tuple[str, Any]]) -> bool:
    return any(isinstance(cell, list) for _, cell in pairs)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"[1]\n",
        b"{}\n",
        b'{"a": 1}\n\n{"a": 2}\n',
        b'{"a": 1}\n{"b": 2}\n',
        b'{"a": 1, "b": 2}\n{"b": 2, "a": 1}\n',
        b'{"a": 1}\n{"a": 1, "b": 2}\n',
        b'{"a": 1, "a": 2}\n',
        b'{"a": 1} {"a": 2}\n',
        b'{"a": 1},{"a": 2}\n',
        b'{"a": 1}\r\n',
        b'{"a": [1]}\n',
        b'{"a": {"b": 1}}\n',
        b'{"a": 1}\n{"a": [1]}\n',
        b'{"a": NaN}\n',
        b'{"a": 1}\n{"a": NaN}\n',
        b'{"a": 1}\n{"a": 01}\n',
        b'{"a": 1}\n{"a": 1-1}\n',
        b'{"a": "x\ty"}\n',
        b'{"a": "x"}\n{"a": "x\ty"}\n',
        b'{"a": "x"}\n{"a": "\\q"}\n',
        b'{"a": 1\x1f"b": 2}\n',
        b'{"a": 1, "b": 2}\n{"a": 1\x1f"b": 2}\n',
        b'{"a": "x\x1fy"}\n',
        b'{"a": 1}\n{"a": 1\r}\n',
        b'{"a": 1}\n{"a": 1}\r{"a": 1}\n',
        b'\xef\xbb\xbf{"a": 1}\n',
        b'{"a": "x"}\n{"a": "\xff"}\n',
        b'{"a": "x"}\n{"a": "\xed\xa0\x80"}\n',
        b'{"a": "\xff"}\n',
        b'{"a": ' + b"[" * 100_000 + b"\n",
    ],
)
def test_jsonl_that_is_not_one_flat_object_per_line_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        read("jsonl", content)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(Unreadable):
        read("xlsx", b"a\n1\n")


def test_a_json_value_must_be_the_whole_text() -> None:
    assert scan_json('[1, "1"]') == [("i", "1"), "1"]
    with pytest.raises(Unreadable):
        scan_json("1 2")


@pytest.mark.parametrize("name", ["=x", "+x", "-5", "@x", "\tx", "\nx", "＝x", "＠x"])
def test_a_csv_header_that_a_spreadsheet_would_run_is_not_read(name: str) -> None:
    quoted = '"' + name + '"'
    with pytest.raises(Unreadable, match="would run"):
        read_table(Artifact("csv", "table", f"{quoted},b\n1,2\n".encode()))
    assert read_table(Artifact("csv", "table", f'"\'{name}",b\n1,2\n'.encode())).names == (name, "b")
    assert read_table(Artifact("csv", "table", f"\"''{name}\",b\n1,2\n".encode())).names == (f"'{name}", "b")
