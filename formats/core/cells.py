"""Cells: the labels of a release as Arrow texts, and the rows built from them.

A row is written by joining the texts of its labels. Everything that depends on a label (quoting, escaping, the mark
before a formula) is done once per label, not once per row. Labels that no row uses are dropped first.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

NumberKind = Literal["integer", "decimal"]

_ROWS = 1 << 15
_TEXT = pa.large_string()
_INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"
_DECIMAL = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$"
_SURELY_EXACT = re.compile(r"-?[0-9.]{1,15}")
_NUMERIC = ("integer", "decimal")
FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
"""Beginning of a text that a spreadsheet would run as a formula; some programs accept full-width signs too."""


class Column(Protocol):
    """A released column: codes into labels. Each label is the exact text to write."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str:
        """Type in typed formats: numbers for ``integer`` and ``decimal``, text for all others."""
        ...

    @property
    def codes(self) -> NDArray[np.int32]: ...
    @property
    def labels(self) -> NDArray[np.object_]:
        """Distinct texts; the empty text is a missing value."""
        ...


@dataclass(frozen=True)
class Cells:
    """One released column: codes into the labels that its rows use."""

    name: str
    codes: NDArray[Any]
    labels: Any
    """Arrow texts."""
    number: NumberKind | None
    """Kind of number that a typed format writes; None for text."""
    numeric: bool
    """Whether the column is numeric, even if some labels are ranges."""

    def with_labels(self, labels: Any) -> "Cells":
        return Cells(self.name, self.codes, labels, self.number, self.numeric)


def cells_of(column: Column) -> Cells:
    """A released column without its unused labels."""
    used = np.bincount(column.codes, minlength=len(column.labels)) > 0
    codes = column.codes if used.all() else (np.cumsum(used) - 1)[column.codes]
    labels = pa.array(column.labels[used], _TEXT)
    numeric = column.type in _NUMERIC
    return Cells(column.name, codes, labels, number_kind(column.type, labels), numeric)


def node_cells(name: str, n: int) -> Cells:
    """The column of the node numbers 0…n-1."""
    numbers = np.arange(n)
    return Cells(name, numbers, pa.array(numbers).cast(_TEXT), "integer", True)


def number_kind(type_: str, labels: Any) -> NumberKind | None:
    """Kind of number that represents all labels exactly, ignoring missing ones; None if there is none."""
    if type_ not in _NUMERIC:
        return None
    given = labels.filter(pc.not_equal(labels, ""))
    if not len(given):
        return None
    if type_ == "integer" and _all_match(given, _INTEGER):
        return "integer"
    return "decimal" if _all_match(given, _DECIMAL) and _all_exact(given) else None


def _all_match(labels: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(labels, pattern)).as_py())


def _all_exact(labels: Any) -> bool:
    """Whether the shortest digits of each number as a double are the given digits."""
    return all(
        _SURELY_EXACT.fullmatch(text) is not None or Decimal(text) == Decimal(repr(float(text)))
        for text in labels.to_pylist()
        if _is_finite(text)
    ) and all(map(_is_finite, labels.to_pylist()))


def _is_finite(text: str) -> bool:
    return abs(float(text)) != float("inf")


def glue(*parts: Any) -> Any:
    """Texts concatenated label by label; plain strings are the same for every label."""
    texts = [pa.scalar(part, _TEXT) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", _TEXT))


def replaced(labels: Any, replacements: Sequence[tuple[str, str]]) -> Any:
    """Labels with characters replaced, one after another."""
    for old, new in replacements:
        labels = pc.replace_substring(labels, old, new)
    return labels


def rewritten(labels: Any, needs: str, write: Callable[[str], str]) -> Any:
    """Labels, with those that match the pattern ``needs`` rewritten."""
    mask = pc.match_substring_regex(labels, needs)
    changed = pa.array([write(text) for text in labels.filter(mask).to_pylist()], _TEXT)
    return pc.replace_with_mask(labels, mask, changed)


def joined_rows(columns: Sequence[Cells], separator: str) -> Iterator[bytes]:
    """The rows as bytes: their labels, joined. The end of a row is part of the last column's labels."""
    rows = len(columns[0].codes) if columns else 0
    mark = pa.scalar(separator, _TEXT)
    for start in range(0, rows, _ROWS):
        taken = [column.labels.take(pa.array(column.codes[start : start + _ROWS])) for column in columns]
        yield _content(pc.binary_join_element_wise(*taken, mark))


def _content(texts: Any) -> bytes:
    """The texts of an array back to back, as Arrow stores them in memory."""
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1, offset=8 * texts.offset)
    return bytes(content[int(bounds[0]) : int(bounds[-1])]) if content is not None else b""
