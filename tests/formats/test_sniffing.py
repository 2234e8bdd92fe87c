"""Sniffing: what the start of an upload shows, and what is refused before it is stored."""

import io
import json
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.sniffing import sniff
from storage.settings import Settings
from tests.datasets import data_file, find_data
from tests.formats.sniffing_samples import LIMITS, look, problem

SNIFF_BYTES = Settings().sniff_bytes


# which format


@pytest.mark.parametrize(
    ("kind", "name", "content", "format_"),
    [
        ("table", "x.csv", b"a,b\n1,2\n", "csv"),
        ("table", "X.CSV.GZ", b"a,b\n1,2\n", "csv"),
        ("table", "x.tsv.zst", b"a\tb\n1\t2\n", "tsv"),
        ("table", "x.ndjson", b'{"a": 1}\n', "jsonl"),
        ("table", None, b'{"a": 1}\n', "jsonl"),
        ("table", "x.dat", b"a,b\n1,2\n", "csv"),
        ("table", "../../etc/x\0.csv", b"a,b\n1,2\n", "csv"),
        ("graph", "x.csv", b"a,b\n", "edgelist"),
        ("graph", "x.txt", b"# c\na b\n", "edgelist"),
        ("graph", None, b"*Vertices 2\n*Edges\n1 2\n", "pajek"),
        ("graph", None, b"Creator x\ngraph [ node [ id 1 ] ]", "gml"),
        ("graph", None, b"graph\n[\n  node [ id 1 ] ]", "gml"),
        ("graph", None, b'{"nodes": [{"id": 1}], "links": []}', "node-link"),
        ("graph", None, b"<graphml><graph/></graphml>", "graphml"),
        ("graph", "x.xml", b'<?xml version="1.0"?><gexf><graph><nodes/></graph></gexf>', "gexf"),
    ],
)
def test_finds_the_format_by_name_or_content(kind, name, content, format_):
    assert look(content, kind, name=name).format == format_


def test_a_stated_format_wins_and_must_be_one_of_the_kind():
    assert look(b"a\tb\n1\t2\n", name="x.csv", format="tsv").format == "tsv"
    error = problem(b"a,b\n1,2\n", format="graphml")
    assert (error.rule, error.pointer) == ("unknown_format", "/metadata/format")


# csv


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\nx y\tz, w\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;b",c\n"x;y",2\n', ","),
        ("only\n1\n2\n", ","),
        ("x;y\n[1, 2];3\n*;4\n", ";"),
    ],
)
def test_detects_the_delimiter(content, delimiter):
    assert look(content).details["delimiter"] == delimiter


@pytest.mark.parametrize(
    ("content", "decimal"),
    [
        ("a;b\n1,5;x\n2,25;y\n", ","),
        ("a;b\n1.5;x\n", "."),
        ("a;b\n1.234,5;x\n", ","),
        ("a,b\n1,5\n", "."),
        ("a;b\nx;y\n", "."),
    ],
)
def test_detects_the_decimal_mark(content, decimal):
    assert look(content).details["decimal"] == decimal
    assert look(content, decimal=",").details["decimal"] == ","


def test_detects_the_encoding():
    assert look("año,b\nñ,1\n").details["encoding"] == "utf-8"
    assert look(b"\xef\xbb\xbf" + "año,b\nñ,1\n".encode()).columns == ["año", "b"]
    latin = look("año,b\nñ,1\n".encode("latin-1"))
    assert (latin.columns, latin.details["encoding"]) == (["año", "b"], "cp1252")
    assert look("a,b\n€,1\n".encode("cp1252")).details["encoding"] == "cp1252"
    assert look("año,b\n1,2\n".encode("latin-1"), encoding="ISO-8859-1").columns == ["año", "b"]
    assert look(b"a,b\n1,2\n3", complete=False).details["encoding"] == "auto"


def test_a_beginning_may_end_within_a_letter_a_cell_or_quotes():
    content = 'a,b\n1,2\n"x\ny",ñ'.encode()
    for end in range(9, len(content)):
        assert look(content[:end], complete=False).columns == ["a", "b"]


def test_names_are_in_normal_form():
    assert look("cafe\u0301,b\nx,y\n").columns == ["caf\u00e9", "b"]


def test_a_stated_delimiter_is_used():
    assert look("a:b,c\n1:2,3\n", delimiter=":").columns == ["a", "b,c"]


@pytest.mark.parametrize(
    ("content", "rule", "row"),
    [
        ("", "empty_file", None),
        (" \n\r\n", "empty_file", None),
        (b"\xef\xbb\xbf", "empty_file", None),
        ("a,b\n", "no_records", None),
        ("1,2,3\n4,5,6\n", "no_header", None),
        ("39, cnry-gov, 77516\n50, cnry-inc, 83311\n", "no_header", None),
        ("cnry,Male,2020-01-02\nx,Female,2020-01-03\n", "no_header", None),
        ("cnry,Male,flu\nx,Male,flu\ny,Female,flu\n", "no_header", None),
        ("a,cnry,cnry\n1,2,3\n", "duplicate_column", None),
        ("e\u0301,\u00e9\nx,y\n", "duplicate_column", None),
        ("a,,c\n1,2,3\n", "empty_column_name", None),
        ("a, \nx,y\n", "empty_column_name", None),
        ("a,b\n1,2\n3\n", "ragged_row", 2),
        ("a,b\n1,2\n3,4,cnry\n", "ragged_row", 2),
        ("a,b\n1,2\n\n3,4\ncnry\n", "ragged_row", 3),
        (b"a,b\n1,2\n3,\x00\n", "nul_bytes", None),
        ('a,b\n1,"cnry\n', "quoting", 1),
        ('a,b\n1,"cnry"x\n', "quoting", 1),
        ("a,b\n1," + "x" * 100_001 + "\n", "cell_too_long", 1),
        ("a,b\n1," + "x" * 200_001 + "\n", "cell_too_long", 1),
        (",".join(f"c{i}" for i in range(2001)) + "\n", "too_many_columns", None),
        ("a,b\n1,2\n".encode("utf-32"), "encoding", None),
        ("a,b\n1,2\n".encode("utf-16-le"), "nul_bytes", None),
    ],
)
def test_refuses_a_table_at_once(content, rule, row):
    error = problem(content)
    assert error.rule == rule
    assert error.row == row


@pytest.mark.parametrize(
    ("content", "metadata", "rule", "pointer"),
    [
        ("año,b\nx,y\n".encode("latin-1"), {"encoding": "utf-8"}, "encoding", None),
        ("año,b\nx,y\n".encode(), {"encoding": "ascii"}, "encoding", None),
        (b"a,b\nx,y\n", {"encoding": "cnry"}, "encoding", "/metadata/encoding"),
        (b"a,b\nx,y\n", {"encoding": "rot13"}, "encoding", "/metadata/encoding"),
        (b"a,b\nx,y\n", {"encoding": "utf-32"}, "encoding", "/metadata/encoding"),
        (b"a,b\nx,y\n", {"delimiter": '"'}, "delimiter", "/metadata/delimiter"),
    ],
)
def test_refuses_what_contradicts_the_metadata(content, metadata, rule, pointer):
    error = problem(content, **metadata)
    assert (error.rule, error.pointer) == (rule, pointer)


def test_a_header_may_hold_any_words():
    assert look("sex;age;salary-class\nMale;39;<=50K\n").columns == ["sex", "age", "salary-class"]
    assert look("id,PAY_0,2nd visit\n1,2,3\n").columns == ["id", "PAY_0", "2nd visit"]
    assert look("name\nAna\nname\n").columns == ["name"]


# jsonl


def test_columns_of_json_lines_are_the_members_of_the_first():
    assert look(b'{"a": 1, "b": null}\n{"b": "x", "a": 2.5}\n', name="x.jsonl").columns == ["a", "b"]
    assert look(b'{"a": 1}\n{"a": ', name="x.jsonl", complete=False).columns == ["a"]


@pytest.mark.parametrize(
    ("content", "rule", "row"),
    [
        (b'{"a": 1}\n{"b": "cnry"}\n', "different_keys", 2),
        (b'{"a": 1}\n{"a": 1, "cnry": 1}\n', "different_keys", 2),
        (b'{"a": 1, "a": "cnry"}\n', "duplicate_key", 1),
        (b'{"a": NaN}\n', "not_a_number", 1),
        (b'{"a": ["cnry"]}\n', "nested_value", 1),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "json_depth", 1),
        (b'["cnry"]\n', "malformed_json", 1),
        (b'{"a": cnry}\n', "malformed_json", 1),
        (b'{"": 1}\n', "empty_column_name", None),
        (b"{}\n", "no_columns", None),
        (b'{"a": "\xff"}\n', "encoding", 1),
        (b'{"a": "' + b"x" * 100_001 + b'"}', "cell_too_long", 1),
    ],
)
def test_refuses_json_lines_at_once(content, rule, row):
    error = problem(content, format="jsonl")
    assert (error.rule, error.row) == (rule, row)


# parquet


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_columns_of_a_whole_parquet_file_are_known():
    content = parquet(pa.table({"a": [1], "b": ["x"]}))
    assert look(content).format == "parquet"
    assert look(content).columns == ["a", "b"]
    assert look(content[:60], complete=False).columns is None


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"PAR1cnry", "unreadable"),
        (b"cnry", "unreadable"),
        (b"PAR1" + b"\0" * 100 + (2**31 - 1).to_bytes(4, "little") + b"PAR1", "unreadable"),
        (b"PAR1" + b"\xff" * 100 + (50).to_bytes(4, "little") + b"PAR1", "unreadable"),
        (parquet(pa.table({"a": [[1]]})), "unsupported_type"),
        (parquet(pa.table({"a": [{"cnry": 1}]})), "unsupported_type"),
        (parquet(pa.table({"a": []})), "no_records"),
        (parquet(pa.table({"": [1]})), "empty_column_name"),
    ],
)
def test_refuses_parquet_at_once(content, rule):
    assert problem(content, format="parquet").rule == rule


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b'{"nodes": "' + b'\\"' * 500_000, {"kind": "graph", "format": "node-link"}),
        (b"1" + b" " * 99_000 + b"x,b\nc,d\n", {}),
        (b"1" + b" " * 99_000 + b"x,b\nc,d\n", {"kind": "graph", "format": "edgelist"}),
        (b"a,b\n" + b'"' + b"\n" * 900_000, {}),
        (b"%\n" * 300_000, {"kind": "graph", "format": "pajek"}),
        (b"graph " * 100_000, {"kind": "graph", "format": "gml"}),
    ],
)
@pytest.mark.timeout(20)
def test_no_text_makes_the_look_slow(content, options):
    """Each of these takes hours if a pattern backtracks."""
    with suppress(Fault):
        assert look(content, complete=False, **options).format


@given(
    st.sampled_from(["table", "graph", "temporal_graph"]),
    st.sampled_from([None, "csv", "jsonl", "parquet", "edgelist", "graphml", "gml", "gexf", "pajek", "node-link"]),
    st.one_of(st.binary(max_size=80), st.text('{}[]<>"=,;\t\n *abc1.', max_size=80).map(str.encode)),
    st.booleans(),
)
@effort(deadline=None, max_examples=5 * effort().max_examples)
def test_answers_or_refuses_whatever_comes(kind, format_, content, complete):
    with suppress(Fault):
        metadata = {"window": "day"} | ({"format": format_} if format_ else {})
        found = sniff(kind, metadata, None, content, complete, LIMITS)
        assert json.loads(json.dumps(found.details)) == found.details


def test_knows_the_public_data_sets():
    expected = {
        "tables/adult/adult.csv": ("table", "csv", ";"),
        "tables/creditcard_int/creditcard_int.csv": ("table", "csv", ";"),
        "tables/sdcmicro/free1.csv": ("table", "csv", ","),
        "graphs/ca-GrQc/CA-GrQc.txt": ("graph", "edgelist", "\t"),
        "graphs/email-enron-large/Email-Enron.txt": ("graph", "edgelist", "\t"),
        "graphs/ego-facebook/facebook_combined.txt": ("graph", "edgelist", " "),
        "graphs/cora/cora_planetoid_edges.csv": ("graph", "edgelist", ","),
        "graphs/karate/karate.gml": ("graph", "gml", None),
        "graphs/polblogs/polblogs.gml": ("graph", "gml", None),
        "graphs/karate/karate.net": ("graph", "pajek", None),
        "graphs/football/football.gml": ("graph", "gml", None),
        "graphs/jazz/jazz.net": ("graph", "pajek", None),
    }
    for path, (kind, format_, delimiter) in expected.items():
        file = find_data(path)
        if file is None:
            continue
        content = file.read_bytes()
        head = content[:SNIFF_BYTES]
        found = sniff(kind, {}, Path(path).name, head, len(head) == len(content), LIMITS)
        assert (found.format, found.details.get("delimiter")) == (format_, delimiter)


def test_refuses_the_public_table_that_has_no_header():
    head = data_file("tables/adult_full/adult.data").read_bytes()[:SNIFF_BYTES]
    assert problem(head, complete=False).rule == "no_header"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04\x14\x00rest of an archive", "a zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "an old Excel workbook (xls), or one with a password"),
        (b"%PDF-1.7\n%rest", "a PDF document"),
        (b"PAR1rest", "a parquet file"),
        (b'[{"a": 1}, {"a": 2}]', "JSON"),
        (b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n', "JSON"),
    ],
)
def test_another_kind_of_file_given_as_csv_is_named(content, what):
    error = problem(content, format="csv")
    assert error.rule == "wrong_format"
    assert f"the file is {what} and not delimited text" in error.detail


def test_a_header_with_brackets_is_no_json():
    assert look("[a],{b}\n1,2\n").columns == ["[a]", "{b}"]


def test_a_wrong_delimiter_is_named_with_the_one_that_the_file_seems_to_have():
    error = problem("a;b\n1;2\n", delimiter=",")
    assert (error.rule, error.pointer) == ("delimiter", "/metadata/delimiter")
    assert error.detail == "only one column was found: the given delimiter is ',', but the file seems to use ';'"
    # One column is all that this file has.
    assert look("only\n1\n2\n", delimiter=";").columns == ["only"]
