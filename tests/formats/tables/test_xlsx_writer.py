"""Workbooks of releases: read back by our own reader and by the verifier's, always the same bytes."""

import io
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verifier
from formats.reading import read_table
from formats.writing import render_table
from publication.library.datasets import LIMITS
from verifier.readers.tables import read_table as verified_table
from verifier.verdict.verdict import Unreadable


@dataclass
class Released:
    """A released column."""

    name: str
    type: str
    codes: Any
    labels: Any


def column(name: str, type_: str, cells: list[str]) -> Released:
    labels, codes = np.unique(np.array(cells, dtype=object).astype(str), return_inverse=True)
    return Released(name, type_, codes.astype(np.int32), labels.astype(object))


def workbook(*columns: Released) -> bytes:
    return b"".join(render_table(columns, "xlsx"))


def seen(content: bytes) -> dict[str, list[tuple[str, str]]]:
    """The cells as the verifier reads them: kind and text."""
    cells = verified_table(verifier.Artifact("xlsx", "table", content))
    return {
        name: [(found.kinds[code], found.texts[code]) for code in found.codes.tolist()]
        for name, found in zip(cells.names, cells.columns, strict=True)
    }


SAMPLE = (
    column("age", "integer", ["20", "", "31"]),
    column("weight", "decimal", ["1.5", "-2", "80.25"]),
    column("zip", "text", ["08001", "=1+1", "a<b>&\"c'"]),
    column("span", "integer", ["[20, 29]", "5", "*"]),
    column("long", "integer", ["1234567890123456", "1", "2"]),
)


def test_numbers_are_numbers_and_all_else_is_text_that_no_program_runs():
    content = workbook(*SAMPLE)
    assert seen(content) == {
        "age": [("i", "20"), ("-", ""), ("i", "31")],
        "weight": [("f", "1.5"), ("i", "-2"), ("f", "80.25")],
        "zip": [("t", "08001"), ("t", "=1+1"), ("t", "a<b>&\"c'")],
        "span": [("t", "[20, 29]"), ("t", "5"), ("t", "*")],
        "long": [("t", "1234567890123456"), ("t", "1"), ("t", "2")],
    }
    assert b"<f>" not in zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml")


def test_our_own_reader_of_uploads_reads_the_same():
    table = read_table(iter([workbook(*SAMPLE)]), "xlsx", {"decimal": "."}, LIMITS)
    read = {found.name: [str(found.values[code]) for code in found.codes] for found in table.columns}
    assert read["zip"] == ["08001", "=1+1", "a<b>&\"c'"]
    assert read["age"] == ["20", "", "31"]


def test_the_same_release_gives_the_same_bytes_without_a_time_or_a_name():
    first, second = workbook(*SAMPLE), workbook(*SAMPLE)
    assert first == second
    members = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}
    assert not [member.filename for member in members if "docProps" in member.filename]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=12).filter(lambda text: "\0" not in text), min_size=1, max_size=8))
def test_every_text_survives(texts):
    shown = seen(workbook(column("x", "text", texts), column("y", "text", ["_x0041_", *["\r\n"] * (len(texts) - 1)])))
    assert [text for _, text in shown["x"]] == texts
    assert shown["y"][0] == ("t", "_x0041_")


def changed(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The workbook with something else in one of its members."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for member in before.infolist():
            held = before.read(member)
            assert member.filename != name or old in held
            fresh = zipfile.ZipInfo(member.filename, member.date_time)
            after.writestr(fresh, held.replace(old, new) if member.filename == name else held)
    return out.getvalue()


SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
TAMPERED = {
    "a formula": (SHEET, b"<c><v>31</v></c>", b"<c><f>1+1</f><v>31</v></c>"),
    "a style": (SHEET, b"<c><v>31</v></c>", b'<c s="1"><v>31</v></c>'),
    "a shared text": (SHEET, b"<c><v>31</v></c>", b'<c t="s"><v>31</v></c>'),
    "a comment": (SHEET, b"<sheetData>\n", b"<sheetData><!-- x -->\n"),
    "a hidden row": (SHEET, b"<row><c/>", b'<row hidden="1"><c/>'),
    "a missing cell": (SHEET, b"<c><v>31</v></c>", b""),
    "what follows the rows": (SHEET, b"</sheetData>", b"</sheetData><legacyDrawing/>"),
    "another reference": (SHEET, b"&amp;", b"&#38;"),
    "too many digits": (SHEET, b"<v>31</v>", b"<v>1234567890123456</v>"),
    "a second sheet": (BOOK, b"</sheets>", b'<sheet name="b" sheetId="2"/></sheets>'),
    "a property": (BOOK, b"<sheets>", b'<workbookPr codeName="x"/><sheets>'),
    "a link": ("xl/_rels/workbook.xml.rels", b"/>", b' TargetMode="External"/>'),
    "another type": ("[Content_Types].xml", b"<Override", b'<Default Extension="bin" ContentType="x"/><Override'),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_the_verifier_reads_nothing_that_a_release_does_not_write(what):
    content = workbook(*SAMPLE)
    with pytest.raises(Unreadable):
        seen(changed(content, *TAMPERED[what]))


def test_the_verifier_refuses_members_with_times_and_things_beside_the_members():
    content = workbook(*SAMPLE)
    assert seen(content)
    for wrong in (b"x" + content, content[:-1], b"PK\x03\x04", b""):
        with pytest.raises(Unreadable):
            seen(wrong)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for member in before.infolist():
            after.writestr(zipfile.ZipInfo(member.filename, (2026, 1, 1, 0, 0, 0)), before.read(member))
    with pytest.raises(Unreadable):
        seen(out.getvalue())


def test_a_table_without_rows_has_its_header():
    assert seen(workbook(column("a", "text", []), column("b", "integer", []))) == {"a": [], "b": []}
