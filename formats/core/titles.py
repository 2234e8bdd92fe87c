"""Titles: lines above the header of a table, common in spreadsheets.

A title occupies the first cell alone. A line of group names, left by merged cells, has as many cells as the table, most
of them empty, and is followed by a full line of distinct names. Only these two are left out, and only if at least three
lines below have the same number of cells. The rows of a sheet follow the same rule as the lines of a text.
"""

import csv
import io
from collections.abc import Sequence

_DELIMITERS = (";", "\t", "|", ",")
_WINDOW = 16_384
"""Number of characters at the beginning in which titles and the first rows are searched."""
_MOST_TITLES = 10
_LEAST_ROWS = 3
MOST_ROWS_OF_TITLES = _MOST_TITLES + 2 + _LEAST_ROWS
"""Number of rows that show all titles of a sheet: those, a line of groups, the header and the rows below it."""

_Row = Sequence[str]


def length_of_titles(text: str) -> int:
    """Number of characters before the header of a delimited text, mostly 0."""
    lines = list(io.StringIO(text[:_WINDOW], newline=""))
    for delimiter in _DELIMITERS:
        rows, ends = _rows(lines, delimiter)
        if len(text) > _WINDOW:
            rows = rows[:-1]
        titles = count_titles(rows) if _agree_below(rows) else 0
        if titles or _agree_below(rows):
            return sum(map(len, lines[: ends[titles]]))
    return 0


def _rows(lines: Sequence[str], delimiter: str) -> tuple[list[list[str]], list[int]]:
    """The records of the lines, and how many lines precede each: a quoted cell may span several lines."""
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[list[str]] = []
    ends = [0]
    try:
        for row in reader:
            rows.append([cell.strip() for cell in row])
            ends.append(reader.line_num)
    except csv.Error:
        return rows, ends
    return rows, ends


def _agree_below(rows: Sequence[_Row]) -> bool:
    """Whether nearly all rows below the possible titles have the same number of cells, at least two. The header may
    differ from them by a delimiter at its end or at theirs."""
    below = [row for row in rows[_first_full(rows) :] if any(row)]
    if len(below) <= _LEAST_ROWS:
        return False
    widths = [len(row) for row in below]
    usual = max(set(widths), key=widths.count)
    return usual > 1 and abs(widths[0] - usual) <= 1 and widths[1:].count(usual) >= 0.9 * len(widths[1:])


def _first_full(rows: Sequence[_Row]) -> int:
    """The first row in which more than the first cell is filled."""
    return next((place for place, row in enumerate(rows[:_MOST_TITLES]) if any(row[1:])), 0)


def count_titles(rows: Sequence[_Row]) -> int:
    """Number of rows that are titles or names of groups of columns, above a table whose rows agree in width."""
    first = _first_full(rows)
    if len(rows) - first <= _LEAST_ROWS:
        return 0
    cells, below = rows[first], rows[first + 1]
    while below and not below[-1]:
        below = below[:-1]
    names_groups = (
        sum(map(bool, cells)) <= len(cells) / 2
        and 1 < len(below) == len(set(below))
        and all(below)
        and not any(cells[len(below) :])
        and not any(cell[:1].isdigit() for cell in below)
    )
    return first + 1 if names_groups else first
