"""Unique values: a column with mostly unique values identifies people, whatever its role.

A social security number, a phone number, a position or an income to the cent identifies a person as well as a name
does. So one rule applies to text, numbers, dates and times: a column that is released unchanged needs a waiver if most
of its non-missing values belong to one person only. Small tables, in which most values of any column are unique, are
not judged.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.errors import InvalidDataset
from antifaz.tables.recode import SUPPRESSED
from antifaz.tables.table import Column, ReleasedColumn

LEAST = 20
"""Smallest number of values that is judged."""
SHARE = 0.5
"""Largest share of values that may be unique."""

OF_PEOPLE = (
    "most values of this column are unique, so they identify people: give it the role identifier or "
    "quasi_identifier, round or band it (in the file, or by a method that names it), or name it in a "
    "waiver as_it_is (free_text waives all columns)"
)
OF_EDGES = (
    "most values of this column are unique, so anyone who knows one can find its ends: drop it, add noise to numbers, "
    "round or band it in the file, or name it in a waiver as_it_is (free_text waives all columns)"
)


def refuse_unique_edges(column: Column, pairs: NDArray[np.int64] | None) -> None:
    """Raise `InvalidDataset` for a mostly unique column of edges that would be released unchanged; ``pairs`` numbers
    the pair of every edge if a pair may have several."""
    if is_mostly_unique(column.codes, column.codes != column.missing, pairs):
        raise InvalidDataset("free_text", OF_EDGES, column=column.name)


def refuse_unique_labels(column: ReleasedColumn, unit: NDArray[np.int64] | None) -> None:
    """Raise `InvalidDataset` for a column that is still mostly unique after a method changed it."""
    shown = ~np.isin(column.labels, ["", SUPPRESSED])
    if is_mostly_unique(column.codes, shown[column.codes], unit):
        raise InvalidDataset("free_text", OF_PEOPLE, column=column.source)


def is_mostly_unique(codes: NDArray[np.int32], known: NDArray[np.bool_], unit: NDArray[np.int64] | None) -> bool:
    """Whether most values occur with one person only; without a privacy unit, in one row only."""
    held: NDArray[np.integer[Any]] = codes[known]
    if unit is not None and len(held):
        # A value that one person has in several rows still identifies that person.
        persons = np.int64(unit.max() + 1)
        held = distinct(held.astype(np.int64) * persons + unit[known]) // persons
    alone = int(np.count_nonzero(np.bincount(held) == 1)) if len(held) else 0
    return len(held) >= LEAST and alone > SHARE * len(held)
