"""Readers of released tables: csv, parquet and jsonl, each stricter than a reader for analysis would be.

What two readers could understand differently (a stray quote, a blank line, a repeated key) is refused, so that the
table judged here is the table that everybody sees.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from verifier.cells import FLOAT, INTEGER, NOTHING, TEXT, TRUTH, Cells, Coder, Column, encoded
from verifier.verdict import Artifact, Unreadable

_BLOCK = 64 * 2**20
_BATCH = 20_000
_QUOTE, _COMMA, _NEWLINE, _RETURN = b'",\n\r'
_CODED_TEXT = pa.dictionary(pa.int32(), pa.string())
_TRUTHS = {True: "true", False: "false"}


def read_table(artifact: Artifact) -> Cells:
    """The table that an artifact shows; raises `Unreadable`."""
    reader = _READERS.get(artifact.format)
    if reader is None:
        raise Unreadable("not a format of tables")
    names, columns = reader(artifact.content)
    rows = len(columns[0].codes) if columns else 0
    return Cells(artifact.format, artifact.part, names, columns, rows)


_Read = tuple[tuple[str, ...], tuple[Column, ...]]


def _read_csv(content: bytes | bytearray | memoryview) -> _Read:
    """RFC 4180 with a header, commas, line feeds and UTF-8."""
    names = _csv_header(content)
    _refuse_loose_csv(np.frombuffer(content, np.uint8), len(names))
    plain = [f"c{position}" for position in range(len(names))]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            read_options=pyarrow.csv.ReadOptions(
                column_names=plain, skip_rows_after_names=1, block_size=_BLOCK, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(plain, _CODED_TEXT),
                null_values=[],
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
                check_utf8=True,
            ),
        )
    except pa.ArrowException:
        raise Unreadable("not a csv file with rows of one length in UTF-8") from None
    unified = table.unify_dictionaries()
    return names, tuple(_text_column(column) for column in unified.columns)


def _csv_header(content: bytes | bytearray | memoryview) -> tuple[str, ...]:
    with io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="") as lines:
        try:
            names = next(csv.reader(lines, strict=True), None)
        except (csv.Error, UnicodeDecodeError):
            raise Unreadable("the header is not csv in UTF-8") from None
    if not names:
        raise Unreadable("no header")
    return tuple(names)


def _refuse_loose_csv(content: NDArray[np.uint8], width: int) -> None:
    """Refuse what RFC 4180 does not allow and readers guess about."""
    quotes = np.flatnonzero(content == _QUOTE)
    if len(quotes) % 2:
        raise Unreadable("a quoted cell does not end")
    _refuse_stray_quotes(content, quotes)
    if not _all_quoted(np.flatnonzero(content == _RETURN), quotes):
        raise Unreadable("a carriage return outside quotes")
    blank = np.flatnonzero((content[1:] == _NEWLINE) & (content[:-1] == _NEWLINE)) + 1
    if width > 1 and not _all_quoted(blank, quotes):
        raise Unreadable("a blank line")


def _refuse_stray_quotes(content: NDArray[np.uint8], quotes: NDArray[np.intp]) -> None:
    """A cell is quoted as a whole: every quote opens a cell, closes one, or is one half of a doubled quote."""
    opening, closing = quotes[::2], quotes[1::2]
    doubled = closing[:-1] + 1 == opening[1:]
    before = content[np.maximum(opening - 1, 0)]
    starts = (opening == 0) | (before == _COMMA) | (before == _NEWLINE)
    starts[1:] |= doubled
    after = content[np.minimum(closing + 1, max(len(content) - 1, 0))]
    ends = (closing == len(content) - 1) | (after == _COMMA) | (after == _NEWLINE)
    ends[:-1] |= doubled
    if not (starts.all() and ends.all()):
        raise Unreadable("a quote inside a cell that is not quoted as a whole")


def _all_quoted(places: NDArray[np.intp], quotes: NDArray[np.intp]) -> bool:
    return bool((np.searchsorted(quotes, places) % 2 == 1).all())


def _text_column(column: Any) -> Column:
    """A column of an Arrow dictionary of texts without nulls."""
    if not column.num_chunks:
        return Column(np.empty(0, np.int64), [], "")
    chunks = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    texts = column.chunk(0).dictionary.to_pylist()
    return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))


def _read_parquet(content: bytes | bytearray | memoryview) -> _Read:
    """Texts, numbers and truth values; nothing in the file but what its rows show."""
    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
        schema = file.schema_arrow
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
        extra = set(file.metadata.metadata or {}) - {b"ARROW:schema"}
        table = file.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        raise Unreadable("not a parquet file") from None
    if extra or any(field.metadata and set(field.metadata) - {b"PARQUET:field_id"} for field in schema):
        raise Unreadable("metadata beside the columns")
    return tuple(schema.names), tuple(_parquet_column(column) for column in table.columns)


def _parquet_column(column: Any) -> Column:
    kind = _parquet_kind(column.type)
    if kind == NOTHING:
        return Column(np.zeros(len(column), np.int64), [""], NOTHING)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = coded.unify_dictionaries()
    if not whole.num_chunks:
        return Column(np.empty(0, np.int64), [], "")
    values = whole.chunk(0).dictionary.to_pylist()
    codes = np.concatenate(
        [chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False) for chunk in whole.chunks]
    ).astype(np.int64)
    _refuse_unused_labels(codes, len(values))
    labels = [_parquet_text(kind, value) for value in values]
    if whole.null_count:
        return encoded(codes, [*labels, ""], kind * len(labels) + NOTHING)
    return encoded(codes, labels, kind * len(labels))


def _parquet_kind(type_: Any) -> str:
    plain = type_.value_type if pa.types.is_dictionary(type_) else type_
    if _is_text(plain):
        return TEXT
    if pa.types.is_integer(plain):
        return INTEGER
    if pa.types.is_float32(plain) or pa.types.is_float64(plain):
        return FLOAT
    if pa.types.is_boolean(plain):
        return TRUTH
    if pa.types.is_null(plain):
        return NOTHING
    raise Unreadable("a column that is neither text, number nor truth value")


def _is_text(type_: Any) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def _parquet_text(kind: str, value: Any) -> str:
    if kind == TRUTH:
        return _TRUTHS[value]
    return repr(value) if kind == FLOAT else str(value)


def _refuse_unused_labels(codes: NDArray[np.int64], labels: int) -> None:
    """A dictionary may carry values of rows that were suppressed: they are in the bytes although no row shows them."""
    if not np.bincount(codes, minlength=labels)[:labels].all():
        raise Unreadable("a dictionary with values that no row shows")


_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_SCALAR = rf"{_STRING}|-?[0-9][0-9.eE+-]*|true|false|null"
_MEMBER = re.compile(rf"({_STRING}) *: *(?:{_SCALAR})")


def _read_jsonl(content: bytes | bytearray | memoryview) -> _Read:
    """One flat object per line, with the same keys in the same order.

    Lines are cut into cells by a pattern made from the first one; only distinct cells are then decoded.
    """
    try:
        lines = str(content, "utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    names, line_pattern = _jsonl_shape(lines[0])
    coders = [Coder() for _ in names]
    for start in range(0, len(lines), _BATCH):
        matches = [line_pattern.fullmatch(line) for line in lines[start : start + _BATCH]]
        if None in matches:
            raise Unreadable("a line that is not a flat object with the keys of the first line")
        rows = (match.groups() for match in matches if match is not None)
        for coder, cells in zip(coders, zip(*rows, strict=True), strict=True):
            coder.add(cells)
    return names, tuple(coder.column(scan_json) for coder in coders)


def _jsonl_shape(line: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """The keys of the first line, and the pattern of a line with exactly these keys."""
    pairs = scan_json(line)
    keys = _MEMBER.findall(line)
    if not isinstance(pairs, Pairs) or not pairs or len(keys) != len(pairs):
        raise Unreadable("a line that is not a flat object")
    members = " *, *".join(f"{re.escape(key)} *: *({_SCALAR})" for key in keys)
    return tuple(key for key, _ in pairs), re.compile(rf"\{{ *{members} *\}}")


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, in the order of the file."""


def _pairs(pairs: list[tuple[str, Any]]) -> Pairs:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Unreadable("a repeated key")
    return Pairs(pairs)


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable("a number that JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=lambda text: (INTEGER, text),
    parse_float=lambda text: (FLOAT, text),
    parse_constant=_refuse_constant,
)


def scan_json(text: str) -> Any:
    """One JSON value and nothing else: objects as `Pairs`, numbers as (kind, text as written)."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        raise Unreadable("not JSON") from None
    if end != len(text):
        raise Unreadable("not JSON")
    return value


_READERS: dict[str, Callable[[bytes | bytearray | memoryview], _Read]] = {
    "csv": _read_csv,
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
}
