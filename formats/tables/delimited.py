"""Delimited text: csv and tsv with a header, every cell as text.

Arrow's reader reads the columns into dictionaries. A row whose length differs from the header is an error that states
its number; nothing is guessed. Releases are written by `formats.tables.csv_writer`.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import Look, Sniffed, TableFormat
from formats.core.limits import Limits
from formats.core.names import split_header
from formats.core.raw import RawTable, check_rows, clean_column, refuse_unnamed, unified
from formats.core.text import BYTE_ORDER_MARK, checked_utf8, first_text, utf8_bytes
from formats.core.titles import length_of_titles
from formats.tables.csv_writer import render_csv
from formats.tables.header import checked_header, fitted_header, no_header, refuse_data_as_header

# --- sniffing --------------------------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_SAMPLE = 200
_GROUPED = r"\d{1,3}(?:[%s' \u00a0\u202f’]\d{3})+|\d+"
_COMMA_DECIMAL = re.compile(rf"[+-]?(?:{_GROUPED % '.'}),\d+")
_SURE_COMMA_DECIMAL = re.compile(rf"[+-]?(?:{_GROUPED % '.'}),(?:\d{{1,2}}|\d{{4,}})|[+-]?\d{{1,3}}(?:\.\d{{3}})+,\d+")
_POINT_DECIMAL = re.compile(rf"[+-]?(?:{_GROUPED % ','})\.\d+")


def _sniff(look: Look, format_: str) -> Sniffed:
    _refuse_foreign(look.head)
    text, encoding = first_text(look)
    text = text.lstrip("\r\n")
    text = text[length_of_titles(text) :]
    delimiter = stated_delimiter(look) or ("\t" if format_ == "tsv" else _detected_delimiter(text))
    rows = _records(text, delimiter, look)
    cells = next(rows, [])
    first = next((row for row in rows if row), [])
    cells = fitted_header(cells, first)
    header = checked_header(cells, look.limits)
    if len(cells) == 1 and look.metadata.get("delimiter"):
        _refuse_wrong_delimiter(text, delimiter)
    sample = _checked_rows(chain([first] if first else [], rows), len(cells), look)
    if not sample and look.complete:
        raise faults.no_records()
    for place in header.unnamed:
        refuse_unnamed(place, np.arange(len(sample)), [row[place] for row in sample])
    sample = [[row[place] for place in header.places] for row in sample]
    refuse_data_as_header(header.names, sample)
    decimal = look.metadata.get("decimal") or _detected_decimal(sample, delimiter)
    details = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "header": True}
    return Sniffed(format_, details, header.names)


_FOREIGN = (
    (re.compile(rb"PK\x03\x04.{0,4000}?(?:xl/|\[Content_Types\]\.xml)", re.DOTALL), "an Excel workbook", "state xlsx"),
    (re.compile(rb"PK\x03\x04.{0,200}?opendocument\.spreadsheet", re.DOTALL), "an OpenDocument workbook", "state ods"),
    (re.compile(rb"PK\x03\x04"), "a zip archive", "unpack it, or use gzip"),
    (
        re.compile(rb"\xd0\xcf\x11\xe0"),
        "an old Excel workbook (xls), or one with a password",
        "save it as xlsx without a password",
    ),
    (re.compile(rb"%PDF-"), "a PDF document", "export the table as csv"),
    (re.compile(rb"PAR1"), "a parquet file", "state parquet"),
    (re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})'), "JSON", "state jsonl, with one object per line"),
)
"""Files that are uploaded as delimited text by mistake: how they begin, what they are, and the remedy."""


def _refuse_foreign(head: bytes) -> None:
    for beginning, what, remedy in _FOREIGN:
        if beginning.match(head.removeprefix(BYTE_ORDER_MARK)):
            raise faults.foreign(what, remedy)


def _refuse_wrong_delimiter(text: str, stated: str) -> None:
    """Refuse a delimiter that gives one column if another one would give several."""
    seems = _detected_delimiter(text)
    if seems != stated and _widths(text, seems)[:1] > [1]:
        raise faults.wrong_delimiter(stated, seems)


def stated_delimiter(look: Look) -> str | None:
    """The delimiter that the uploader declares, if any."""
    stated = look.metadata.get("delimiter")
    if stated is None:
        return None
    if len(stated) != 1 or stated in '"\r\n\0' or ord(stated) > 127:
        raise Fault("delimiter", "the delimiter must be one ASCII character", pointer="/metadata/delimiter")
    return str(stated)


def _detected_delimiter(text: str) -> str:
    """The delimiter that splits the header and most rows into the same number of cells, at least two."""
    best, found = (0.0, 0), ","
    for delimiter in _DELIMITERS:
        widths = _widths(text, delimiter)
        if widths and widths[0] > 1:
            share = sum(width == widths[0] for width in widths) / len(widths)
            if (share, widths[0]) > best:
                best, found = (share, widths[0]), delimiter
    return found


def _widths(text: str, delimiter: str) -> list[int]:
    reader = csv.reader(io.StringIO(text[: 1 << 18], newline=""), delimiter=delimiter)
    widths: list[int] = []
    try:
        for row in reader:
            if row:
                widths.append(len(row))
            if len(widths) == _SAMPLE:
                break
    except csv.Error:
        return widths
    return widths


def _records(text: str, delimiter: str, look: Look) -> Iterator[list[str]]:
    """Records of the beginning; the last one only if it is certainly complete."""
    csv.field_size_limit(max(csv.field_size_limit(), look.limits.max_cell_bytes + 1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    held: list[str] | None = None
    count = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            message = str(error)
            break
        if held is not None and (row is not None or look.complete):
            count += 1
            yield held
        if row is None:
            return
        held = row
    if held is not None:
        count += 1
        yield held
    if look.complete or "unexpected end" not in message:
        raise _quoting_fault(message, count, look.limits.max_cell_bytes)


def _quoting_fault(message: str, count: int, longest: int) -> Fault:
    """Translate an error of the csv reader after ``count`` records, header included."""
    row = count or None
    if "unexpected end" in message:
        return faults.open_quote(row)
    if "field larger" in message:
        return faults.cell_too_long(longest, row=row)
    return faults.stray_quote(row)


def _checked_rows(rows: Iterator[list[str]], width: int, look: Look) -> list[list[str]]:
    """All records of the beginning, checked to be as wide as the header."""
    records: list[list[str]] = []
    ragged: list[tuple[int, int]] = []
    longest = look.limits.max_cell_bytes
    for row in rows:
        if not row and width > 1:
            continue
        cells = row or [""]
        if len(cells) != width:
            ragged.append((len(records) + 1, len(cells)))
        if any(4 * len(cell) > longest and len(cell.encode()) > longest for cell in cells):
            raise faults.cell_too_long(longest, row=len(records) + 1)
        records.append(cells)
    if ragged:
        raise faults.ragged_row(*ragged[0], width, count=len(ragged))
    return records


def _detected_decimal(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """The decimal mark of most numbers. If commas separate the cells, only commas that cannot be thousands separators
    count."""
    cells = [cell.strip() for cell in chain.from_iterable(rows[: 5 * _SAMPLE])]
    comma = _SURE_COMMA_DECIMAL if delimiter == "," else _COMMA_DECIMAL
    commas = sum(comma.fullmatch(cell) is not None for cell in cells)
    points = sum(_POINT_DECIMAL.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."


# --- reading ---------------------------------------------------------------------------------------------------------

_BLOCK = 8 << 20
_HEADER_WINDOW = 1 << 20
_MOST_RAGGED = 100_000
"""Most rows with a length other than the header's that are counted; reading stops beyond that."""
_CODED_TEXT = pa.dictionary(pa.int32(), pa.string())
_RAGGED = re.compile(r"CSV parse error: Row #([0-9]+): Expected ([0-9]+) columns, got ([0-9]+)")


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits, usual: str) -> RawTable:
    """Read a delimited file whose first record is the header."""
    delimiter, encoding = details.get("delimiter") or usual, details.get("encoding")
    head, pieces = _window(checked_utf8(utf8_bytes(chunks, encoding, limits)))
    cells = _header(head, delimiter)
    header = split_header(cells, limits)
    table = _parse(PieceFile(pieces), len(cells), delimiter)
    check_rows(table.num_rows, limits)
    for place in header.unnamed:
        codes, texts = unified(table.column(place).chunks)
        refuse_unnamed(place, codes, texts.to_pylist())
    columns = []
    for place, name in zip(header.places, header.names, strict=True):
        codes, texts = unified(table.column(place).chunks)
        columns.append(clean_column(name, codes, texts, limits))
    return RawTable(header.names, columns, table.num_rows, tuple(place + 1 for place in header.unnamed))


def _window(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a text, and the whole text, both without leading blank lines and titles."""
    head = b""
    for piece in pieces:
        head = (head + piece).lstrip(b"\r\n")
        if len(head) >= _HEADER_WINDOW:
            break
    titles = length_of_titles(head.decode("utf-8", "replace"))
    if titles:
        head = head[len(head.decode("utf-8", "replace")[:titles].encode()) :]
    return head, _joined(head, pieces)


def _joined(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces


def _header(head: bytes, delimiter: str) -> list[str]:
    if not head.strip():
        raise faults.empty_file()
    rows = csv.reader(io.StringIO(head.decode("utf-8", "replace"), newline=""), delimiter=delimiter)
    names = _next_row(rows)
    if not names:
        raise no_header("cannot be read")
    if any("\N{REPLACEMENT CHARACTER}" in name for name in names):
        raise faults.not_encoded("utf-8", line=1)
    return fitted_header(names, _next_row(rows))


def _next_row(rows: Iterator[list[str]]) -> list[str]:
    try:
        return next((row for row in rows if row), [])
    except csv.Error:
        return []


def _parse(file: "PieceFile", width: int, delimiter: str) -> Any:
    numbered = [str(position) for position in range(width)]
    ragged: list[tuple[int, int]] = []
    try:
        table = pyarrow.csv.read_csv(
            pa.PythonFile(file, mode="r"),
            read_options=pyarrow.csv.ReadOptions(
                column_names=numbered, skip_rows_after_names=1, block_size=_BLOCK, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                invalid_row_handler=partial(_note_ragged, ragged),
                # In a table with one column, a blank line is a record with a missing cell.
                ignore_empty_lines=width > 1,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(numbered, _CODED_TEXT), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if file.failure is not None:
            raise
        # Arrow's message may contain the row: only its number is used.
        fault = _read_fault(str(error))
    else:
        if not ragged:
            return table
        fault = faults.ragged_row(*ragged[0], width, count=len(ragged))
    raise fault


def _note_ragged(ragged: list[tuple[int, int]], row: Any) -> str:
    """Continue after a row of the wrong length, so that all of them are counted."""
    if len(ragged) == _MOST_RAGGED:
        return "error"
    ragged.append((row.number - 1, row.actual_columns))
    return "skip"


def _read_fault(message: str) -> Fault:
    ragged = _RAGGED.match(message)
    if ragged:
        return faults.ragged_row(int(ragged[1]) - 1, cells=int(ragged[3]), expected=int(ragged[2]))
    if "straddling" in message:
        return faults.row_too_long(_BLOCK)
    return Fault("unreadable", "the file cannot be read as delimited text")


class PieceFile(io.RawIOBase):
    """A readable file over an iterator of chunks; it counts the bytes read.

    It remembers the error that ended the chunks, if any: a failing store does not mean a damaged file.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._buffer = bytearray()
        self.passed = 0
        self.failure: BaseException | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Read the requested number of bytes; fewer only at the end."""
        while size < 0 or len(self._buffer) < size:
            piece = self._next()
            if piece is None:
                break
            self._buffer += piece
        taken = bytes(self._buffer) if size < 0 else bytes(self._buffer[:size])
        del self._buffer[: len(taken)]
        self.passed += len(taken)
        return taken

    def _next(self) -> bytes | None:
        try:
            return next(self._pieces, None)
        except BaseException as error:
            self.failure = error
            raise

    def readinto(self, buffer: Any) -> int:
        taken = self.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


CSV = TableFormat(
    name="csv",
    endings=("csv",),
    fallback=True,
    media_type="text/csv; charset=utf-8",
    suffix="csv",
    repeats_labels=True,
    sniff=partial(_sniff, format_="csv"),
    read=partial(_read, usual=","),
    write=render_csv,
)
TSV = TableFormat(
    name="tsv",
    endings=("tsv", "tab"),
    sniff=partial(_sniff, format_="tsv"),
    read=partial(_read, usual="\t"),
)
