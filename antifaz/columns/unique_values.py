"""Unique values: a column whose values each belong to few people identifies them, whatever its role.

A social security number, a phone number, a position or an income to the cent identifies a person as well as a name
does, and a value that two people share leaves one guess in two. So one rule applies to text, numbers, dates and times:
a column that is released unchanged needs a waiver if more than a third of its known cells show a value that belongs to
at most two people. Small tables, in which any column has such values, are not judged.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.errors import InvalidDataset
from antifaz.tables.labels.recode import SUPPRESSED
from antifaz.tables.table import Column, ReleasedColumn

LEAST = 20
"""Smallest number of values that is judged."""
FEW = 2
"""Largest number of people whom a value points at."""
SHARE = 1 / 3
"""Largest share of cells whose value may belong to so few people."""

OF_PEOPLE = (
    "many values of this column belong to one or two people each, so they identify them: give it the role "
    "identifier or quasi_identifier, round or band it (in the file, or by a method that names it), or name it in a "
    "waiver as_it_is (free_text waives all columns)"
)
OF_EDGES = (
    "many values of this column belong to one or two edges each, so anyone who knows one can find its ends: drop it, "
    "add noise to numbers, round or band it in the file, or name it in a waiver as_it_is (free_text waives all columns)"
)


def refuse_unique_edges(column: Column, pairs: NDArray[np.int64] | None) -> None:
    """Raise `InvalidDataset` for a column of edges with such values that would be released unchanged; ``pairs`` numbers
    the pair of every edge if a pair may have several."""
    if points_at_people(column.codes, column.codes != column.missing, pairs):
        raise InvalidDataset("free_text", OF_EDGES, column=column.name)


def refuse_unique_labels(column: ReleasedColumn, unit: NDArray[np.int64] | None) -> None:
    """Raise `InvalidDataset` for a column that still has such values after a method changed it."""
    shown = ~np.isin(column.labels, ["", SUPPRESSED])
    if points_at_people(column.codes, shown[column.codes], unit):
        raise InvalidDataset("free_text", OF_PEOPLE, column=column.source)


def points_at_people(codes: NDArray[np.int32], known: NDArray[np.bool_], unit: NDArray[np.int64] | None) -> bool:
    """Whether too many values belong to few people; without a privacy unit, to few rows."""
    held: NDArray[np.integer[Any]] = codes[known]
    if unit is not None and len(held):
        # A value that one person has in several rows still identifies that person.
        persons = np.int64(unit.max() + 1)
        held = distinct(held.astype(np.int64) * persons + unit[known]) // persons
    few = int(np.count_nonzero(np.bincount(held)[held] <= FEW)) if len(held) else 0
    return len(held) >= LEAST and few > SHARE * len(held)
