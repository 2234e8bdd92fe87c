"""Cells: a released table as codes into exact texts, and the comparison of tables in several formats.

Two cells of one artifact are equal only if their kind and text are equal: a null is not an empty text, and the number 1
is not the text "1". Formats cannot all express this, so between formats cells are compared by what a reader would see.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cell = str | tuple[str, str] | bool | None
"""A text, a number as (kind, text as written), a boolean, or nothing."""

TEXT, INTEGER, FLOAT, TRUTH, NOTHING = "tifb-"

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings of texts that a spreadsheet would run as formulas; some programs accept full-width signs too."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_LONGEST_NUMBER = 400
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Column:
    """One column: for every row, the code of a distinct (kind, text)."""

    codes: NDArray[np.int64]
    texts: Sequence[str]
    kinds: str
    """One letter per text."""


@dataclass(frozen=True)
class Cells:
    """A table as one artifact shows it."""

    format: str
    part: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int

    @property
    def label(self) -> str:
        return f"{self.format} {self.part}"

    def column(self, name: str) -> Column:
        return self.columns[self.names.index(name)]


def encoded(codes: NDArray[np.int64], texts: Sequence[str], kinds: str) -> Column:
    """A column with distinct labels: the dictionary of a file may contain a label twice."""
    index: dict[tuple[str, str], int] = {}
    merged = np.fromiter(
        (index.setdefault(label, len(index)) for label in zip(kinds, texts, strict=True)), np.int64, len(texts)
    )
    if len(index) == len(texts):
        return Column(codes, texts, kinds)
    return Column(merged[codes], [text for _, text in index], "".join(kind for kind, _ in index))


class Coder:
    """Encodes one column of parsed cells, batch by batch."""

    def __init__(self) -> None:
        self._index: dict[Cell, int] = {}
        self._batches: list[NDArray[np.int64]] = []

    def add(self, cells: Sequence[Cell]) -> None:
        for cell in dict.fromkeys(cells):
            self._index.setdefault(cell, len(self._index))
        self._batches.append(np.fromiter(map(self._index.__getitem__, cells), np.int64, len(cells)))

    def column(self, decode: Callable[[Any], Cell] = lambda cell: cell) -> Column:
        """The column so far, each distinct cell decoded once."""
        codes = np.concatenate(self._batches) if self._batches else np.empty(0, np.int64)
        labels = [kind_and_text(decode(cell)) for cell in self._index]
        return encoded(codes, [text for _, text in labels], "".join(kind for kind, _ in labels))


def kind_and_text(cell: Cell) -> tuple[str, str]:
    """The letter of a cell's kind, and its text."""
    if cell is None:
        return NOTHING, ""
    if isinstance(cell, bool):
        return TRUTH, "true" if cell else "false"
    return cell if isinstance(cell, tuple) else (TEXT, cell)


def class_of_rows(columns: Iterable[tuple[NDArray[np.int64], int]], rows: int) -> tuple[NDArray[np.int64], int]:
    """Number the distinct combinations of codes: the class of every row, and the number of classes.

    Codes are packed into one integer per row; if the next column would overflow it, the keys so far are renumbered.
    """
    keys, bound = np.zeros(rows, np.int64), 1
    for codes, size in columns:
        if bound * max(size, 1) > _LARGEST_KEY:
            keys, bound = _renumbered(keys)
        keys = keys * np.int64(max(size, 1)) + codes
        bound *= max(size, 1)
    return _renumbered(keys)


def _renumbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int64, copy=False), len(distinct)


def same_rows(tables: Sequence[Cells], in_order: bool) -> bool:
    """Whether tables with the same column names show the same rows, as multisets or row by row."""
    first = tables[0]
    if any(table.rows != first.rows for table in tables):
        return False
    by_name = [[table.column(name) for table in tables] for name in first.names]
    doubtful = (_joint_codes(columns)[0] for columns in by_name if not _identical(columns))
    ordered = all(np.array_equal(codes[0], other) for codes in doubtful for other in codes[1:])
    if ordered or in_order:
        return ordered
    joint = [_joint_codes(columns) for columns in by_name]
    packed, _ = class_of_rows(((np.concatenate(codes), size) for codes, size in joint), first.rows * len(tables))
    sorted_rows = [np.sort(part) for part in np.split(packed, len(tables))]
    return all(np.array_equal(sorted_rows[0], other) for other in sorted_rows[1:])


def _identical(columns: Sequence[Column]) -> bool:
    """Whether columns are equal code by code and label by label, so that labels need not be compared as seen."""
    first = columns[0]
    return all(
        other.kinds == first.kinds and other.texts == first.texts and np.array_equal(other.codes, first.codes)
        for other in columns[1:]
    )


def _joint_codes(columns: Sequence[Column]) -> tuple[list[NDArray[np.int64]], int]:
    """Codes of the same column in several artifacts, over one common list of labels."""
    kinds = "".join(column.kinds for column in columns)
    number = FLOAT if FLOAT in kinds else INTEGER if INTEGER in kinds else ""
    index: dict[str, int] = {}
    codes = []
    for column in columns:
        labels = (_as_seen(kind, text, number) for kind, text in zip(column.kinds, column.texts, strict=True))
        common = np.fromiter((index.setdefault(label, len(index)) for label in labels), np.int64, len(column.texts))
        codes.append(common[column.codes] if column.codes.size else column.codes)
    return codes, len(index)


def _as_seen(kind: str, text: str, number: str) -> str:
    """The text by which a cell is compared between formats.

    A csv file has a ``'`` before a text that a spreadsheet would run; a number is not a formula, with or without it.
    If any format stores numbers, the same number may be spelled in several ways.
    """
    plain = text[1:] if text.startswith("'") and is_number(text[1:]) else text
    if is_number(plain):
        if number == FLOAT:
            return repr(float(plain))
        return str(int(plain)) if number == INTEGER and _WHOLE.fullmatch(plain) else plain
    return f"'{text}" if kind == TEXT and text.startswith(FORMULA) else text


def is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def runs_as_formula(column: Column) -> bool:
    """Whether a spreadsheet would run a cell of this csv column."""
    return any(text.startswith(FORMULA) and not is_number(text) for text in column.texts)
