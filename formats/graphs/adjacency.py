"""Adjacency: lists of neighbors and matrices, which would silently be read as a wrong edge list.

They are recognized by their shape and refused. An id is never a dictionary, so a dictionary in the second cell reveals
networkx's multi-line adjacency list. A square of zeros and ones, a symmetric square of numbers with an empty diagonal,
and a square whose first row and first column have the same names are matrices. Weighted edges match none of these.
"""

from collections.abc import Sequence

from formats.core.faults import Fault
from formats.core.format import Look

_BINARY = {"0", "1", "0.0", "1.0"}
_LEAST = 3
"""Smallest number of nodes for which a matrix is recognized."""
_WIDE = 20
"""Row length from which rows of zeros and ones count as a matrix even if the end of the file was not read."""

Rows = Sequence[Sequence[str]]


def refuse_adjacency(rows: Rows, look: Look) -> None:
    """Raise `Fault` if the first records of a file are lists of neighbors or a matrix instead of edges."""
    nested = next((number for number, row in enumerate(rows, 1) if len(row) > 1 and row[1].startswith("{")), None)
    if nested is not None:
        detail = f"row {nested} has attributes instead of a target, as in a multi-line adjacency list; {_REMEDY}"
        raise Fault("adjacency_list", detail, row=nested)
    if _is_matrix(rows, look.complete) or (look.complete and _is_named_matrix(rows)):
        raise Fault("adjacency_matrix", f"the file looks like an adjacency matrix; {_REMEDY}")


_REMEDY = "an edge list has one edge per line: two ids, then the attributes of the edge"


def _is_named_matrix(rows: Rows) -> bool:
    """Whether the names of the columns equal the names of the rows."""
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
    """Whether the cells are numbers, symmetric about a diagonal of zeros."""
    try:
        cells = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        return False
    return all(cells[i][j] == (cells[j][i] if i != j else 0.0) for i in range(len(cells)) for j in range(len(cells)))
