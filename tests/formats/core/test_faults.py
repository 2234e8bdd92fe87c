"""Faults: the upload and the workers refuse the same file with the same message, which never quotes the file."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from formats.core.faults import Fault
from formats.core.limits import Limits
from formats.reading import read_graph, read_table
from formats.sniffing import sniff
from tests.formats.limits import limits_of

LIMITS = limits_of(max_cell_bytes=50, max_columns=4, max_rows=1000)
DEEP = "[" * 40 + "]" * 40


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def of_upload(format_: str, kind: str, content: bytes, encoding: str | None, limits: Limits) -> Fault:
    stated = {"format": format_} | ({} if encoding is None else {"encoding": encoding})
    with pytest.raises(Fault) as caught:
        sniff(kind, stated, None, content, True, limits)
    return caught.value


def of_worker(format_: str, kind: str, content: bytes, encoding: str | None, limits: Limits) -> Fault:
    details = {"encoding": encoding, "delimiter": ","}
    rest = (limits,) if kind == "table" else (None, False, limits)
    with pytest.raises(Fault) as caught:
        (read_table if kind == "table" else read_graph)([content], format_, details, *rest)
    return caught.value


CASES: list[tuple[str, str, bytes | str, str | None, str, str]] = [
    ("csv", "table", "a,b\n1,2\ncnry\n", None, "ragged_row", "row 2 has 1 cell; the header has 2"),
    ("csv", "table", "a,b\n1,2\n1,2\n1,cnry,3\n", None, "ragged_row", "row 3 has 3 cells; the header has 2"),
    ("csv", "table", "a,b\n", None, "no_records", "the file has no records"),
    ("csv", "table", "a,cnry,cnry\n1,2,3\n", None, "duplicate_column", "columns 2 and 3 have the same name"),
    ("csv", "table", "cnry,,c\n1,2,3\n", None, "empty_column_name",
     "column 2 has no name, but 1 row has a value there"),
    ("csv", "table", "a,b,c,d,cnry\n1,2,3,4,5\n", None, "too_many_columns", "the file has more than 4 columns"),
    ("csv", "table", "a,b\n1," + "cnry" * 20 + "\n", None, "cell_too_long", "a cell is longer than 50 bytes"),
    ("jsonl", "table", '{"a": 1}\n{"cnry": 1}\n', None, "different_keys",
     "row 2 does not have the same members as the first row"),
    ("jsonl", "table", '{"a": 1}\n{"a": ["cnry"]}\n', None, "nested_value", "row 2 has a list or an object as a value"),
    ("jsonl", "table", '{"a": 1}\n["cnry"]\n', None, "malformed_json", "row 2 is not a JSON object"),
    ("jsonl", "table", '{"a": 1}\n{"a": NaN}\n', None, "not_a_number", "row 2: NaN and Infinity are not JSON"),
    ("jsonl", "table", '{"a": 1}\n{"a": 1, "a": "cnry"}\n', None, "duplicate_key",
     "row 2: an object has two members of the same name"),
    ("jsonl", "table", '{"a": 1}\n{"a": "\\ud800"}\n', None, "surrogate",
     "row 2: a text has half of a surrogate pair"),
    ("jsonl", "table", "{}\n{}\n", None, "no_columns", "the file has no columns"),
    ("parquet", "table", b"PAR1cnry", None, "unreadable", "the file is not parquet, or it is damaged or incomplete"),
    ("parquet", "table", parquet(a=pa.array([], pa.string())), None, "no_records", "the file has no records"),
    ("edgelist", "graph", "a,b\nc,d\ncnry\n", None, "ragged_row", "row 3 has 1 cell; an edge has 2"),
    ("edgelist", "graph", "a,b\ncnry,c,d\n", None, "ragged_row", "row 2 has 3 cells; the first has 2"),
    ("edgelist", "graph", "a,b\ncnry,\n", None, "empty_id", "edge 2 has no source or no target"),
    ("edgelist", "graph", 'a,b\n1,"cnry\n', None, "quoting", "row 2 has a quote that does not end"),
    ("edgelist", "graph", "# cnry\n", None, "no_records", "the file has no edges"),
    ("graphml", "graph", '<!DOCTYPE cnry><graphml/>', None, "dtd", "the file has a document type declaration"),
    ("graphml", "graph", "<graphml><cnry></graphml>", None, "malformed_xml", "the file is not well-formed XML"),
    ("graphml", "graph", "<cnry/>", None, "malformed_xml", "the outermost element is not graphml"),
    ("gexf", "graph", "<cnry/>", None, "malformed_xml", "the outermost element is not gexf"),
    ("gexf", "graph", "<gexf>" + "<cnry>" * 70, None, "xml_depth", "elements are nested more than 64 deep"),
    ("gml", "graph", "cnry", None, "malformed_gml", "the file is not GML"),
    ("gml", "graph", "graph [ ]", None, "no_records", "the file has no nodes"),
    ("pajek", "graph", "cnry", None, "malformed_pajek", "the file does not begin with its vertices"),
    ("node-link", "graph", '["cnry"]', None, "malformed_json", "the file is not a JSON object"),
    ("node-link", "graph", '{"nodes": "cnry", "edges": []}', None, "malformed_json",
     "the file does not have a list of nodes and a list of edges"),
    ("node-link", "graph", '{"nodes": [{"id": 1}, "cnry"], "edges": []}', None, "malformed_json",
     "node 2 is not an object with an id"),
    ("node-link", "graph", '{"nodes": ' + DEEP + "}", None, "json_depth",
     "the file is nested more than 32 levels deep"),
]  # fmt: skip


@pytest.mark.parametrize(("format_", "kind", "content", "encoding", "rule", "detail"), CASES)
def test_the_upload_and_the_worker_say_the_same(format_, kind, content, encoding, rule, detail):
    raw = content if isinstance(content, bytes) else content.encode()
    upload = of_upload(format_, kind, raw, encoding, LIMITS)
    worker = of_worker(format_, kind, raw, encoding, LIMITS)
    assert (upload.rule, upload.detail, upload.row) == (rule, detail, worker.row)
    assert (worker.rule, worker.detail) == (rule, detail)
    assert "cnry" not in detail


def test_a_line_in_another_encoding_is_named_with_the_encoding():
    content = "a,b\n1,2\n3,€\n".encode("cp1252")
    upload = of_upload("csv", "table", content, "utf-8", LIMITS)
    assert upload.detail == "line 3 is not valid UTF-8, the encoding of the file"
    assert of_worker("csv", "table", content, "utf-8", LIMITS).detail == upload.detail
    assert of_worker("csv", "table", b"a,b\n1,\x81\n", "cp1252", LIMITS).detail == (
        "line 2 is not valid CP1252, the encoding of the file"
    )


def test_a_cell_with_a_nul_character_is_named_by_its_place():
    assert of_upload("csv", "table", b"a,b\n1,2\n3,\0\n", None, LIMITS).detail == "line 3 has a NUL character"
    worker = of_worker("csv", "table", b"a,b\n1,2\n3,\0\n", None, LIMITS)
    assert (worker.detail, worker.column, worker.row) == ("row 2 has a NUL character", "b", 2)
