"""Adjacency: lists of neighbors and matrices, which would be read as a wrong list of edges without complaint.

They are refused by what they look like. An id is never a dictionary, so a second cell that is one shows networkx's
multi-line adjacency list; a square of zeros and ones, a symmetric square of numbers with an empty diagonal, and a
square whose first row and first column are the same names are matrices. Edges with weights look like none of these.
"""

from collections.abc import Sequence

from formats.faults import Fault
from formats.format import Look

_BINARY = {"0", "1", "0.0", "1.0"}
_LEAST = 3
"""Nodes of a matrix that can be recognized."""
_WIDE = 20
"""Cells from which on rows of zeros and ones are a matrix although its end is not in sight."""

Rows = Sequence[Sequence[str]]


def refuse_adjacency(rows: Rows, look: Look) -> None:
    """Raise `Fault` if the records at the beginning of a file are no edges but lists of neighbors or a matrix."""
    nested = next((number for number, row in enumerate(rows, 1) if len(row) > 1 and row[1].startswith("{")), None)
    if nested is not None:
        detail = f"row {nested} has attributes in place of a target, as a multi-line adjacency list has; {_REMEDY}"
        raise Fault("adjacency_list", detail, row=nested)
    if _is_matrix(rows, look.complete) or (look.complete and _is_named_matrix(rows)):
        raise Fault("adjacency_matrix", f"the file looks like an adjacency matrix; {_REMEDY}")


_REMEDY = "an edge list has one edge a line: two ids, and what is known of the edge after them"


def _is_named_matrix(rows: Rows) -> bool:
    """Whether the names over the columns are those before the rows."""
    names = list(rows[0][1:])
    return len(names) >= _LEAST and len(set(names)) == len(names) and names == [row[0] for row in rows[1:] if row]


def _is_matrix(rows: Rows, complete: bool) -> bool:
    width = len(rows[0])
    if width < _LEAST or any(len(row) != width for row in rows):
        return False
    binary = all(cell in _BINARY for row in rows for cell in row)
    if not complete:
        return binary and width >= _WIDE
    return len(rows) == width and (binary or _is_symmetric(rows))


def _is_symmetric(rows: Rows) -> bool:
    """Whether the cells are numbers, the same on both sides of a diagonal of zeros."""
    try:
        cells = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        return False
    return all(cells[i][j] == (cells[j][i] if i != j else 0.0) for i in range(len(cells)) for j in range(len(cells)))
