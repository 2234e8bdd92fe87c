"""Raw data: the content of a file, before types or roles are known.

A column is codes into distinct texts in Unicode normal form C; the empty text is a missing cell. Nothing is trimmed or
converted here: two texts that differ stay different.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from formats.core import faults
from formats.core.limits import Limits


@dataclass(frozen=True)
class RawColumn:
    """One column: for every row, the code of a distinct text. The engine uses it directly."""

    name: str
    codes: NDArray[np.int32]
    values: NDArray[np.object_]


@dataclass(frozen=True)
class RawTable:
    """The columns of a file, in the order of the file."""

    names: list[str]
    columns: list[RawColumn]
    n: int
    unnamed: tuple[int, ...] = ()
    """Numbers of the columns that are left out, since they have no name and no value."""


@dataclass(frozen=True)
class RawGraph:
    """The nodes and edges of a file; self-loops and repeated edges are removed and counted."""

    n: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    ids: NDArray[np.object_]
    """Name of each node in the file."""
    node_columns: RawTable | None
    self_loops: int
    repeated: int
    directed: bool
    aliases: NDArray[np.object_] | None = None
    """Second name of every node, if the file both numbers and labels its nodes."""
    edge_attributes: int = 0
    """Number of edge attributes in the file."""
    edge_columns: RawTable | None = None
    """The attributes of the edges, in the order of the edges, if requested."""


@dataclass(frozen=True)
class RawSnapshots(RawGraph):
    """The same for a temporal graph: its edges snapshot by snapshot, each edge at most once per snapshot."""

    times: NDArray[np.int64] = field(kw_only=True)
    """The snapshot of every edge, in ascending order."""
    labels: tuple[str, ...] = field(kw_only=True)
    """Beginning of the window of each snapshot, or its number."""
    self_loops_by_snapshot: NDArray[np.int64] = field(kw_only=True)
    repeated_by_snapshot: NDArray[np.int64] = field(kw_only=True)


def check_rows(n: int, limits: Limits) -> None:
    """Refuse a table without records, or with more than the limit."""
    if n == 0:
        raise faults.no_records()
    if not 0 < n <= limits.max_rows:
        raise faults.too_many_rows(limits.max_rows)


def clean_column(name: str | None, codes: NDArray[Any], texts: Any, limits: Limits) -> RawColumn:
    """Build a column from Arrow's codes and texts: check limits, normalize texts, merge equal texts, drop unused ones.

    A file may list texts that no row uses: they are not part of the column's domain.
    """
    used = np.bincount(codes, minlength=len(texts)) > 0
    if not used.all():
        codes, texts = (np.cumsum(used) - 1)[codes], texts.filter(pa.array(used))
    _refuse_cells(name, codes, texts, limits)
    codes = codes.astype(np.int32, copy=False)
    if not _all_ascii(texts):
        merged = pc.utf8_normalize(texts, "NFC").dictionary_encode()
        codes = merged.indices.to_numpy(zero_copy_only=False)[codes]
        texts = merged.dictionary
    return RawColumn(name or "", codes, texts.to_numpy(zero_copy_only=False))


def refuse_unnamed(position: int, codes: NDArray[Any], texts: Sequence[str]) -> None:
    """Refuse a column without a name if a row has a value there."""
    filled = np.array([bool(text.strip()) for text in texts], dtype=bool)
    rows = int(np.count_nonzero(filled[codes])) if len(filled) else 0
    if rows:
        raise faults.unnamed_column(position + 1, rows)


def encode_texts(name: str | None, texts: Any, limits: Limits) -> RawColumn:
    """A column from one text per row."""
    coded = pa.array(texts, pa.string()).dictionary_encode()
    return clean_column(name, coded.indices.to_numpy(zero_copy_only=False), coded.dictionary, limits)


def unified(chunks: Sequence[Any]) -> tuple[NDArray[np.int32], Any]:
    """Dictionary arrays of one column as codes into one list of texts."""
    column = pa.chunked_array(list(chunks)).unify_dictionaries()
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.concatenate(parts).astype(np.int32, copy=False), column.chunk(0).dictionary


def _all_ascii(texts: Any) -> bool:
    return bool(pc.all(pc.string_is_ascii(texts)).as_py() is not False)


def _refuse_cells(name: str | None, codes: NDArray[Any], texts: Any, limits: Limits) -> None:
    if not len(texts):
        return
    longest = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    if longest.max() > limits.max_cell_bytes:
        row = _first_row(codes, int(longest.argmax()))
        raise faults.cell_too_long(limits.max_cell_bytes, column=name, row=row)
    nul = pc.match_substring(texts, "\0").to_numpy(zero_copy_only=False)
    if nul.any():
        raise faults.nul_character(column=name, row=_first_row(codes, int(nul.argmax())))


def _first_row(codes: NDArray[Any], code: int) -> int:
    return int((codes == code).argmax()) + 1
