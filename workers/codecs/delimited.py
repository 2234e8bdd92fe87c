"""Delimited text: csv and tsv with a header, every cell as text.

Arrow's reader does the work, column by column into dictionaries. A row of another length than the header is an error
that names its number; no guess is made about it.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.csv

from antifaz.errors import InvalidDataset
from storage.settings import Settings
from workers.codecs.raw import RawTable, check_rows, checked_names, clean_column, invalid, unified
from workers.codecs.stream import PieceFile, utf8_bytes

_BLOCK = 8 << 20
_HEADER_WINDOW = 1 << 20
_CODED_TEXT = pa.dictionary(pa.int32(), pa.string())
_RAGGED = re.compile(r"CSV parse error: Row #([0-9]+): Expected [0-9]+ columns, got [0-9]+")
_DAMAGED = re.compile(r"In CSV column #[0-9]+: Row #([0-9]+): CSV conversion error to .*?: invalid UTF8")


def read_delimited(chunks: Iterable[bytes], delimiter: str, encoding: str | None, settings: Settings) -> RawTable:
    """Read a delimited file whose first record is the header."""
    head, pieces = _window(utf8_bytes(chunks, encoding, settings))
    names = checked_names(_header(head, delimiter), settings)
    table = _parse(PieceFile(pieces), len(names), delimiter)
    check_rows(table.num_rows, settings)
    columns = []
    for position, name in enumerate(names):
        codes, texts = unified(table.column(position).chunks)
        columns.append(clean_column(name, codes, texts, settings))
    return RawTable(names, columns, table.num_rows)


def _window(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a text without blank lines before it, and the whole text."""
    head = b""
    for piece in pieces:
        head = (head + piece).lstrip(b"\r\n")
        if len(head) >= _HEADER_WINDOW:
            break
    return head, _joined(head, pieces)


def _joined(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces


def _header(head: bytes, delimiter: str) -> list[str]:
    if not head.strip():
        raise invalid("empty_file", "the file is empty")
    lines = io.StringIO(head.decode("utf-8", "replace"), newline="")
    try:
        names = next(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        names = []
    if not names:
        raise invalid("no_header", "the header cannot be read")
    if any("\N{REPLACEMENT CHARACTER}" in name for name in names):
        raise invalid("encoding", "the header is not in the encoding that it is said to have")
    return names


def _parse(file: PieceFile, width: int, delimiter: str) -> Any:
    numbered = [str(position) for position in range(width)]
    try:
        return pyarrow.csv.read_csv(
            pa.PythonFile(file, mode="r"),
            read_options=pyarrow.csv.ReadOptions(
                column_names=numbered, skip_rows_after_names=1, block_size=_BLOCK, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                # In a table of one column a blank line is a record whose cell is missing.
                ignore_empty_lines=width > 1,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(numbered, _CODED_TEXT), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if file.failure is not None:
            raise
        # Arrow's own message may hold the row: only its number is taken from it.
        fault = _fault(str(error))
    raise fault


def _fault(message: str) -> InvalidDataset:
    ragged = _RAGGED.match(message)
    if ragged:
        return invalid("ragged_row", "a row has not as many cells as the header", row=int(ragged[1]) - 1)
    found = _DAMAGED.match(message)
    if found:
        row = int(found[1]) - 1
        return invalid("encoding", "the file is not in the encoding that it is said to have", row=row)
    if "straddling" in message:
        return invalid("row_too_long", f"a row is longer than {_BLOCK} bytes, or a quoted cell does not end")
    return invalid("unreadable", "the file cannot be read as delimited text")
