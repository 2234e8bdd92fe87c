"""Readers of released tables: csv, parquet, jsonl and xlsx, each stricter than a reader for analysis.

Anything that two readers could understand differently (a stray quote, a blank line, a repeated key) is refused, so
that the table verified here is the table that everyone sees.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from verifier.readers.cells import FLOAT, FORMULA, INTEGER, TEXT, Cells, Column, encoded, is_number, kind_and_text
from verifier.readers.output import PLAIN, Dialect
from verifier.readers.parquet import read_parquet
from verifier.readers.quotes import has_blank_line, looseness_of_csv, with_separators
from verifier.readers.workbooks import read_workbook
from verifier.verdict.verdict import Artifact, Unreadable
from verifier.verdict.watch import look

_BLOCK = 64 * 2**20
_MARK = b"\xef\xbb\xbf"
_LINES = 4 * 2**20
_SEPARATOR = 0x1F
_RETURN = 0x0D
_LINE_END = re.compile(rb"\n")
_NOTHING = re.compile(rb"\x00")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SURELY_WHOLE = 19
_CODED_TEXT = pa.dictionary(pa.int32(), pa.string())


def read_table(artifact: Artifact, dialect: Dialect = PLAIN) -> Cells:
    """Read the table of an artifact; raises `Unreadable`. The dialect applies to csv files."""
    reader = _READERS.get(artifact.format)
    if reader is None:
        raise Unreadable("not a format of tables")
    names, columns = reader(artifact.content, dialect)
    rows = len(columns[0].codes) if columns else 0
    return Cells(artifact.format, artifact.part, names, columns, rows)


_Read = tuple[tuple[str, ...], tuple[Column, ...]]


def _read_csv(content: bytes | bytearray | memoryview, dialect: Dialect) -> _Read:
    """RFC 4180 with a header, commas or the dialect's delimiter, line feeds and UTF-8."""
    # Some readers end a text at a NUL, and would show another table.
    if _NOTHING.search(content):
        raise Unreadable("a NUL character")
    marked = bytes(content[:3]) == _MARK
    if marked != dialect.bom:
        raise Unreadable("a byte order mark, which the policy does not ask for" if marked else "no byte order mark")
    content = memoryview(content)[3:] if marked else content
    names = _csv_header(content, dialect.delimiter)
    _refuse_loose_csv(np.frombuffer(content, np.uint8), len(names), ord(dialect.delimiter))
    table = _arrow_table(
        pa.BufferReader(content),
        len(names),
        pyarrow.csv.ReadOptions(
            column_names=_plain_names(len(names)), skip_rows_after_names=1, block_size=_BLOCK, use_threads=False
        ),
        pyarrow.csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, ignore_empty_lines=False),
        "not a csv file with rows of one length in UTF-8",
    )
    return names, tuple(_text_column(column) for column in table.columns)


def _plain_names(width: int) -> list[str]:
    return [f"c{position}" for position in range(width)]


def _arrow_table(source: Any, width: int, read: Any, parse: Any, failure: str) -> Any:
    """Exact texts in columns of codes, with one dictionary per column."""
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(_plain_names(width), _CODED_TEXT),
        # No text means null: an empty cell and the word null stay different.
        null_values=[],
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
        check_utf8=True,
    )
    try:
        return pyarrow.csv.read_csv(source, read, parse, convert).unify_dictionaries()
    except pa.ArrowException:
        raise Unreadable(failure) from None


def _csv_header(content: bytes | bytearray | memoryview, delimiter: str) -> tuple[str, ...]:
    with io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="") as lines:
        try:
            names = next(csv.reader(lines, strict=True, delimiter=delimiter), None)
        except (csv.Error, UnicodeDecodeError):
            raise Unreadable("the header is not csv in UTF-8") from None
    if not names:
        raise Unreadable("no header")
    if any(name.startswith(FORMULA) for name in names):
        raise Unreadable("a spreadsheet would run a column name")
    return tuple(_unmarked(name) for name in names)


def _unmarked(name: str) -> str:
    """A column's name without the apostrophe that keeps a spreadsheet from running it."""
    return name[1:] if name.startswith("'") and name.lstrip("'").startswith(FORMULA) else name


def _refuse_loose_csv(content: NDArray[np.uint8], width: int, delimiter: int) -> None:
    looseness = looseness_of_csv(content, delimiter) or (
        "a blank line" if width > 1 and has_blank_line(content) else ""
    )
    if looseness:
        raise Unreadable(looseness)


def _text_column(column: Any) -> Column:
    """A column of an Arrow dictionary of texts without nulls."""
    if not column.num_chunks:
        return Column(np.empty(0, np.int64), [], "")
    chunks = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    texts = column.chunk(0).dictionary.to_pylist()
    return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))


_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_SCALAR = rf"{_STRING}|-?[0-9][0-9.eE+-]*|true|false|null"
_MEMBER = re.compile(rf"({_STRING}) *: *(?:{_SCALAR})")


def _read_jsonl(content: bytes | bytearray | memoryview) -> _Read:
    """One flat object per line, with the same keys in the same order.

    Lines are split into members at the commas outside texts; each distinct member is then matched with its column's
    pattern. However odd bytes are split, members that match, joined again, are exactly the lines of the file.
    """
    first = _LINE_END.search(content)
    names, patterns = _jsonl_shape(bytes(content[: first.start()] if first else content))
    table = pa.concat_tables([_members(lines, len(names)) for lines in _line_blocks(content)])
    try:
        unified = table.unify_dictionaries()
    except pa.ArrowException:
        raise Unreadable("too many different cells") from None
    return names, tuple(map(_member_column, unified.columns, patterns))


def _jsonl_shape(line: bytes) -> tuple[tuple[str, ...], list[re.Pattern[str]]]:
    """The keys of the first line, and for each the pattern of the text between the commas around it."""
    try:
        text = str(line, "utf-8")
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    pairs = scan_json(text)
    keys = _MEMBER.findall(text)
    if not isinstance(pairs, Pairs) or not pairs or len(keys) != len(pairs):
        raise Unreadable("a line that is not a flat object")
    members = [f" *{re.escape(key)} *: *({_SCALAR}) *" for key in keys]
    members[0] = r"\{" + members[0]
    members[-1] += r"\}"
    return tuple(key for key, _ in pairs), [re.compile(member) for member in members]


def _line_blocks(content: bytes | bytearray | memoryview) -> Iterator[NDArray[np.uint8]]:
    """Blocks of whole lines."""
    whole = np.frombuffer(content, np.uint8)
    start = 0
    while start < len(whole):
        look()
        end = _LINE_END.search(content, start + _LINES)
        stop = end.end() if end else len(whole)
        yield whole[start:stop]
        start = stop


def _members(lines: NDArray[np.uint8], width: int) -> Any:
    """Lines as a table of their members, each as written."""
    # Neither may be in a JSON text unescaped, so a valid file loses nothing; the reader below would end lines at one,
    # and members are cut at the other.
    if (lines == _RETURN).any() or (lines == _SEPARATOR).any():
        raise Unreadable("a control character")
    cut = with_separators(lines, _SEPARATOR)[: len(lines)]
    return _arrow_table(
        pa.BufferReader(cut),
        width,
        pyarrow.csv.ReadOptions(column_names=_plain_names(width), block_size=len(cut), use_threads=False),
        pyarrow.csv.ParseOptions(
            delimiter=chr(_SEPARATOR), quote_char=False, newlines_in_values=False, ignore_empty_lines=False
        ),
        "a line that is not a flat object with the keys of the first line",
    )


def _member_column(column: Any, pattern: re.Pattern[str]) -> Column:
    members = _text_column(column)
    matches = [pattern.fullmatch(member) for member in members.texts]
    if None in matches:
        raise Unreadable("a line that is not a flat object with the keys of the first line")
    labels = [kind_and_text(scan_json(match.group(1))) for match in matches if match is not None]
    return encoded(members.codes, [text for _, text in labels], "".join(kind for kind, _ in labels))


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, in the order of the file."""


def _pairs(pairs: list[tuple[str, Any]]) -> Pairs:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Unreadable("a repeated key")
    return Pairs(pairs)


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable("a number that JSON does not have")


def same_number(kind: str, text: str) -> tuple[str, str]:
    """A number as written, if every reader sees that number: a double neither overflows nor rounds it."""
    if kind == INTEGER and len(text) <= _SURELY_WHOLE:
        return kind, text
    if not is_number(text) or not math.isfinite(float(text)) or Decimal(text) != Decimal(repr(float(text))):
        raise Unreadable("a number that overflows, or that readers round")
    return kind, text


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=lambda text: same_number(INTEGER, text),
    parse_float=lambda text: same_number(FLOAT, text),
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
    # Only an escape can write half of a pair, so only texts with such escapes need the slow look at every value.
    if _HALF.search(text) and not _is_unicode(value):
        raise Unreadable("half of a surrogate pair")
    return value


def _is_unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_READERS: dict[str, Callable[[bytes | bytearray | memoryview, Dialect], _Read]] = {
    "csv": _read_csv,
    "parquet": lambda content, _: read_parquet(content),
    "jsonl": lambda content, _: _read_jsonl(content),
    "xlsx": lambda content, _: read_workbook(content),
}
