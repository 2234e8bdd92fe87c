"""Damaged copies of real releases: any bytes that are not part of the release are refused.

The true releases are made by the product's own writers; each must pass, so that only the damage can cause a refusal.
"""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.graphs.graph import Graph
from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.writing import render_graph, render_table
from tests.verifier.conftest import released_parquet
from verifier import Artifact, verify
from verifier.readers.parquet import _refuse_loose_frame, read_parquet
from verifier.readers.thrift import Reader
from verifier.verdict.verdict import Unreadable, Verdict

SECRET = b"Ana Ruiz"
POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "age": {"role": "quasi_identifier"},
        "town": {"role": "quasi_identifier"},
        "pay": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 2}],
}
LABELS = {
    "age": (ValueType.INTEGER, Role.QUASI_IDENTIFIER, ["30", "", "41"]),
    "town": (ValueType.TEXT, Role.QUASI_IDENTIFIER, ["León", "", "*"]),
    "pay": (ValueType.DECIMAL, Role.SENSITIVE, ["1.5", "", "2e3"]),
}


def column(name: str, codes: list[int]) -> ReleasedColumn:
    type_, role, labels = LABELS[name]
    return ReleasedColumn(name, name, role, type_, np.array(codes), np.array(labels, object))


def release(form: str) -> bytes:
    classes = [0, 0, 1, 1, 2, 2]
    columns = [column("age", classes), column("town", classes), column("pay", [0, 1, 2, 0, 1, 2])]
    return b"".join(render_table(columns, form))


def judged(form: str, content: bytes) -> Verdict:
    return verify(POLICY, [Artifact(form, "table", content)])


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_true_table_passes(form: str) -> None:
    verdict = judged(form, release(form))
    assert verdict.holds, verdict
    assert verdict.findings[0].achieved == {"k": 2}


# csv and jsonl


@pytest.mark.parametrize(
    ("form", "old", "new", "why"),
    [
        ("csv", "León", "Le\0n", "a NUL character"),
        ("csv", "age,", "\ufeffage,", "a byte order mark, which the policy does not ask for"),
        ("csv", "age,town", "# Ana Ruiz\nage,town", "not a csv file with rows of one length"),
        ("csv", "1.5\n", "1.5,Ana Ruiz\n", "not a csv file with rows of one length"),
        ("csv", "1.5\n", "1.5\n\n", "a blank line"),
        ("jsonl", '"León"', '"Le\\ud800n"', "half of a surrogate pair"),
        ("jsonl", '"León"', '"\\udc00\\ud800"', "half of a surrogate pair"),
        ("jsonl", ": 1.5}", ": 1e400}", "a number that overflows"),
        ("jsonl", ": 1.5}", ": -1e400}", "a number that overflows"),
        ("jsonl", ": 1.5}", ": 1.500000000000000000000000000004}", "a number that overflows, or that readers round"),
        ("jsonl", '"age": 30', '"age": 30' + "0" * 400, "a number that overflows"),
        ("jsonl", '{"age"', '\ufeff{"age"', "not JSON"),
        ("jsonl", '"pay": 1.5}', '"pay": 1.5, "name": "Ana Ruiz"}', "a line that is not a flat object"),
        ("jsonl", '"pay": 1.5}', '"pay": 2.5, "pay": 1.5}', "a repeated key"),
        ("jsonl", '"pay": 1.5}', '"pay": 1.5} /* Ana Ruiz */', "not"),
    ],
)
def test_a_spoiled_release_in_text_is_refused(form: str, old: str, new: str, why: str) -> None:
    true = release(form).decode()
    assert old in true
    verdict = judged(form, true.replace(old, new, 1).encode())
    assert not verdict.holds
    assert any(why in fault for fault in verdict.faults), verdict.faults
    assert "Ruiz" not in repr(verdict)


def test_a_whole_surrogate_pair_and_the_largest_numbers_pass() -> None:
    text = release("jsonl").decode().replace('"*"', '"\\ud83d\\ude00"').replace("1.5", "1.7976931348623157e308")
    assert judged("jsonl", text.encode()).holds


# graphs

GRAPH: dict[str, Any] = {
    "kind": "graph",
    "attributes": {"town": {"role": "insensitive"}, "pay": {"role": "insensitive"}},
    "guarantees": [{"model": "k_degree_anonymity", "k": 4}],
}


def graph_release(form: str) -> bytes:
    ring = Graph.from_pairs(4, np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0]), False)
    return b"".join(render_graph(ring, form, [column("town", [0, 0, 2, 2]), column("pay", [0, 2, 1, 0])]))


def judged_graph(form: str, content: bytes) -> Verdict:
    return verify(GRAPH, [Artifact(form, "graph", content)])


@pytest.mark.parametrize("form", ["graphml", "gml", "node-link"])
def test_a_true_graph_passes(form: str) -> None:
    verdict = judged_graph(form, graph_release(form))
    assert verdict.holds, verdict


SETTINGS_NOT_ITS_OWN = "an element with settings that are not its own"
MARKUP = "a document type, comment or processing instruction"
NEITHER = "an element that is neither node, edge nor an attribute of one"


@pytest.mark.parametrize(
    ("form", "old", "new", "why"),
    [
        ("graphml", "<graphml ", '<graphml note="Ana Ruiz" ', SETTINGS_NOT_ITS_OWN),
        ("graphml", "<graphml ", '<graphml xmlns:a="Ana Ruiz" ', SETTINGS_NOT_ITS_OWN),
        ("graphml", "org/xmlns", "org/Ana Ruiz", SETTINGS_NOT_ITS_OWN),
        ("graphml", "<graph ", '<graph id="Ana Ruiz" ', SETTINGS_NOT_ITS_OWN),
        ("graphml", '<node id="0"', '<node name="Ana Ruiz" id="0"', SETTINGS_NOT_ITS_OWN),
        ("graphml", "<edge ", '<edge id="Ana Ruiz" ', SETTINGS_NOT_ITS_OWN),
        ("graphml", "d0", "AnaRuiz", "an attribute that is declared by something else than a number"),
        ("graphml", "<graph ", "<!-- Ana Ruiz --><graph ", MARKUP),
        ("graphml", "</graphml>", "</graphml><!-- Ana Ruiz -->", MARKUP),
        ("graphml", "<graph ", "<?ana ruiz?><graph ", MARKUP),
        ("graphml", "<graph ", "<desc>Ana Ruiz</desc><graph ", NEITHER),
        ("graphml", "</graph>", "</graph>Ana Ruiz", "text outside of attributes"),
        ("graphml", ' encoding="UTF-8"', ' encoding="UTF-8" standalone="yes"', "a declaration that says more"),
        ("graphml", "<?xml", "\ufeff<?xml", "a byte order mark"),
        ("graphml", ">1.5<", ">Ana Ruiz<", "a number"),
        ("graphml", ">1.5<", ">1e400<", "a number"),
        ("gml", "graph [", "# Ana Ruiz\ngraph [", "not gml"),
        ("gml", "graph [", 'Creator "Ana Ruiz" graph [', "not one graph"),
        ("gml", "directed 0", 'directed 0 comment "Ana Ruiz"', "something beside nodes and edges"),
        ("gml", "pay 1.5", "pay 1.0e400", "a number that overflows"),
        ("gml", "Le&#243;n", "Le&oacute;n", "a reference to a character that readers may not know"),
        ("gml", "Le&#243;n", "Le&#128;n", "a reference to a character that readers may not know"),
        ("gml", "Le&#243;n", "Le&#55296;n", "a reference to a character that readers may not know"),
        ("gml", "Le&#243;n", "Le\x01n", "a control character"),
        ("gml", "graph [", "\ufeffgraph [", "a byte order mark"),
        ("node-link", '"graph": {}', '"graph": {"name": "Ana Ruiz"}', "something beside nodes and edges"),
        ("node-link", '"multigraph"', '"note": "Ana Ruiz", "multigraph"', "something beside nodes and edges"),
        ("node-link", '"multigraph"', '"directed": false, "multigraph"', "a repeated key"),
        ("node-link", '"pay": 1.5', '"pay": 1e400', "a number that overflows"),
        ("node-link", '"León"', '"Le\\udfffn"', "half of a surrogate pair"),
        ("node-link", "]}\n", ']}\n"Ana Ruiz"', "not JSON"),
        ("node-link", '{"directed"', '\ufeff{"directed"', "a byte order mark"),
    ],
)
def test_a_spoiled_graph_is_refused(form: str, old: str, new: str, why: str) -> None:
    true = graph_release(form).decode()
    assert old in true, true
    verdict = judged_graph(form, true.replace(old, new).encode())
    assert not verdict.holds
    assert any(why in fault for fault in verdict.faults), verdict.faults
    assert "Ruiz" not in repr(verdict)


# parquet


def before_footer(content: bytes) -> int:
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def between_pages_and_footer(content: bytes) -> bytes:
    return content[: before_footer(content)] + SECRET + content[before_footer(content) :]


def before_the_pages(content: bytes) -> bytes:
    return content[:4] + SECRET + content[4:]


def after_the_footer(content: bytes) -> bytes:
    size = int.from_bytes(content[-8:-4], "little") + len(SECRET)
    return content[:-8] + SECRET + size.to_bytes(4, "little") + content[-4:]


def after_the_end(content: bytes) -> bytes:
    return content + SECRET + content[-8:]


def written_again(**options: Any) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        return released_parquet(pq.read_table(io.BytesIO(content)), **options)

    return change


def with_metadata(content: bytes) -> bytes:
    table = pq.read_table(io.BytesIO(content)).replace_schema_metadata({"note": SECRET.decode()})
    return released_parquet(table, store_schema=True)


def signed_by_another(content: bytes) -> bytes:
    return content.replace(b"antifaz version 1 ", b"Ana Ruiz version 1")


SPOILED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "foreign bytes between pages and footer": (between_pages_and_footer, "bytes that no row shows"),
    "foreign bytes before the pages": (before_the_pages, ""),
    "foreign bytes after the footer": (after_the_footer, "bytes that no row shows"),
    "foreign bytes after the end": (after_the_end, ""),
    "a schema of Arrow's": (written_again(store_schema=True), "metadata beside the columns"),
    "a note in a schema of Arrow's": (with_metadata, "metadata beside the columns"),
    "statistics": (written_again(write_statistics=True), "metadata beside the columns"),
    "statistics of one column": (written_again(write_statistics=["pay"]), "metadata beside the columns"),
    "page indexes": (
        written_again(write_statistics=True, write_page_index=True),
        "metadata beside the columns",
    ),
    "checksums of pages": (written_again(write_page_checksum=True), "metadata beside the columns"),
    "sorting columns": (
        written_again(sorting_columns=[pq.SortingColumn(0)]),
        "metadata beside the columns",
    ),
    "another compression": (written_again(compression="gzip"), "a compression that releases do not have"),
    "another kind of pages": (
        written_again(data_page_version="2.0"),
        "metadata beside the columns",
    ),
    "another encoding": (
        written_again(use_dictionary=False, column_encoding={"age": "DELTA_BINARY_PACKED"}),
        "an encoding that releases do not have",
    ),
    "another author": (signed_by_another, "an author or a version that is not the writer's"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_parquet_release_is_refused(name: str) -> None:
    spoil, why = SPOILED[name]
    true = release("parquet")
    spoiled = spoil(true)
    assert spoiled != true
    verdict = judged("parquet", spoiled)
    assert not verdict.holds
    assert not any(finding.holds for finding in verdict.findings)
    assert any(why in fault for fault in verdict.faults), verdict.faults


def test_the_same_table_written_again_without_additions_passes() -> None:
    assert judged("parquet", written_again()(release("parquet"))).holds
    assert judged("parquet", written_again(compression="none")(release("parquet"))).holds


@pytest.mark.parametrize(("kept", "hidden"), [(7, 8), (1.5, 2.5), ("x", "y")])
def test_a_suppressed_value_that_stays_in_a_dictionary_is_refused_whatever_its_type(kept: Any, hidden: Any) -> None:
    """The index of the second row is set to the first label: no row shows the other one, which is still there."""
    content = released_parquet(pa.table({"a": [kept, hidden]}), compression="none")
    assert content.count(b"\x01\x03\x02") == 1
    read_parquet(content)
    with pytest.raises(Unreadable, match="a dictionary with values that no row shows"):
        read_parquet(content.replace(b"\x01\x03\x02", b"\x01\x03\x00"))


def test_bits_that_only_fill_up_a_page_are_zero() -> None:
    content = released_parquet(pa.table({"a": [7, 8]}), compression="none")
    with pytest.raises(Unreadable, match="bytes that no row shows"):
        read_parquet(content.replace(b"\x01\x03\x02", b"\x01\x03\x82"))


def footer_of(content: bytes) -> object:
    try:
        return Reader(content[:-8], before_footer(content)).struct()
    except (Unreadable, IndexError):
        return None


def shown_by(content: bytes) -> object:
    names, columns = read_parquet(content)
    return names, [[(column.kinds[code], column.texts[code]) for code in column.codes] for column in columns]


@pytest.mark.parametrize("flip", [1, 2, 4, 128, 255])
def test_no_byte_of_a_parquet_release_can_change_unnoticed(flip: int) -> None:
    """Each byte in turn: the file is refused, or its rows are others, or its footer says the same in other widths."""
    true = release("parquet")
    wanted, footer = shown_by(true), footer_of(true)
    for place in range(len(true)):
        changed = true[:place] + bytes([true[place] ^ flip]) + true[place + 1 :]
        if before_footer(true) <= place < len(true) - 8 and footer_of(changed) == footer:
            continue
        try:
            seen = shown_by(changed)
        except Unreadable:
            continue
        assert seen != wanted, place


def test_what_a_page_hides_beside_its_compressed_frame_is_refused() -> None:
    content = b"some text, some text, some text" * 9
    frame = pa.compress(content, "zstd", asbytes=True)
    skippable = b"\x50\x2a\x4d\x18" + len(SECRET).to_bytes(4, "little") + SECRET
    _refuse_loose_frame(frame, len(content))
    for spoiled in (frame + skippable, skippable + frame, frame + frame, frame[:-1], frame + b"\0"):
        with pytest.raises(Unreadable):
            _refuse_loose_frame(spoiled, len(content))
    with pytest.raises(Unreadable):
        _refuse_loose_frame(frame, len(content) - 1)
