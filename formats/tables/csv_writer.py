"""Writing csv as in RFC 4180: comma (or another delimiter), line feeds, UTF-8, quotes only if needed.

A text or column name that a spreadsheet would run as a formula gets a leading apostrophe.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from formats.core.cells import FORMULA, Cells, glue, joined_rows, replaced, rewritten


@dataclass(frozen=True)
class CsvStyle:
    """The dialect of a csv file, chosen for the program that will open it."""

    delimiter: str = ","
    decimal: str = "."
    bom: bool = False
    """Whether the file begins with a byte order mark, which some programs need to detect UTF-8."""


PLAIN = CsvStyle()
_RUN_NAME = re.compile(f"'*{FORMULA.removeprefix('^')}")
_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_MEASURED = rf"^(?:{_NUMBER}|{_NUMBER}–{_NUMBER}|\[{_NUMBER}, {_NUMBER}\]|\*|)$"
"""Cells of columns that are written with decimal commas: numbers, ranges of numbers, a star, or empty."""
_RANGE = rf"^(?:{_NUMBER}–{_NUMBER}|\[{_NUMBER}, {_NUMBER}\])$"
_POINTED = r"^[^\[]*[0-9]\.[0-9]"
_PLAIN_NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"


def is_run_by_spreadsheets(cells: Cells) -> Any:
    """Whether each label gets an apostrophe in csv; a number in a numeric column is not a formula."""
    mask = pc.match_substring_regex(cells.labels, FORMULA)
    if not cells.numeric:
        return mask
    return pc.and_(mask, pc.invert(pc.match_substring_regex(cells.labels, _PLAIN_NUMBER)))


def csv_name(name: str) -> str:
    """A column's name in the header of a csv file. A name that already begins with apostrophes gets one more, so that
    names stay distinct."""
    return f"'{name}" if _RUN_NAME.match(name) else name


def render_csv(columns: Sequence[Cells], style: CsvStyle = PLAIN) -> Iterator[bytes]:
    """Render a header and rows as csv in the given style."""
    if not columns:
        return
    names = pa.array([csv_name(cells.name) for cells in columns], pa.large_string())
    mark = "\ufeff" if style.bom else ""
    yield (mark + style.delimiter.join(_quoted(names, style, alone=False).to_pylist())).encode() + b"\n"
    alone = len(columns) == 1
    written = [cells.with_labels(_quoted(_pointed(cells, _guarded(cells), style), style, alone)) for cells in columns]
    written[-1] = written[-1].with_labels(glue(written[-1].labels, "\n"))
    yield from joined_rows(written, style.delimiter)


def _guarded(cells: Cells) -> Any:
    return pc.if_else(is_run_by_spreadsheets(cells), glue("'", cells.labels), cells.labels)


def _pointed(cells: Cells, labels: Any, style: CsvStyle) -> Any:
    """Labels with decimal commas, if the style has them and the column holds only numbers and ranges of numbers. A
    range that is written as JSON keeps its decimal points."""
    ranged = pc.any(pc.match_substring_regex(cells.labels, _RANGE)).as_py()
    if style.decimal == "." or not (cells.numeric or ranged):
        return labels
    if not pc.all(pc.match_substring_regex(cells.labels, _MEASURED)).as_py():
        return labels
    return rewritten(labels, _POINTED, lambda text: text.replace(".", style.decimal))


def _quoted(labels: Any, style: CsvStyle, alone: bool) -> Any:
    """Quote the labels that need it. An empty cell alone in its row also needs quotes: it would be a blank line."""
    mask = pc.match_substring_regex(labels, f'["\n\r{re.escape(style.delimiter)}]')
    if alone:
        mask = pc.or_(mask, pc.equal(labels, ""))
    if not pc.any(mask).as_py():
        return labels
    return pc.if_else(mask, glue('"', replaced(labels, [('"', '""')]), '"'), labels)
