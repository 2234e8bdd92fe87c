"""Unique values: a column whose values each belong to few people identifies them, whatever its role.

A social security number, a phone number, a position or an income to the cent identifies a person as well as a name
does, and a value that two people share leaves one guess in two. So one rule applies to text, numbers, dates and times:
a column that is released unchanged needs a waiver if more than a third of its known cells show a value that belongs to
at most two people, or more than half one of many values that belong to fewer than five each: an identifier that is
repeated in the rows of its person, whom no privacy unit names, has values of a few rows each. Small tables, in which
any column has such values, are not judged.
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
FEW, SHARE = 2, 1 / 3
"""Largest number of people whom a value points at, and the largest share of cells with such values."""
CIRCLE, HALF = 4, 1 / 2
"""The same for codes that are repeated, from `LEAST` such values on: in a small table every value belongs to few."""

OF_PEOPLE = (
    "many values of this column belong to few people each, so they identify them: give it the role "
    "identifier or quasi_identifier, round or band it (in the file, or by a method that names it), or name it in a "
    "waiver as_it_is (free_text waives all columns)"
)
OF_EDGES = (
    "many values of this column belong to few edges each, so anyone who knows one can find its ends: drop it, "
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
    people = people_of_values(codes, known, unit)
    return points_at_one_or_two(people) or points_at_circles(people)


def people_of_values(
    codes: NDArray[np.int32], known: NDArray[np.bool_], unit: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """The number of people who have each of the values that occur; without a privacy unit, of rows."""
    held: NDArray[np.integer[Any]] = codes[known]
    if unit is not None and len(held):
        # A value that one person has in several rows still identifies that person.
        persons = np.int64(unit.max() + 1)
        held = distinct(held.astype(np.int64) * persons + unit[known]) // persons
    people = np.bincount(held)
    return people[people > 0]


def points_at_one_or_two(people: NDArray[np.int64]) -> bool:
    """Whether too many cells show a value of one or two people."""
    return bool(people.sum() >= LEAST and _share_of_few(people, FEW) > SHARE)


def points_at_circles(people: NDArray[np.int64]) -> bool:
    """Whether most cells show one of many values that a few people have each."""
    return int(np.count_nonzero(people <= CIRCLE)) >= LEAST and _share_of_few(people, CIRCLE) > HALF


def _share_of_few(people: NDArray[np.int64], few: int) -> float:
    """The share of cells whose value belongs to few people."""
    return float(people[people <= few].sum() / people.sum())
