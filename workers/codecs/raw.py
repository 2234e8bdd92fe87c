"""Raw data: what a file holds, before anything is known of types or roles.

A column is codes into distinct texts in Unicode normal form C; the empty text is a missing cell. Nothing is trimmed or
converted here: two texts that differ stay different.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset
from storage.settings import Settings


@dataclass(frozen=True)
class RawColumn:
    """One column: for every row the code of a distinct text."""

    codes: NDArray[np.int32]
    values: NDArray[np.object_]


@dataclass(frozen=True)
class RawTable:
    """The columns of a file, in its order."""

    names: list[str]
    columns: list[RawColumn]
    n: int


@dataclass(frozen=True)
class RawGraph:
    """The nodes and edges of a file, loops and repetitions taken out and counted."""

    n: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    ids: NDArray[np.object_]
    """The text by which the file names each node."""
    node_columns: RawTable | None
    self_loops: int
    repeated: int
    directed: bool
    aliases: NDArray[np.object_] | None = None
    """A second name of every node, where the file numbers its nodes and labels them as well."""
    edge_attributes: int = 0
    """How many attributes of edges the file had."""
    edge_columns: RawTable | None = None
    """The attributes of the edges, in their order, where these were asked for."""


def invalid(rule: str, detail: str, *, column: str | None = None, row: int | None = None) -> InvalidDataset:
    """The error of a file that cannot be read: its stored original is of no use to anyone."""
    return InvalidDataset(rule, detail, column=column, row=row, shred=True)


def checked_names(names: Sequence[str], settings: Settings) -> list[str]:
    """Column names in normal form; refused when one is empty or repeated, or there are too many."""
    if not names:
        raise invalid("no_columns", "the file has no columns")
    if len(names) > settings.max_columns:
        raise invalid("too_many_columns", f"there are more than {settings.max_columns} columns")
    normal = [unicodedata.normalize("NFC", name) for name in names]
    seen: dict[str, int] = {}
    for position, name in enumerate(normal, start=1):
        if not name.strip():
            raise invalid("empty_column_name", f"column {position} has no name")
        if name in seen:
            raise invalid("duplicate_column", f"columns {seen[name]} and {position} have the same name")
        if "\0" in name:
            raise invalid("nul_bytes", f"the name of column {position} has a NUL character")
        if len(name.encode()) > settings.max_cell_bytes:
            raise invalid("cell_too_long", f"the name of column {position} is too long")
        seen[name] = position
    return normal


def edge_names(names: Sequence[str], settings: Settings) -> list[str]:
    """Names of the attributes of edges, in normal form; those of the ends of an edge are refused."""
    normal = checked_names(names, settings)
    for name in _ENDS:
        if name in normal:
            raise invalid("reserved_column", "no attribute of edges may have the name of an end", column=name)
    return normal


_ENDS = ("source", "target")


def check_rows(n: int, settings: Settings) -> None:
    """Refuse a table without records, or with more than the limit."""
    if n == 0:
        raise invalid("no_records", "the file has no records")
    if n > settings.max_rows:
        raise invalid("too_many_rows", f"there are more than {settings.max_rows} rows")


def clean_column(name: str | None, codes: NDArray[Any], texts: Any, settings: Settings) -> RawColumn:
    """A column from Arrow's codes and texts: limits checked, in normal form, equal texts merged, unused ones left out.

    A file may list texts that none of its rows has: they are no part of the column's domain.
    """
    used = np.bincount(codes, minlength=len(texts)) > 0
    if not used.all():
        codes, texts = (np.cumsum(used) - 1)[codes], texts.filter(pa.array(used))
    _refuse_cells(name, codes, texts, settings)
    codes = codes.astype(np.int32, copy=False)
    if not _all_ascii(texts):
        merged = pc.utf8_normalize(texts, "NFC").dictionary_encode()
        codes = merged.indices.to_numpy(zero_copy_only=False)[codes]
        texts = merged.dictionary
    return RawColumn(codes, texts.to_numpy(zero_copy_only=False))


def encode_texts(name: str | None, texts: Any, settings: Settings) -> RawColumn:
    """A column from one text per row."""
    coded = pa.array(texts, pa.string()).dictionary_encode()
    return clean_column(name, coded.indices.to_numpy(zero_copy_only=False), coded.dictionary, settings)


def unified(chunks: Sequence[Any]) -> tuple[NDArray[np.int32], Any]:
    """Dictionary arrays of one column as codes into one list of texts."""
    column = pa.chunked_array(list(chunks)).unify_dictionaries()
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.concatenate(parts).astype(np.int32, copy=False), column.chunk(0).dictionary


def _all_ascii(texts: Any) -> bool:
    return bool(pc.all(pc.string_is_ascii(texts)).as_py() is not False)


def _refuse_cells(name: str | None, codes: NDArray[Any], texts: Any, settings: Settings) -> None:
    if not len(texts):
        return
    longest = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    if longest.max() > settings.max_cell_bytes:
        row = _first_row(codes, int(longest.argmax()))
        raise invalid("cell_too_long", f"a cell is longer than {settings.max_cell_bytes} bytes", column=name, row=row)
    nul = pc.match_substring(texts, "\0").to_numpy(zero_copy_only=False)
    if nul.any():
        row = _first_row(codes, int(nul.argmax()))
        raise invalid("nul_bytes", "a cell has a NUL character", column=name, row=row)


def _first_row(codes: NDArray[Any], code: int) -> int:
    return int((codes == code).argmax()) + 1
