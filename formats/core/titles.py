"""Titles: lines above the header of a table, common in spreadsheets.

A title occupies the first cell alone. A line of group names, left by merged cells, has as many cells as the table, most
of them empty, and is followed by a full line of distinct names. Only these two are left out, and only if at least three
lines below have the same number of cells.
"""

_DELIMITERS = (";", "\t", "|", ",")
_WINDOW = 16_384
"""Number of characters at the beginning in which titles and the first rows are searched."""
_MOST_TITLES = 10
_LEAST_ROWS = 3


def length_of_titles(text: str) -> int:
    """Number of characters before the header of a delimited text, mostly 0."""
    lines = text[:_WINDOW].splitlines(keepends=True)
    if len(text) > _WINDOW:
        lines = lines[:-1]
    for delimiter in _DELIMITERS:
        width = _width_below(lines, delimiter)
        if width:
            return sum(map(len, lines[: _titles(lines, delimiter, width)]))
    return 0


def _width_below(lines: list[str], delimiter: str) -> int:
    """Number of delimiters in nearly all lines below the possible titles; 0 if they do not agree."""
    counts = [line.count(delimiter) for line in lines[_first_full(lines, delimiter) :] if line.strip()]
    if len(counts) <= _LEAST_ROWS:
        return 0
    usual = max(set(counts), key=counts.count)
    return usual if counts[0] == usual and counts.count(usual) >= 0.9 * len(counts) else 0


def _first_full(lines: list[str], delimiter: str) -> int:
    """The first line in which more than the first cell is filled."""
    return next(
        (place for place, line in enumerate(lines[:_MOST_TITLES]) if delimiter in line.strip().strip(delimiter)), 0
    )


def _titles(lines: list[str], delimiter: str, width: int) -> int:
    """Number of lines that are titles or names of groups of columns."""
    first = _first_full(lines, delimiter)
    if any('"' in line for line in lines[: first + 2]):
        return 0  # a quoted cell may span several lines
    cells = [cell.strip() for cell in lines[first].split(delimiter)]
    below = [cell.strip() for cell in lines[first + 1].split(delimiter)] if first + 1 < len(lines) else []
    names_groups = (
        sum(map(bool, cells)) <= len(cells) / 2
        and len(below) == width + 1 == len(set(below))
        and all(below)
        and not any(cell[:1].isdigit() for cell in below)
    )
    return first + 1 if names_groups else first
