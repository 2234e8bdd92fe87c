"""Quoting: how the lines of an edge list are cut where ids are quoted; the upload and the workers must cut alike."""

import csv
from collections.abc import Sequence

OPEN_QUOTE = "a quoted id does not end in its line"


def cut_quoted(lines: Sequence[str], delimiter: str) -> tuple[list[list[str]], int | None]:
    """The cells of the lines, as far as the first whose quote stays open, and its number, from 1 on, if there is one.

    Such a quote would swallow the edges after it.
    """
    plain = [line.replace("\t", " ").strip() if delimiter == " " else line for line in lines]
    # One line more shows whether a quote of the last one is still open.
    reader = csv.reader([*plain, ""], delimiter=delimiter, skipinitialspace=True)
    rows: list[list[str]] = []
    for row in range(1, len(plain) + 2):
        try:
            cells = next(reader)
            closed = reader.line_num == row
        except csv.Error:
            closed = False
        if not closed:
            return rows, row
        rows.append([cell.strip() for cell in cells])
    return rows[:-1], None
