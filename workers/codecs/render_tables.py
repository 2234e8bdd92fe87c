"""Writing tables: csv, parquet and jsonl, made from nothing but the labels that the rows show.

csv is RFC 4180: commas, line feeds, UTF-8, quotes only where needed; a text that a spreadsheet would run as a formula
gets a leading apostrophe. parquet has no statistics, no key-value metadata and a fixed author; its dictionaries are
built from the rows. In parquet and jsonl a missing value is null, and numbers are numbers where every label is one.
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from antifaz.tables.table import ReleasedColumn
from workers.codecs.cells import FORMULA, Cells, cells_of, glue, joined_rows, node_cells, replaced

NODE = "node"
_ROW_GROUP = 1 << 17
_QUOTED = '[",\n\r]'
_PLAIN_NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"
_AUTHOR = b"antifaz version 1"
_ARROW_AUTHOR = f"parquet-cpp-arrow version {pa.__version__}".encode()
_TYPES = {"integer": pa.int64(), "decimal": pa.float64(), None: pa.string()}


def render_table(columns: Sequence[ReleasedColumn], format_: str) -> Iterator[bytes]:
    """The bytes of a released table, in pieces."""
    return _WRITERS[format_]([cells_of(column) for column in columns])


def render_nodes(n: int, columns: Sequence[ReleasedColumn], format_: str) -> Iterator[bytes]:
    """The bytes of the node table: every node 0…n-1 with its attributes."""
    return _WRITERS[format_]([node_cells(NODE, n), *map(cells_of, columns)])


# csv


def is_run_by_spreadsheets(cells: Cells) -> Any:
    """For every label whether it gets an apostrophe in csv; a number in a column of numbers is no formula."""
    mask = pc.match_substring_regex(cells.labels, FORMULA)
    if not cells.numeric:
        return mask
    return pc.and_(mask, pc.invert(pc.match_substring_regex(cells.labels, _PLAIN_NUMBER)))


def render_csv(columns: Sequence[Cells]) -> Iterator[bytes]:
    """A header and rows, as comma-separated values."""
    if not columns:
        return
    names = _quoted(pa.array([cells.name for cells in columns], pa.large_string()), alone=False)
    yield ",".join(names.to_pylist()).encode() + b"\n"
    alone = len(columns) == 1
    written = [cells.with_labels(_quoted(_guarded(cells), alone)) for cells in columns]
    written[-1] = written[-1].with_labels(glue(written[-1].labels, "\n"))
    yield from joined_rows(written, ",")


def _guarded(cells: Cells) -> Any:
    return pc.if_else(is_run_by_spreadsheets(cells), glue("'", cells.labels), cells.labels)


def _quoted(labels: Any, alone: bool) -> Any:
    """Quotes where a cell needs them; an empty cell that is alone in its row would be a blank line."""
    mask = pc.match_substring_regex(labels, _QUOTED)
    if alone:
        mask = pc.or_(mask, pc.equal(labels, ""))
    if not pc.any(mask).as_py():
        return labels
    return pc.if_else(mask, glue('"', replaced(labels, [('"', '""')]), '"'), labels)


# jsonl


def _render_jsonl(columns: Sequence[Cells]) -> Iterator[bytes]:
    if not columns:
        return
    written = [
        cells.with_labels(glue(json.dumps(cells.name, ensure_ascii=False) + ": ", json_labels(cells)))
        for cells in columns
    ]
    written[0] = written[0].with_labels(glue("{", written[0].labels))
    written[-1] = written[-1].with_labels(glue(written[-1].labels, "}\n"))
    yield from joined_rows(written, ", ")


def json_labels(cells: Cells) -> Any:
    """Labels as JSON: numbers, texts, or null for a missing value."""
    if cells.number is not None:
        texts = cells.labels
    else:
        texts = pa.array([json.dumps(text, ensure_ascii=False) for text in cells.labels.to_pylist()], pa.large_string())
    return pc.if_else(pc.equal(cells.labels, ""), pa.scalar("null", pa.large_string()), texts)


# parquet


class _Sink(io.RawIOBase):
    """Takes what the writer writes until it is drained."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, content: Any) -> int:
        self._pieces.append(bytes(content))
        self._position += len(self._pieces[-1])
        return len(self._pieces[-1])

    def drain(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _render_parquet(columns: Sequence[Cells]) -> Iterator[bytes]:
    schema = pa.schema([(cells.name, _TYPES[cells.number]) for cells in columns])
    rows = len(columns[0].codes) if columns else 0
    typed = [_typed_labels(cells) for cells in columns]
    sink = _Sink()
    writer = pyarrow.parquet.ParquetWriter(
        pa.PythonFile(sink, mode="w"), schema, compression="zstd", write_statistics=False, store_schema=False
    )
    for start in range(0, rows, _ROW_GROUP):
        arrays = [
            labels.take(pa.array(cells.codes[start : start + _ROW_GROUP]))
            for labels, cells in zip(typed, columns, strict=True)
        ]
        writer.write_table(pa.table(arrays, schema=schema))
        yield sink.drain()
    writer.close()
    yield _signed(sink.drain())


def _typed_labels(cells: Cells) -> Any:
    """Labels as the column's type holds them, with null for a missing value."""
    given = pc.if_else(pc.equal(cells.labels, ""), pa.scalar(None, pa.large_string()), cells.labels)
    return given.cast(_TYPES[cells.number])


def _signed(footer: bytes) -> bytes:
    """The footer with our name, padded to the length of the library's, so that no offset moves."""
    return footer.replace(_ARROW_AUTHOR, _AUTHOR.ljust(len(_ARROW_AUTHOR)))


_WRITERS: dict[str, Callable[[Sequence[Cells]], Iterator[bytes]]] = {
    "csv": render_csv,
    "jsonl": _render_jsonl,
    "parquet": _render_parquet,
}
