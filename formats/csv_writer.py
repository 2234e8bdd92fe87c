"""Writing csv as in RFC 4180: commas, line feeds, UTF-8, quotes only if needed.

A text that a spreadsheet would run as a formula gets a leading apostrophe, and so does such a column name.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from formats.cells import FORMULA, Cells, glue, joined_rows, replaced

_RUN_NAME = re.compile(f"'*{FORMULA.removeprefix('^')}")
_QUOTED = '[",\n\r]'
_PLAIN_NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"


def is_run_by_spreadsheets(cells: Cells) -> Any:
    """For every label whether it gets an apostrophe in csv; a number in a column of numbers is no formula."""
    mask = pc.match_substring_regex(cells.labels, FORMULA)
    if not cells.numeric:
        return mask
    return pc.and_(mask, pc.invert(pc.match_substring_regex(cells.labels, _PLAIN_NUMBER)))


def csv_name(name: str) -> str:
    """A column's name in the header of a csv file; a name that has apostrophes there already gets one more, so that no
    two names look alike."""
    return f"'{name}" if _RUN_NAME.match(name) else name


def render_csv(columns: Sequence[Cells]) -> Iterator[bytes]:
    """A header and rows, as comma-separated values."""
    if not columns:
        return
    names = pa.array([csv_name(cells.name) for cells in columns], pa.large_string())
    yield ",".join(_quoted(names, alone=False).to_pylist()).encode() + b"\n"
    alone = len(columns) == 1
    written = [cells.with_labels(_quoted(_guarded(cells), alone)) for cells in columns]
    written[-1] = written[-1].with_labels(glue(written[-1].labels, "\n"))
    yield from joined_rows(written, ",")


def _guarded(cells: Cells) -> Any:
    return pc.if_else(is_run_by_spreadsheets(cells), glue("'", cells.labels), cells.labels)


def _quoted(labels: Any, alone: bool) -> Any:
    """Quotes if a cell needs them; an empty cell that is alone in its row would be a blank line."""
    mask = pc.match_substring_regex(labels, _QUOTED)
    if alone:
        mask = pc.or_(mask, pc.equal(labels, ""))
    if not pc.any(mask).as_py():
        return labels
    return pc.if_else(mask, glue('"', replaced(labels, [('"', '""')]), '"'), labels)
