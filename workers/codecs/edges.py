"""Edge lists: two ids a line, split by a comma, semicolon, tab or spaces; what follows them is dropped.

Lines are cut by array operations on bytes, a few megabytes at a time: no object is made per edge. Only pieces that hold
a quotation mark take the slower way through a csv reader.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from storage.settings import Settings
from workers.codecs.raw import clean_column, invalid, unified
from workers.codecs.stream import decoded, utf8_bytes

_PIECE = 4 << 20
_NEWLINE = 10
_COMMENT = np.zeros(256, dtype=bool)
_COMMENT[list(b"#%")] = True
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b" \t\r\n")] = True


@dataclass(frozen=True)
class Ends:
    """The end points of edges: codes into the ids in order of appearance, and how many attributes edges had."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    ids: NDArray[np.object_]
    attributes: int


@dataclass(frozen=True)
class Pairs:
    """The first two cells of the records of one piece of text."""

    first: Any
    second: Any
    widths: NDArray[np.int64]
    """How many cells each record has."""

    def without_first(self) -> "Pairs":
        return Pairs(self.first[1:], self.second[1:], self.widths[1:])


def read_edges(
    chunks: Iterable[bytes], delimiter: str | None, header: bool, encoding: str | None, settings: Settings
) -> Ends:
    """Read an edge list; ids are texts without the spaces around them."""
    coded, width, done = [], 0, 0
    for piece in _pieces(utf8_bytes(chunks, encoding, settings), settings):
        delimiter = delimiter or _delimiter_of(piece)
        pairs = cut_pairs(piece, delimiter, done)
        if header and not done and len(pairs.first):
            pairs, header = pairs.without_first(), False
        if not len(pairs.first):
            continue
        width = width or int(pairs.widths[0])
        if b"{" in piece:
            width = max(width, 3)
        else:
            _refuse_ragged(pairs.widths != width, done)
        done += len(pairs.first)
        coded += [pairs.first.dictionary_encode(), pairs.second.dictionary_encode()]
    if not done:
        raise invalid("no_records", "the file has no edges")
    if done > settings.max_rows:
        raise invalid("too_many_rows", f"there are more than {settings.max_rows} edges")
    return _ends(coded, width, settings)


def cut_pairs(piece: bytes, delimiter: str, done: int = 0) -> Pairs:
    """The first two cells of every line that is neither blank nor a comment; ``done`` records came before."""
    if b'"' in piece:
        return _quoted_pairs(decoded(piece, done), delimiter, done)
    content = np.frombuffer(piece if piece.endswith(b"\n") else piece + b"\n", dtype=np.uint8)
    cut = _cut_at_spaces if delimiter == " " else _cut_at
    starts, stops, widths = cut(content, ord(delimiter), done)
    empty = (starts >= stops).any(axis=0)
    if empty.any():
        raise invalid("empty_id", "an edge lacks an end point", row=done + int(empty.argmax()) + 1)
    return Pairs(_texts(content, starts[0], stops[0], done), _texts(content, starts[1], stops[1], done), widths)


def _pieces(pieces: Iterator[bytes], settings: Settings) -> Iterator[bytes]:
    """Whole lines, some megabytes at a time."""
    rest = bytearray()
    longest = 16 * max(_PIECE, settings.max_cell_bytes)
    for piece in pieces:
        rest += piece
        cut = rest.rfind(b"\n")
        if cut < 0 and len(rest) > longest:
            raise invalid("row_too_long", f"a line is longer than {longest} bytes")
        if cut >= 0 and len(rest) >= _PIECE:
            yield bytes(rest[: cut + 1])
            del rest[: cut + 1]
    if rest:
        # Only files of old systems end their lines with a carriage return alone.
        yield bytes(rest) if b"\n" in rest else bytes(rest).replace(b"\r", b"\n")


def _delimiter_of(piece: bytes) -> str:
    lines = (line.strip() for line in piece.split(b"\n", 1000))
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"")
    return next((mark for mark in "\t,;" if mark.encode() in first), " ")


_Cut = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _cut_at_spaces(content: NDArray[np.uint8], _: int, done: int) -> _Cut:
    """Cells are runs of anything but white space."""
    inside = ~_SPACE[content]
    before = np.concatenate([[False], inside[:-1]])
    starts = np.flatnonzero(inside & ~before)
    stops = np.flatnonzero(~inside & before)
    lines = np.searchsorted(np.flatnonzero(content == _NEWLINE), starts)
    first = np.flatnonzero(np.diff(lines, prepend=-1))
    widths = np.diff(first, append=len(starts))
    records = ~_COMMENT[content[starts[first]]]
    first, widths = first[records], widths[records]
    _refuse_ragged(widths < 2, done)
    return starts[[first, first + 1]], stops[[first, first + 1]], widths


def _cut_at(content: NDArray[np.uint8], delimiter: int, done: int) -> _Cut:
    """Cells are what stands between delimiters, without the spaces around."""
    ends = np.flatnonzero(content == _NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    starts, ends = _trimmed(content, starts, ends)
    records = (starts < ends) & ~_COMMENT[content[np.minimum(starts, len(content) - 1)]]
    starts, ends = starts[records], ends[records]
    marks = np.append(np.flatnonzero(content == delimiter), [len(content)] * 2)
    place = np.searchsorted(marks, starts)
    beyond = np.searchsorted(marks, ends)
    _refuse_ragged(place == beyond, done)
    first, second = marks[place], np.minimum(marks[place + 1], ends)
    left, right = _trimmed(content, starts, first), _trimmed(content, first + 1, second)
    return np.stack([left[0], right[0]]), np.stack([left[1], right[1]]), beyond - place + 1


def _refuse_ragged(ragged: NDArray[np.bool_], done: int) -> None:
    if ragged.any():
        row = done + int(ragged.argmax()) + 1
        raise invalid("ragged_row", "a row has fewer than two columns, or not as many as the first", row=row)


def _trimmed(
    content: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same spans without white space at either end."""
    starts, stops = starts.copy(), stops.copy()
    last = len(content) - 1
    while (loose := (starts < stops) & _SPACE[content[np.minimum(starts, last)]]).any():
        starts += loose
    while (loose := (starts < stops) & _SPACE[content[stops - 1]]).any():
        stops -= loose
    return starts, stops


def _texts(content: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64], done: int) -> Any:
    """The spans as an Arrow array of texts."""
    lengths = stops - starts
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    buffers = [pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(content[places])]
    texts = pa.StringArray.from_buffers(len(starts), *buffers)
    try:
        texts.validate(full=True)
        return texts
    except pa.ArrowInvalid:
        spans = zip(starts, stops, strict=True)
        damaged = next(i for i, (start, stop) in enumerate(spans) if not _is_utf8(content[start:stop].tobytes()))
    row = done + damaged + 1
    raise invalid("encoding", "the file is not in the encoding that it is said to have", row=row)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _quoted_pairs(text: str, delimiter: str, done: int) -> Pairs:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith(("#", "%"))]
    rows = [row for row in _quoted_rows(lines, delimiter, done) if row]
    widths = np.array([len(row) for row in rows], dtype=np.int64)
    _refuse_ragged(widths < 2, done)
    first, second = ([row[side].strip() for row in rows] for side in (0, 1))
    empty = next((i for i, ends in enumerate(zip(first, second, strict=True)) if not all(ends)), None)
    if empty is not None:
        raise invalid("empty_id", "an edge lacks an end point", row=done + empty + 1)
    return Pairs(pa.array(first, pa.string()), pa.array(second, pa.string()), widths)


def _quoted_rows(lines: list[str], delimiter: str, done: int) -> Iterator[list[str]]:
    """The cells of every line. A quote that stays open is refused: it would swallow the edges after it."""
    # One line more shows whether a quote of the last one is still open.
    given = [*(line.replace("\t", " ") if delimiter == " " else line for line in lines), ""]
    reader = csv.reader(given, delimiter=delimiter, skipinitialspace=True)
    for row in range(1, len(given) + 1):
        try:
            cells = next(reader)
            closed = reader.line_num == row
        except csv.Error:
            closed = False
        if not closed:
            raise invalid("quoting", "a quoted id does not end in its line", row=done + row)
        yield cells


def _ends(coded: list[Any], width: int, settings: Settings) -> Ends:
    codes, texts = unified(coded)
    column = clean_column(None, codes, texts, settings)
    bounds = np.cumsum([0] + [len(part) for part in coded])
    spans = [column.codes[a:b].astype(np.int64) for a, b in pairwise(bounds)]
    return Ends(np.concatenate(spans[::2]), np.concatenate(spans[1::2]), column.values, width - 2)
