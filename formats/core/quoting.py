"""Quoting: splits the lines of an edge list with quoted ids. The upload and the workers must split them alike."""

import csv
from collections.abc import Sequence

from formats.core import faults


def cut_quoted(lines: Sequence[str], delimiter: str, done: int = 0) -> list[list[str]]:
    """The cells of the lines, after ``done`` records. An unclosed quote is refused: it would swallow the following
    edges."""
    plain = [line.replace("\t", " ").strip() if delimiter == " " else line for line in lines]
    # One extra line shows whether a quote of the last line is still open.
    reader = csv.reader([*plain, ""], delimiter=delimiter, skipinitialspace=True)
    rows: list[list[str]] = []
    for row in range(1, len(plain) + 2):
        try:
            cells = next(reader)
            closed = reader.line_num == row
        except csv.Error:
            closed = False
        if not closed:
            raise faults.open_quote(done + row)
        rows.append([cell.strip() for cell in cells])
    return rows[:-1]
