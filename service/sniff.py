"""Sniffing: what the first megabyte of an upload shows, before anything is stored.

`Inflater` counts and bounds what a compressed upload unfolds into. `sniff` finds the format and its dialect, and
refuses at once what no worker could read. Problems name rules, positions and row numbers; they never repeat a cell.
"""

import codecs
import csv
import io
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from xml.parsers import expat

import zstandard

from api_schemas.quoting import OPEN_QUOTE, cut_quoted
from api_schemas.strict_json import BadJson, parse_json
from storage.settings import Settings


class SniffProblem(Exception):
    """Why an upload is refused."""

    def __init__(self, status: int, rule: str, detail: str, pointer: str | None = None, row: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.rule = rule
        self.detail = detail
        self.pointer = pointer
        """Into the metadata, where they are wrong; None where the file is."""
        self.row = row
        """The first record is 1."""


@dataclass(frozen=True)
class Sniffed:
    """What is known of an upload."""

    format: str
    details: dict[str, Any] = field(default_factory=dict)
    """What a worker needs to read the file: delimiter, encoding, decimal mark, whether there is a header."""
    columns: list[str] | None = None
    """Names of the columns, or of the nodes' attributes; None where the beginning does not show them all."""


def _refuse(rule: str, detail: str, *, row: int | None = None, pointer: str | None = None) -> SniffProblem:
    return SniffProblem(422, rule, detail, pointer, row)


# --- decompression ---------------------------------------------------------------------------------------------------

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ALWAYS_ALLOWED = 1 << 20
_OUTPUT_STEP = 1 << 18
_ZSTD_INPUT_STEP = 1 << 10
_ZSTD_WINDOW = 1 << 25


class Inflater:
    """Decompresses an upload as it arrives, and stops it when it grows beyond the limits.

    Output is made in small steps and counted after each, so that a bomb never unfolds in memory.
    """

    def __init__(self, settings: Settings) -> None:
        self.compression: str | None = None
        self._settings = settings
        self._decided = False
        self._waiting = b""
        self._stream: Any = None
        self._taken = 0
        self._given = 0

    def feed(self, content: bytes) -> bytes:
        """What some more bytes of the upload unfold into."""
        self._taken += len(content)
        if not self._decided:
            content = self._waiting + content
            if self._is_undecided(content):
                self._waiting = content
                return b""
            self._decide(content)
        return b"".join(self._unfold(content))

    def finish(self) -> bytes:
        """What is left at the end of the upload; a compressed file must be complete."""
        if not self._decided:
            self._decided = True
            return b"".join(self._unfold(self._waiting))
        if self.compression is not None and (self._waiting or (self._stream is not None and not self._stream.eof)):
            raise _refuse("compression", "the compressed file is incomplete")
        return b""

    def _is_undecided(self, content: bytes) -> bool:
        return any(len(content) < len(magic) and magic.startswith(content) for magic in (_GZIP, _ZSTD))

    def _decide(self, content: bytes) -> None:
        self._decided, self._waiting = True, b""
        if content.startswith(_GZIP):
            self.compression = "gzip"
        elif content.startswith(_ZSTD):
            self.compression = "zstd"

    def _unfold(self, content: bytes) -> Iterator[bytes]:
        match self.compression:
            case "gzip":
                steps = self._gunzip(content)
            case "zstd":
                steps = self._unzstd(content)
            case _:
                steps = iter((content,))
        for piece in steps:
            self._count(piece)
            yield piece

    def _count(self, piece: bytes) -> None:
        self._given += len(piece)
        if self._given > self._settings.max_bytes:
            raise SniffProblem(413, "too_large", f"the file is larger than {self._settings.max_bytes} bytes")
        if self.compression and self._given > max(_ALWAYS_ALLOWED, self._settings.max_ratio * self._taken):
            ratio = self._settings.max_ratio
            raise SniffProblem(413, "decompression_bomb", f"the file grows more than {ratio} times when decompressed")

    def _gunzip(self, content: bytes) -> Iterator[bytes]:
        """gzip, member after member."""
        content, self._waiting = self._waiting + content, b""
        while content:
            if self._stream is None:
                if self._is_split_magic(content, _GZIP):
                    return
                self._stream = zlib.decompressobj(wbits=31)
            yield _stepped(lambda data: self._stream.decompress(data, _OUTPUT_STEP), content)
            content = self._stream.unconsumed_tail or self._stream.unused_data
            if self._stream.eof:
                self._stream = None

    def _unzstd(self, content: bytes) -> Iterator[bytes]:
        """zstd, frame after frame, in steps so short that no step can unfold into much."""
        content, self._waiting = self._waiting + content, b""
        while content:
            if self._stream is None:
                if self._is_split_magic(content, _ZSTD):
                    return
                self._stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
            step, content = content[:_ZSTD_INPUT_STEP], content[_ZSTD_INPUT_STEP:]
            yield _stepped(self._stream.decompress, step)
            if self._stream.eof:
                content = self._stream.unused_data + content
                self._stream = None

    def _is_split_magic(self, content: bytes, magic: bytes) -> bool:
        """Whether a further member begins with fewer bytes than tell what it is; anything else is no member."""
        if len(content) < len(magic) and magic.startswith(content):
            self._waiting = content
            return True
        if not content.startswith(magic):
            raise _refuse("compression", "something follows the end of the compressed file")
        return False


def _stepped(decompress: Callable[[bytes], bytes], content: bytes) -> bytes:
    try:
        return decompress(content)
    except (zlib.error, zstandard.ZstdError):
        damaged = _refuse("compression", "the compressed file is damaged")
    raise damaged


# --- which format ----------------------------------------------------------------------------------------------------

_TABLE_FORMATS = ("csv", "tsv", "parquet", "jsonl")
_GRAPH_FORMATS = ("edgelist", "graphml", "gml", "gexf", "pajek", "node-link")
_TABLE_ENDINGS = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "parquet": "parquet", "pq": "parquet", "jsonl": "jsonl"}
_TABLE_ENDINGS |= {"ndjson": "jsonl"}
_GRAPH_ENDINGS = {"csv": "edgelist", "tsv": "edgelist", "edges": "edgelist", "edgelist": "edgelist", "el": "edgelist"}
_GRAPH_ENDINGS |= {"graphml": "graphml", "gml": "gml", "gexf": "gexf", "net": "pajek", "paj": "pajek"}
_GRAPH_ENDINGS |= {"json": "node-link"}
_COMPRESSED_ENDINGS = ("gz", "gzip", "zst", "zstd")
_GML_BEGINNING = re.compile(rb"(?is)^\s*(?:(?:creator|version|comment)\b|#|graph\s*\[)")
_PAJEK_BEGINNING = re.compile(rb"(?i)^\s*(?:%[^\n]*\n\s*)*\*(?:vertices|network)\b")


def sniff(
    kind: str, metadata: Mapping[str, Any], file_name: str | None, head: bytes, complete: bool, settings: Settings
) -> Sniffed:
    """Find out what a file is from its decompressed beginning, or raise `SniffProblem`.

    ``head`` is at most ``settings.sniff_bytes`` long; ``complete`` says that it is the whole file.
    """
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise _refuse("empty_file", "the file is empty")
    format_ = _format_of(kind, metadata, file_name, head)
    look = _Look(metadata, head, complete, settings)
    return _SNIFFERS[format_](look, format_) if kind != "temporal_graph" else _sniff_temporal(look, format_)


@dataclass(frozen=True)
class _Look:
    """What a sniffer looks at."""

    metadata: Mapping[str, Any]
    head: bytes
    complete: bool
    settings: Settings


def _format_of(kind: str, metadata: Mapping[str, Any], file_name: str | None, head: bytes) -> str:
    known = _TABLE_FORMATS if kind == "table" else _GRAPH_FORMATS
    stated = metadata.get("format")
    if stated is not None:
        if stated not in known:
            raise _refuse("unknown_format", "the format is not one of this kind of dataset", pointer="/metadata/format")
        return str(stated)
    endings = _TABLE_ENDINGS if kind == "table" else _GRAPH_ENDINGS
    named = endings.get(_ending(file_name))
    return named or (_table_format(head) if kind == "table" else _graph_format(head))


def _ending(file_name: str | None) -> str:
    words = (file_name or "").lower().split(".")
    while len(words) > 1 and words[-1] in _COMPRESSED_ENDINGS:
        words.pop()
    return words[-1] if len(words) > 1 else ""


def _table_format(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if _beginning(head).startswith(b"{") else "csv"


def _graph_format(head: bytes) -> str:
    start = _beginning(head)
    if start.startswith(b"{"):
        return "node-link"
    if start.startswith(b"<"):
        return "gexf" if re.search(rb"<(?:\w+:)?gexf\b", head) else "graphml"
    if _PAJEK_BEGINNING.match(head.removeprefix(codecs.BOM_UTF8)):
        return "pajek"
    return "gml" if _GML_BEGINNING.match(start) and re.search(rb"\bgraph\s*\[", head) else "edgelist"


def _beginning(head: bytes) -> bytes:
    return head[:4096].removeprefix(codecs.BOM_UTF8).lstrip()


# --- text ------------------------------------------------------------------------------------------------------------

_ENCODINGS = ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "cp1250", "iso8859-2", "mac-roman", "cp850")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_UNDEFINED_IN_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_DETECT = "auto"


def _text_of(look: _Look) -> tuple[str, str]:
    """The beginning as text, and the encoding a worker is to use."""
    if look.head.startswith(_WIDE_MARKS):
        raise _refuse("encoding", "the file is in UTF-16 or UTF-32: save it as UTF-8")
    if b"\0" in look.head:
        raise _refuse("nul_bytes", f"line {_line_of(look.head, look.head.find(0))} of the file has a NUL byte")
    head = look.head.removeprefix(codecs.BOM_UTF8)
    encoding = _stated_encoding(look)
    if encoding is not None:
        return _decoded(head, encoding, look.complete), encoding
    if head.isascii():
        return head.decode("ascii"), "utf-8" if look.complete else _DETECT
    if len(head) < len(look.head) or _decodes(head, "utf-8", look.complete):
        return _decoded(head, "utf-8", look.complete), "utf-8"
    encoding = "latin-1" if _UNDEFINED_IN_WINDOWS.search(head) else "cp1252"
    return _decoded(head, encoding, look.complete), encoding


def _stated_encoding(look: _Look) -> str | None:
    stated = look.metadata.get("encoding")
    if stated is None:
        return None
    try:
        name = codecs.lookup(stated).name.removesuffix("-sig")
    except LookupError:
        name = ""
    if name not in _ENCODINGS:
        raise _refuse("encoding", "the encoding is not one that is read here", pointer="/metadata/encoding")
    return name


def _decodes(content: bytes, encoding: str, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(content, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, encoding: str, complete: bool) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(content, final=complete)
    except UnicodeDecodeError as error:
        line = _line_of(content, error.start)
    raise _refuse("encoding", f"line {line} of the file is not in the encoding that it is said to have")


def _line_of(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


# --- csv and tsv -----------------------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_SAMPLE = 200
_LONGEST_VALUE = 60
_NUMBER = re.compile(r"\s*[+-]?(?:\d[\d.,' ]*|[.,]\d+)(?:[eE][+-]?\d+)?%?\s*")
_DATE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?\s*")
_COMMA_DECIMAL = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")
_POINT_DECIMAL = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d+")


def _sniff_delimited(look: _Look, format_: str) -> Sniffed:
    text, encoding = _text_of(look)
    text = text.lstrip("\r\n")
    delimiter = _stated_delimiter(look) or ("\t" if format_ == "tsv" else _detected_delimiter(text))
    rows = _records(text, delimiter, look)
    names = _checked_header(next(rows, []), look.settings)
    sample = _checked_rows(rows, len(names), look)
    if not sample and look.complete:
        raise _refuse("no_records", "the file has a header and no records")
    _refuse_data_as_header(names, sample)
    decimal = look.metadata.get("decimal") or _detected_decimal(sample, delimiter)
    details = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "header": True}
    return Sniffed(format_, details, names)


def _stated_delimiter(look: _Look) -> str | None:
    stated = look.metadata.get("delimiter")
    if stated is None:
        return None
    if len(stated) != 1 or stated in '"\r\n\0' or ord(stated) > 127:
        raise _refuse("delimiter", "the delimiter is not one plain character", pointer="/metadata/delimiter")
    return str(stated)


def _detected_delimiter(text: str) -> str:
    """The delimiter that cuts the header into several cells and most rows into as many."""
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


def _records(text: str, delimiter: str, look: _Look) -> Iterator[list[str]]:
    """Records of the beginning; its last one only where it is surely whole."""
    csv.field_size_limit(max(csv.field_size_limit(), look.settings.max_cell_bytes + 1))
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
        raise _quoting_problem(message, count)


def _quoting_problem(message: str, count: int) -> SniffProblem:
    """What a csv reader's complaint means, after so many records with the header."""
    row = count or None
    if "unexpected end" in message:
        return _refuse("quoting", "a quoted cell does not end", row=row)
    if "field larger" in message:
        return _refuse("cell_too_long", "a cell is longer than the limit", row=row)
    return _refuse("quoting", "a quote stands within a cell that is not quoted as a whole", row=row)


def _checked_header(cells: Sequence[str], settings: Settings) -> list[str]:
    if not cells:
        raise _refuse("no_header", "the first line is blank or too long: it must name the columns")
    if all(_is_value(cell) for cell in cells):
        raise _refuse("no_header", "the first line holds values: it must name the columns")
    return _checked_names(cells, settings)


def _checked_names(cells: Sequence[str], settings: Settings) -> list[str]:
    if len(cells) > settings.max_columns:
        raise _refuse("too_many_columns", f"there are more than {settings.max_columns} columns")
    names = [unicodedata.normalize("NFC", cell) for cell in cells]
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise _refuse("empty_column_name", f"column {position} has no name")
        if name in seen:
            raise _refuse("duplicate_column", f"columns {seen[name]} and {position} have the same name")
        if len(name.encode()) > settings.max_cell_bytes:
            raise _refuse("cell_too_long", f"the name of column {position} is longer than the limit")
        seen[name] = position
    return names


def _is_value(cell: str) -> bool:
    """Whether a cell is a number or a date, or nothing: no name that anybody would give a column."""
    return not cell.strip() or _is_number(cell) or (len(cell) <= _LONGEST_VALUE and _DATE.fullmatch(cell) is not None)


def _is_number(cell: str) -> bool:
    return len(cell) <= _LONGEST_VALUE and _NUMBER.fullmatch(cell) is not None


def _checked_rows(rows: Iterator[list[str]], width: int, look: _Look) -> list[list[str]]:
    """All records of the beginning, each as wide as the header."""
    records: list[list[str]] = []
    longest = look.settings.max_cell_bytes
    for row in rows:
        if not row and width > 1:
            continue
        cells = row or [""]
        if len(cells) != width:
            raise _refuse("ragged_row", "a row has not as many cells as the header", row=len(records) + 1)
        if any(4 * len(cell) > longest and len(cell.encode()) > longest for cell in cells):
            raise _refuse("cell_too_long", f"a cell is longer than {longest} bytes", row=len(records) + 1)
        records.append(cells)
    return records


def _refuse_data_as_header(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A file without a header shows its first record as names: numbers among them, or values that come again below.

    Names are told to others than the uploader, so what may be a record is refused and not guessed about.
    """
    recurring = sum(any(row[place] == name for row in rows[:_SAMPLE]) for place, name in enumerate(names))
    if any(_is_value(name) for name in names):
        raise _refuse("no_header", "a column is named by a number or a date: the first line must name the columns")
    if recurring > 1 and 2 * recurring > len(names):
        raise _refuse("no_header", "the first line looks like a record: it must name the columns")


def _detected_decimal(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = list(chain.from_iterable(rows[: 5 * _SAMPLE]))
    commas = sum(_COMMA_DECIMAL.fullmatch(cell) is not None for cell in cells)
    points = sum(_POINT_DECIMAL.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."


# --- jsonl -----------------------------------------------------------------------------------------------------------

_JSON_RULES = {"depth": "json_depth", "syntax": "malformed_json"}


def _sniff_jsonl(look: _Look, format_: str) -> Sniffed:
    head = look.head.removeprefix(codecs.BOM_UTF8)
    if look.head.startswith(_WIDE_MARKS):
        raise _refuse("encoding", "the file is in UTF-16 or UTF-32: save it as UTF-8")
    lines = head.split(b"\n")
    whole = lines if look.complete else lines[:-1]
    if not whole:
        raise _refuse("row_too_long", "the first line is longer than what is looked at")
    names: list[str] | None = None
    for row, line in enumerate((line for line in whole if line.strip()), start=1):
        record = _json_record(line.strip(), row, look.settings)
        names = names if names is not None else list(record)
        if record.keys() != set(names):
            raise _refuse("different_keys", "a line has not the members of the first line", row=row)
    checked = _checked_names(names or [], look.settings)
    if not checked:
        raise _refuse("no_columns", "the first line has no members")
    return Sniffed(format_, {"encoding": "utf-8", "decimal": "."}, checked)


def _json_record(line: bytes, row: int, settings: Settings) -> dict[str, Any]:
    record = _strict_json(line, settings, row)
    if not isinstance(record, dict):
        raise _refuse("malformed_json", "a line is not a JSON object", row=row)
    for value in record.values():
        if isinstance(value, dict | list):
            raise _refuse("nested_value", "a member is a list or an object", row=row)
        if isinstance(value, str) and len(value) > settings.max_cell_bytes:
            raise _refuse("cell_too_long", f"a cell is longer than {settings.max_cell_bytes} bytes", row=row)
    return record


def _strict_json(content: bytes, settings: Settings, row: int | None = None) -> Any:
    try:
        return parse_json(content, settings.max_json_depth)
    except BadJson as error:
        rule, detail = _JSON_RULES.get(error.rule, error.rule), error.detail
    where = "the file" if row is None else "a line"
    raise _refuse(rule, f"{where}: {detail}", row=row)


# --- parquet ---------------------------------------------------------------------------------------------------------


def _sniff_parquet(look: _Look, format_: str) -> Sniffed:
    if not look.head.startswith(b"PAR1"):
        raise _refuse("unreadable", "the file is not a parquet file")
    columns = _parquet_columns(look) if look.complete else None
    return Sniffed(format_, {"decimal": "."}, columns)


def _parquet_columns(look: _Look) -> list[str]:
    """Names of a whole parquet file; nested columns are refused."""
    footer = int.from_bytes(look.head[-8:-4], "little")
    if len(look.head) < 12 or look.head[-4:] != b"PAR1" or not 0 < footer <= len(look.head) - 12:
        raise _refuse("unreadable", "the parquet file is incomplete")
    # Loaded only where needed: it is large, and most uploads are text.
    import pyarrow as pa
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(
            pa.BufferReader(look.head), thrift_string_size_limit=1 << 22, thrift_container_size_limit=1 << 18
        )
        rows, schema = file.metadata.num_rows, file.schema_arrow
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError):
        schema = None
    if schema is None:
        raise _refuse("unreadable", "the parquet file is damaged")
    if not len(schema):
        raise _refuse("no_columns", "the file has no columns")
    if any(pa.types.is_nested(column.type) for column in schema):
        raise _refuse("unsupported_type", "a column is nested")
    if rows == 0:
        raise _refuse("no_records", "the file has no records")
    if not 0 < rows <= look.settings.max_rows:
        raise _refuse("too_many_rows", f"there are more than {look.settings.max_rows} rows")
    return _checked_names(schema.names, look.settings)


# --- edge lists ------------------------------------------------------------------------------------------------------

_HEADERS = {
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("from_node_id", "to_node_id"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
    ("id1", "id2"),
    ("u", "v"),
    ("head", "tail"),
    ("sender", "receiver"),
}
_DICTIONARY_AFTER_ENDS = re.compile(r"\S+\s+\S+\s+\{")


def _sniff_edges(look: _Look, format_: str, least: int = 2) -> Sniffed:
    text, encoding = _text_of(look)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = lines if look.complete else lines[:-1]
    records = [line for line in whole if line.strip() and line.lstrip()[0] not in "#%"]
    if not records:
        if look.complete:
            raise _refuse("no_records", "the file has no edges")
        return Sniffed(format_, {"delimiter": None, "encoding": encoding, "header": False}, [])
    delimiter = _stated_delimiter(look) or _edge_delimiter(records)
    rows = _edge_rows(records, delimiter)
    header = _is_edge_header(rows)
    _check_edges(rows[header:], least, look)
    _refuse_uneven(rows[header:], records[header:])
    extra = max(map(len, rows)) - 2
    details = {"delimiter": delimiter, "encoding": encoding, "header": header, "extra_columns": extra}
    return Sniffed(format_, details, [])


def _edge_delimiter(records: Sequence[str]) -> str:
    sample = records[:_SAMPLE]
    if all(_DICTIONARY_AFTER_ENDS.match(line.strip()) for line in sample):
        return " "
    shares = {mark: sum(mark in line.strip() for line in sample) / len(sample) for mark in "\t,;"}
    best = max(shares, key=lambda mark: shares[mark])
    return best if shares[best] > 0.5 else " "


def _edge_rows(records: Sequence[str], delimiter: str) -> list[list[str]]:
    if delimiter != " " and not any('"' in line for line in records):
        return [[cell.strip() for cell in line.split(delimiter)] for line in records]
    if not any('"' in line for line in records):
        return [line.split() for line in records]
    rows, unended = cut_quoted(records, delimiter)
    if unended is not None:
        raise _refuse("quoting", OPEN_QUOTE, row=unended)
    return rows


def _is_edge_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: by well-known words, or as the only row without numbers."""
    first = rows[0][:2]
    if tuple(cell.lower() for cell in first) in _HEADERS:
        return True
    if len(rows) < 3 or any(map(_is_number, first)):
        return False
    return all(_is_number(cell) for row in rows[1:] for cell in row[:2])


def _check_edges(rows: Sequence[Sequence[str]], least: int, look: _Look) -> None:
    if not rows and look.complete:
        raise _refuse("no_records", "the file has a header and no edges")
    for number, row in enumerate(rows, start=1):
        if len(row) < least:
            words = "two" if least == 2 else "three"
            raise _refuse("ragged_row", f"a row has not {words} columns", row=number)
        if not (row[0] and row[1]):
            raise _refuse("empty_id", "an edge lacks an end point", row=number)
        if max(len(row[0]), len(row[1])) > look.settings.max_cell_bytes:
            raise _refuse("cell_too_long", "an id is longer than the limit", row=number)


def _refuse_uneven(rows: Sequence[Sequence[str]], records: Sequence[str]) -> None:
    """Rows are equally wide, but where edges carry a dictionary of attributes: its commas or spaces cut it up."""
    for number, (row, record) in enumerate(zip(rows, records, strict=True), start=1):
        if len(row) != len(rows[0]) and "{" not in record:
            raise _refuse("ragged_row", "a row has not as many columns as the first", row=number)


def _sniff_temporal(look: _Look, format_: str) -> Sniffed:
    if format_ != "edgelist":
        raise _refuse("unknown_format", "a temporal graph is an edge list with times", pointer="/metadata/format")
    return _sniff_edges(look, format_, least=3)


# --- XML -------------------------------------------------------------------------------------------------------------

_DEEPEST_XML = 64


class _XmlLook:
    """Follows the beginning of an XML file: its root, its declared attributes of nodes, and what is forbidden."""

    def __init__(self, root: str) -> None:
        self.names: list[str] = []
        self.body_reached = False
        self._root = root
        self._depth = 0
        self._of_nodes = False
        self._body = "graph" if root == "graphml" else "nodes"

    def refuse_doctype(self, *_: object) -> None:
        raise _refuse("dtd", "the file has a document type declaration")

    def start(self, tag: str, settings: dict[str, str]) -> None:
        local = tag.rpartition(":")[2]
        if self._depth == 0 and local != self._root:
            raise _refuse("malformed_xml", f"the outermost element is not {self._root}")
        self._depth += 1
        if self._depth > _DEEPEST_XML:
            raise _refuse("xml_depth", f"elements are nested more than {_DEEPEST_XML} deep")
        if local == self._body:
            self.body_reached = True
        elif local == "key" and settings.get("for", "all") in ("node", "all"):
            self.names.append(settings.get("attr.name") or settings.get("id") or "")
        elif local == "attributes":
            self._of_nodes = settings.get("class") == "node"
        elif local == "attribute" and self._of_nodes:
            self.names.append(settings.get("title") or settings.get("id") or "")

    def end(self, tag: str) -> None:
        self._depth -= 1


def _sniff_xml(look: _Look, format_: str) -> Sniffed:
    if look.head.startswith(_WIDE_MARKS):
        raise _refuse("encoding", "the file is in UTF-16 or UTF-32: save it as UTF-8")
    seen = _XmlLook(format_)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = seen.refuse_doctype
    parser.EntityDeclHandler = seen.refuse_doctype
    parser.StartElementHandler = seen.start
    parser.EndElementHandler = seen.end
    try:
        parser.Parse(look.head, look.complete)
    except (expat.ExpatError, LookupError, ValueError):
        malformed = True
    else:
        malformed = False
    if malformed:
        raise _refuse("malformed_xml", "the file is not well-formed XML")
    columns = _checked_names(seen.names, look.settings) if seen.body_reached else None
    return Sniffed(format_, {}, columns)


# --- gml, pajek, node-link -------------------------------------------------------------------------------------------

_JSON_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A text, or one that the end cuts off: it always matches where it begins, so that a search stays linear."""
_JSON_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b")


def _sniff_gml(look: _Look, format_: str) -> Sniffed:
    _refuse_nul(look)
    if not re.search(rb"(?i)\bgraph\s*\[", look.head):
        raise _refuse("malformed_gml", "the file has no graph")
    if look.complete and not re.search(rb"(?i)\bnode\s*\[", look.head):
        raise _refuse("no_records", "the file has no nodes")
    return Sniffed(format_)


def _sniff_pajek(look: _Look, format_: str) -> Sniffed:
    _, encoding = _text_of(look)
    if not _PAJEK_BEGINNING.match(look.head.removeprefix(codecs.BOM_UTF8)):
        raise _refuse("malformed_pajek", "the file does not begin with its vertices")
    return Sniffed(format_, {"encoding": encoding}, [])


def _sniff_node_link(look: _Look, format_: str) -> Sniffed:
    _refuse_nul(look)
    head = look.head.removeprefix(codecs.BOM_UTF8).strip()
    if not head.startswith(b"{"):
        raise _refuse("malformed_json", "the file is not a JSON object")
    _refuse_hostile_json(head, look.settings)
    if not look.complete:
        return Sniffed(format_)
    document = _strict_json(head, look.settings)
    nodes = document.get("nodes")
    if not isinstance(nodes, list) or not isinstance(document.get("edges", document.get("links")), list):
        raise _refuse("malformed_json", "the file has not one list of nodes and one of edges")
    if not nodes or not all(isinstance(node, dict) and "id" in node for node in nodes):
        raise _refuse("malformed_json", "there is no node, or one is not an object with an id")
    names = dict.fromkeys(name for node in nodes for name in node if name != "id")
    return Sniffed(format_, {}, _checked_names(list(names), look.settings))


def _refuse_hostile_json(head: bytes, settings: Settings) -> None:
    """What can be refused in the beginning of a JSON text: deep nesting and what is not a number."""
    bare = _JSON_TEXT.sub(b"", head)
    if _JSON_CONSTANT.search(bare):
        raise _refuse("not_a_number", "NaN and Infinity are not JSON")
    depth = 0
    for mark in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if mark in b"[{" else -1
        if depth > settings.max_json_depth:
            raise _refuse("json_depth", f"the file is nested more than {settings.max_json_depth} levels deep")


def _refuse_nul(look: _Look) -> None:
    if look.head.startswith(_WIDE_MARKS):
        raise _refuse("encoding", "the file is in UTF-16 or UTF-32: save it as UTF-8")
    if b"\0" in look.head:
        raise _refuse("nul_bytes", "the file has NUL bytes")


_SNIFFERS: dict[str, Callable[[_Look, str], Sniffed]] = {
    "csv": _sniff_delimited,
    "tsv": _sniff_delimited,
    "parquet": _sniff_parquet,
    "jsonl": _sniff_jsonl,
    "edgelist": _sniff_edges,
    "graphml": _sniff_xml,
    "gexf": _sniff_xml,
    "gml": _sniff_gml,
    "pajek": _sniff_pajek,
    "node-link": _sniff_node_link,
}
