"""Edge lists: two ids per line, separated by comma, semicolon, tab or spaces, then the attributes of the edge.

Lines are split by array operations on bytes, a few megabytes at a time: no object is created per edge. Only chunks with
a quotation mark take the slower path through a csv reader.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from formats.core import faults
from formats.core.cells import Cells
from formats.core.format import GraphFormat, GraphReading, Look, Network, Sniffed
from formats.core.limits import Limits
from formats.core.names import edge_names
from formats.core.quoting import cut_quoted
from formats.core.raw import RawGraph, RawTable, clean_column, unified
from formats.core.text import decoded, utf8_bytes
from formats.graphs.adjacency import refuse_adjacency
from formats.graphs.edge_records import (
    check_edges,
    check_widths,
    edge_delimiter,
    edge_rows,
    first_records,
    is_edge_header,
)
from formats.graphs.parts import simple_graph
from formats.graphs.rows import ends_of
from formats.tables.csv_writer import render_csv
from formats.tables.delimited import stated_delimiter

# --- sniffing --------------------------------------------------------------------------------------------------------


def _sniff(look: Look) -> Sniffed:
    records, encoding = first_records(look)
    if not records:
        return Sniffed("edgelist", {"delimiter": None, "encoding": encoding, "header": False}, [])
    delimiter = stated_delimiter(look) or edge_delimiter(records)
    rows = edge_rows(records, delimiter)
    refuse_adjacency(rows, look)
    header = is_edge_header(rows)
    check_edges(rows[header:], look)
    check_widths(rows[header:], records[header:])
    extra = max(map(len, rows)) - 2
    details = {"delimiter": delimiter, "encoding": encoding, "header": header, "extra_columns": extra}
    return Sniffed("edgelist", details, [])


# --- reading ---------------------------------------------------------------------------------------------------------

_PIECE = 4 << 20
_NEWLINE = 10
_COMMENT = np.zeros(256, dtype=bool)
_COMMENT[list(b"#%")] = True
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b" \t\r\n")] = True


@dataclass(frozen=True)
class Ends:
    """The end points of edges as codes into the ids, in order of appearance, and the number of edge attributes."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    ids: NDArray[np.object_]
    attributes: int
    columns: RawTable | None = None
    """The attributes of the edges, in the order of the edges, if requested."""


@dataclass(frozen=True)
class Pairs:
    """The first two cells of the records of one chunk of text, and more if requested."""

    first: Any
    second: Any
    widths: NDArray[np.int64]
    """Number of cells of each record."""
    others: tuple[Any, ...] = ()
    """The third, fourth and further cells; empty if a record has fewer."""

    def reordered(self, order: Sequence[int], done: int) -> "Pairs":
        """The same cells with the columns in another order; ``done`` records came before."""
        first, second, *others = [(self.first, self.second, *self.others)[place] for place in order]
        empty = pc.or_(pc.equal(first, ""), pc.equal(second, "")).to_numpy(zero_copy_only=False)
        if empty.any():
            raise faults.no_end(done + int(empty.argmax()) + 1)
        return Pairs(first, second, self.widths, tuple(others))

    def without_first(self) -> "Pairs":
        return Pairs(self.first[1:], self.second[1:], self.widths[1:], tuple(other[1:] for other in self.others))


def read_edges(
    chunks: Iterable[bytes],
    delimiter: str | None,
    header: bool,
    encoding: str | None,
    limits: Limits,
    with_columns: bool = False,
    order: Sequence[int] | None = None,
) -> Ends:
    """Read an edge list; ids are texts without the spaces around them. Attributes of edges are read on request.

    ``order`` lists the columns of the first end, the second end, and then the attributes, in the wanted order; every
    row must have exactly that number of cells.
    """
    coded, width, done = [], 0, 0
    more = _Attributes()
    for piece in _pieces(utf8_bytes(chunks, encoding, limits), limits):
        delimiter = delimiter or _delimiter_of(piece)
        pairs = cut_pairs(piece, delimiter, done)
        if with_columns and len(pairs.first) and b"{" not in piece:
            pairs = cut_pairs(piece, delimiter, done, int(pairs.widths[0]))
        if order is not None and len(pairs.first):
            _refuse_uneven(pairs.widths, len(order), done)
            pairs = pairs.reordered(order, done)
        if header and not done and len(pairs.first):
            more.names = [other[0].as_py() for other in pairs.others]
            pairs, header = pairs.without_first(), False
        if not len(pairs.first):
            continue
        width = width or int(pairs.widths[0])
        if b"{" in piece:
            width = max(width, 3)
        else:
            _refuse_uneven(pairs.widths, width, done)
        done += len(pairs.first)
        more.pieces.append([other.dictionary_encode() for other in pairs.others])
        coded += [pairs.first.dictionary_encode(), pairs.second.dictionary_encode()]
    if not done:
        raise faults.no_records("edges")
    if done > limits.max_rows:
        raise faults.too_many_rows(limits.max_rows, "edges")
    return replace(_ends(coded, width, limits), columns=more.table(done, limits))


@dataclass
class _Attributes:
    """Collects the attributes of edges, chunk by chunk."""

    names: list[str] = field(default_factory=list)
    pieces: list[list[Any]] = field(default_factory=list)

    def table(self, rows: int, limits: Limits) -> RawTable | None:
        """The attributes as a table; without a header, a single attribute is a weight. Dictionaries within a line are
        not recognized."""
        width = len(self.pieces[0])
        if not width or any(len(piece) != width for piece in self.pieces):
            return None
        plain = ["weight"] if width == 1 else [f"attribute_{place}" for place in range(1, width + 1)]
        names = edge_names(self.names or plain, limits)
        columns = [
            clean_column(name, *unified(part), limits)
            for name, part in zip(names, zip(*self.pieces, strict=True), strict=True)
        ]
        return RawTable(names, columns, rows)


def cut_pairs(piece: bytes, delimiter: str, done: int = 0, columns: int = 2) -> Pairs:
    """The first ``columns`` cells of every line that is neither blank nor a comment; ``done`` records came before."""
    if b'"' in piece:
        return _quoted_pairs(decoded(piece, done), delimiter, done, columns)
    content = np.frombuffer(piece if piece.endswith(b"\n") else piece + b"\n", dtype=np.uint8)
    cut = _cut_at_spaces if delimiter == " " else _cut_at
    starts, stops, widths = cut(content, ord(delimiter), done, columns)
    empty = (starts >= stops)[:2].any(axis=0)
    if empty.any():
        raise faults.no_end(done + int(empty.argmax()) + 1)
    first, second, *others = (_texts(content, *span, done) for span in zip(starts, stops, strict=True))
    return Pairs(first, second, widths, tuple(others))


def _pieces(pieces: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """Whole lines, a few megabytes at a time."""
    rest = bytearray()
    longest = 16 * max(_PIECE, limits.max_cell_bytes)
    for piece in pieces:
        rest += piece
        cut = rest.rfind(b"\n")
        if cut < 0 and len(rest) > longest:
            raise faults.row_too_long(longest)
        if cut >= 0 and len(rest) >= _PIECE:
            yield bytes(rest[: cut + 1])
            del rest[: cut + 1]
    if rest:
        # Only files from old systems end lines with a carriage return alone.
        yield bytes(rest) if b"\n" in rest else bytes(rest).replace(b"\r", b"\n")


def _delimiter_of(piece: bytes) -> str:
    lines = (line.strip() for line in piece.split(b"\n", 1000))
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"")
    return next((mark for mark in "\t,;" if mark.encode() in first), " ")


_Cut = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _cut_at_spaces(content: NDArray[np.uint8], _: int, done: int, columns: int) -> _Cut:
    """Split at white space."""
    inside = ~_SPACE[content]
    before = np.concatenate([[False], inside[:-1]])
    starts = np.flatnonzero(inside & ~before)
    stops = np.flatnonzero(~inside & before)
    lines = np.searchsorted(np.flatnonzero(content == _NEWLINE), starts)
    first = np.flatnonzero(np.diff(lines, prepend=-1))
    widths = np.diff(first, append=len(starts))
    records = ~_COMMENT[content[starts[first]]]
    first, widths = first[records], widths[records]
    _refuse_narrow(widths, done)
    places = first + np.arange(columns)[:, None]
    inside = np.arange(columns)[:, None] < widths
    places = np.where(inside, places, 0)
    return np.where(inside, starts[places], 0), np.where(inside, stops[places], 0), widths


def _cut_at(content: NDArray[np.uint8], delimiter: int, done: int, columns: int) -> _Cut:
    """Split at the delimiter; the spaces around cells are removed."""
    ends = np.flatnonzero(content == _NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    starts, ends = _trimmed(content, starts, ends)
    records = (starts < ends) & ~_COMMENT[content[np.minimum(starts, len(content) - 1)]]
    starts, ends = starts[records], ends[records]
    marks = np.append(np.flatnonzero(content == delimiter), [len(content)] * columns)
    place = np.searchsorted(marks, starts)
    beyond = np.searchsorted(marks, ends)
    _refuse_narrow(beyond - place + 1, done)
    spans = [_trimmed(content, starts, marks[place])]
    for column in range(1, columns):
        before = np.minimum(marks[place + column - 1] + 1, ends)
        spans.append(_trimmed(content, before, np.minimum(marks[place + column], ends)))
    return np.stack([left for left, _ in spans]), np.stack([right for _, right in spans]), beyond - place + 1


def _refuse_narrow(widths: NDArray[np.int64], done: int) -> None:
    narrow = np.flatnonzero(widths < 2)
    if len(narrow):
        raise faults.too_few_cells(done + int(narrow[0]) + 1, int(widths[narrow[0]]), 2)


def _refuse_uneven(widths: NDArray[np.int64], width: int, done: int) -> None:
    uneven = np.flatnonzero(widths != width)
    if len(uneven):
        raise faults.ragged_row(done + int(uneven[0]) + 1, int(widths[uneven[0]]), width, "the first")


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
    raise faults.not_encoded("utf-8", row=done + damaged + 1)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _quoted_pairs(text: str, delimiter: str, done: int, columns: int) -> Pairs:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith(("#", "%"))]
    rows = [row for row in cut_quoted(lines, delimiter, done) if row]
    widths = np.array([len(row) for row in rows], dtype=np.int64)
    _refuse_narrow(widths, done)
    first, second = ([row[side].strip() for row in rows] for side in (0, 1))
    empty = next((i for i, ends in enumerate(zip(first, second, strict=True)) if not all(ends)), None)
    if empty is not None:
        raise faults.no_end(done + empty + 1)
    others = (
        pa.array([row[place].strip() if place < len(row) else "" for row in rows], pa.string())
        for place in range(2, columns)
    )
    return Pairs(pa.array(first, pa.string()), pa.array(second, pa.string()), widths, tuple(others))


def _ends(coded: list[Any], width: int, limits: Limits) -> Ends:
    codes, texts = unified(coded)
    column = clean_column(None, codes, texts, limits)
    bounds = np.cumsum([0] + [len(part) for part in coded])
    spans = [column.codes[a:b].astype(np.int64) for a, b in pairwise(bounds)]
    return Ends(np.concatenate(spans[::2]), np.concatenate(spans[1::2]), column.values, width - 2)


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    delimiter, header = details.get("delimiter"), bool(details.get("header"))
    ends = read_edges(chunks, delimiter, header, details.get("encoding"), reading.limits, reading.with_edges)
    directed = bool(reading.directed)
    return simple_graph(
        ends.ids, ends.sources, ends.targets, directed, reading.strict, None, ends.attributes, ends.columns
    )


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(graph: Network, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    return render_csv([*ends_of(graph), *edges])


EDGELIST = GraphFormat(
    name="edgelist",
    lists_nodes=False,
    endings=("csv", "tsv", "edges", "edgelist", "el"),
    fallback=True,
    media_type="text/csv; charset=utf-8",
    suffix="csv",
    sniff=_sniff,
    read=_read,
    write=_write,
)
