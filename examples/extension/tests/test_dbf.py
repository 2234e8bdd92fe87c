"""DBF files, made by hand from the layout of their header and their records."""

import pytest
from antifaz_example.dbf import DBF

from formats.core.faults import Fault
from formats.core.format import Look
from formats.extending.conformance import LIMITS, faults_of, faults_of_reading

COLUMNS = [("NAME", "C", 10), ("AGE", "N", 4), ("BORN", "D", 8), ("MEMBER", "L", 1)]
ROWS = [("Núñez", " 31", "19930501", "T"), ("Silva", "  7", "20170230", "f"), ("", "", "", "?")]


def dbf(rows=ROWS, columns=COLUMNS, encoding="cp850", language=0x02, deleted=()) -> bytes:
    blocks = b"".join(
        name.encode(encoding).ljust(11, b"\0") + type_.encode() + bytes(4) + bytes([width]) + bytes(15)
        for name, type_, width in columns
    )
    records = b"".join(
        (b"*" if number in deleted else b" ")
        + b"".join(cell.encode(encoding).ljust(width) for cell, (_, _, width) in zip(row, columns, strict=True))
        for number, row in enumerate(rows)
    )
    length, record = 33 + len(blocks), 1 + sum(width for _, _, width in columns)
    head = b"\x03\x7e\x01\x01" + len(rows).to_bytes(4, "little")
    head += length.to_bytes(2, "little") + record.to_bytes(2, "little") + bytes(17) + bytes([language]) + bytes(2)
    return head + blocks + b"\r" + records + b"\x1a"


def sniffed(content, **metadata):
    return DBF.sniff(Look("table", metadata, content, True, LIMITS))


def read(content, **metadata):
    return DBF.read([content], sniffed(content, **metadata).details, LIMITS)


def cells(table):
    return {column.name: column.values[column.codes].tolist() for column in table.columns}


def refusal(content, **metadata):
    with pytest.raises(Fault) as caught:
        read(content, **metadata)
    return caught.value.rule


def test_it_is_complete_and_behaves_as_formats_must():
    assert faults_of(DBF) == []
    assert faults_of_reading(DBF, dbf()) == []


def test_texts_numbers_dates_and_truths_are_read():
    assert cells(read(dbf())) == {
        "NAME": ["Núñez", "Silva", ""],
        "AGE": ["31", "7", ""],
        "BORN": ["1993-05-01", "2017-02-30", ""],
        "MEMBER": ["true", "false", ""],
    }


def test_deleted_records_are_not_read():
    assert cells(read(dbf(deleted=(0, 2))))["NAME"] == ["Silva"]
    assert refusal(dbf(deleted=(0, 1, 2))) == "no_records"


def test_without_a_code_page_texts_are_ascii_or_in_the_encoding_that_is_stated():
    content = dbf(encoding="cp1252", language=0)
    assert refusal(content) == "encoding"
    assert cells(read(content, encoding="windows-1252"))["NAME"][0] == "Núñez"
    assert refusal(content, encoding="utf-16") == "encoding"
    assert refusal(content, encoding="nonsense") == "encoding"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (dbf(columns=[("NOTE", "M", 10)], rows=[("1",)]), "unsupported_type"),
        (dbf()[:-40], "unreadable"),
        (dbf()[:50], "unreadable"),
        (b"age,name\n31,x\n" * 10, "unreadable"),
        (dbf(columns=[("A", "C", 3), ("A", "C", 3)], rows=[("x", "y")]), "duplicate_column"),
    ],
)
def test_what_cannot_be_read_is_refused(content, rule):
    assert refusal(content) == rule
