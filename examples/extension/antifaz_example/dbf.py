"""DBF: tables of dBase III and of the many programs that still write its files.

A header names the columns with their types and widths; records of fixed width follow. The header's language byte names
the code page. Without one, texts must be ASCII, unless the upload states an encoding. Deleted records, which stay in
the file until it is packed, are not read.
"""

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import Look, Sniffed, TableFormat
from formats.core.inflate import plain_bytes
from formats.core.limits import Limits
from formats.core.names import checked_names
from formats.core.raw import RawColumn, RawTable, check_rows, clean_column

_BLOCK = 32
"""Length of the header's beginning and of the description of every column."""
_END_OF_COLUMNS = 0x0D
_DELETED = ord("*")
_LANGUAGES = {0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x57: "cp1252", 0x64: "cp852", 0xC8: "cp1250"}
_TYPES = b"CNFDL"
_TRUTHS = {"T": "true", "Y": "true", "F": "false", "N": "false", "?": ""}


@dataclass(frozen=True)
class Header:
    """What the header of a file says."""

    n: int
    length: int
    record_length: int
    language: int
    columns: list[tuple[bytes, str, int]]
    """The name, type and width of each column."""


def _sniff(look: Look) -> Sniffed:
    header = _header(look.head)
    encoding = _encoding(look.metadata.get("encoding"), header.language)
    names = checked_names([_decoded(name, encoding) for name, _, _ in header.columns], look.limits)
    return Sniffed("dbf", {"encoding": encoding, "decimal": "."}, names)


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits) -> RawTable:
    content = b"".join(plain_bytes(chunks, limits))
    header, encoding = _header(content), details["encoding"]
    names = checked_names([_decoded(name, encoding) for name, _, _ in header.columns], limits)
    if len(content) < header.length + header.n * header.record_length:
        raise _unreadable("the file ends before its last record")
    cells = np.frombuffer(content, np.uint8, header.n * header.record_length, header.length)
    records = cells.reshape(header.n, header.record_length)
    records = records[records[:, 0] != _DELETED]
    check_rows(len(records), limits)
    columns, start = [], 1
    for name, (_, type_, width) in zip(names, header.columns, strict=True):
        columns.append(_column(name, type_, records[:, start : start + width], encoding, limits))
        start += width
    return RawTable(names, columns, len(records))


def _header(content: bytes) -> Header:
    if len(content) < _BLOCK or content[0] & 0x07 != 3:
        raise _unreadable("the file does not begin like a DBF file")
    length, record_length = (int.from_bytes(content[at : at + 2], "little") for at in (8, 10))
    columns = []
    place = _BLOCK
    while place < min(length, len(content)) and content[place] != _END_OF_COLUMNS:
        block = content[place : place + _BLOCK]
        if len(block) < _BLOCK:
            raise _unreadable("the header is damaged")
        if block[11] not in _TYPES:
            raise Fault("unsupported_type", f"column {len(columns) + 1} is no text, number, date or truth")
        columns.append((block[:11].partition(b"\0")[0], chr(block[11]), block[16]))
        place += _BLOCK
    if place >= len(content) or record_length != 1 + sum(width for _, _, width in columns):
        raise _unreadable("the header is damaged")
    return Header(int.from_bytes(content[4:8], "little"), length, record_length, content[29], columns)


def _unreadable(detail: str) -> Fault:
    return Fault("unreadable", detail)


def _encoding(stated: str | None, language: int) -> str:
    if stated is None:
        return _LANGUAGES.get(language, "ascii")
    try:
        name = codecs.lookup(stated).name
    except LookupError:
        name = ""
    if name not in {*_LANGUAGES.values(), "utf-8", "iso8859-1"}:
        raise Fault("encoding", "the encoding is not supported", pointer="/metadata/encoding")
    return name


def _column(name: str, type_: str, cells: NDArray[np.uint8], encoding: str, limits: Limits) -> RawColumn:
    width = cells.shape[1]
    if not width:
        raise _unreadable("a column has no width")
    distinct, codes = np.unique(np.ascontiguousarray(cells).view(f"S{width}").ravel(), return_inverse=True)
    # Different cells may have the same text, such as blanks and NUL characters.
    texts = pa.array([_text(cell, type_, encoding) for cell in distinct.tolist()], pa.string()).dictionary_encode()
    return clean_column(name, texts.indices.to_numpy()[codes], texts.dictionary, limits)


def _text(cell: bytes, type_: str, encoding: str) -> str:
    text = _decoded(cell.rstrip(b" \0"), encoding)
    if type_ == "D" and len(text) == 8:
        return f"{text[:4]}-{text[4:6]}-{text[6:]}"
    if type_ == "L":
        return _TRUTHS.get(text.upper(), text)
    return text if type_ == "C" else text.strip()


def _decoded(content: bytes, encoding: str) -> str:
    text = content.decode(encoding, errors="replace")
    # Of a code page with holes, too, this is the only sign of bytes that are no text.
    if "\ufffd" in text:
        raise faults.not_encoded(encoding)
    return text


DBF = TableFormat(name="dbf", endings=("dbf",), sniff=_sniff, read=_read)
