"""Header: which first record names the columns, and which is refused as data."""

import re
from collections.abc import Sequence

from formats.core.faults import Fault
from formats.core.limits import Limits
from formats.core.names import Header, split_header

_SHOWN = 200
"""Number of records that are compared with the header."""
_LONGEST_VALUE = 60
_NUMBER = re.compile(r"\s*[+-]?(?:\d[\d.,' ]*|[.,]\d+)(?:[eE][+-]?\d+)?%?\s*")
_DATE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?\s*")


def no_header(reason: str) -> Fault:
    return Fault("no_header", f"the first line {reason}; it must name the columns")


def fitted_header(cells: list[str], first: Sequence[str]) -> list[str]:
    """A header as wide as the first record, if they differ only by a delimiter at the end of one of them."""
    if len(first) == len(cells) + 1 and not first[-1].strip():
        return [*cells, ""]
    if len(first) == len(cells) - 1 and not cells[-1].strip():
        return cells[:-1]
    return cells


def checked_header(cells: Sequence[str], limits: Limits) -> Header:
    if not cells:
        raise no_header("is blank or too long")
    if all(_is_value(cell) for cell in cells):
        raise no_header("holds values")
    return split_header(cells, limits)


def _is_value(cell: str) -> bool:
    """Whether a cell is a number, a date or empty, and so cannot be a column name."""
    return not cell.strip() or is_number(cell) or (len(cell) <= _LONGEST_VALUE and _DATE.fullmatch(cell) is not None)


def is_number(cell: str) -> bool:
    """Whether a cell is written like a number."""
    return len(cell) <= _LONGEST_VALUE and _NUMBER.fullmatch(cell) is not None


def refuse_data_as_header(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Refuse a first record that looks like data: it contains numbers, or values that appear again below.

    Column names are visible to other people than the uploader, so a possible record is refused, without a guess.
    """
    recurring = sum(any(row[place] == name for row in rows[:_SHOWN]) for place, name in enumerate(names))
    if any(_is_value(name) for name in names):
        raise no_header("has a number or a date")
    if recurring > 1 and 2 * recurring > len(names):
        raise no_header("looks like a record")
