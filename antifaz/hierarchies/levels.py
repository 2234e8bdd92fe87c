"""Levels: a hierarchy written out, value by value.

The table form of a value generalization hierarchy: Samarati, "Protecting Respondents' Identities in Microdata Release",
IEEE TKDE 2001.

Each row names a value and its ancestors, lowest first. All rows have the same length, no value occurs twice, and levels
nest: a label has the same parent in every row. If the last level is not the single label `*`, that root is added.

Guarantees: levels nest, and every value of the column has a place.
"""

import unicodedata
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import ROOT, number_groups, refuse_unplaced, weigh_missing
from antifaz.part import Examples

LONGEST_LABEL = 1_000
"""Largest number of characters of a label above a value."""


class Levels(Hierarchy):
    """Generalize by a table of values and their ancestors."""

    examples: ClassVar[Examples] = (
        {"rows": [["flu", "respiratory"], ["asthma", "respiratory"], ["diabetes", "metabolic"]]},
    )

    kind: Literal["levels"] = "levels"
    rows: list[list[str]] = Field(min_length=1, repr=False)
    """One row per value: the value, then its ancestors from the lowest to the highest."""

    @field_validator("rows")
    @classmethod
    def _nest(cls, rows: list[list[str]]) -> list[list[str]]:
        width = len(rows[0])
        for number, row in enumerate(rows, start=1):
            if len(row) != width or not row:
                raise ValueError(f"row {number} has {len(row)} entries; the first row has {width}")
        plain = [[unicodedata.normalize("NFC", label) for label in row] for row in rows]
        if any(row[-1] != ROOT for row in plain) or width == 1:
            plain = [[*row, ROOT] for row in plain]
        _refuse_long_labels(plain)
        _refuse_repeated_values(plain)
        _refuse_split_labels(plain)
        return plain

    @cached_property
    def _leaves(self) -> tuple[dict[str, int], ...]:
        """For each level, the number of values of the whole hierarchy that each label covers."""
        columns = list(zip(*self.rows, strict=True))
        counted: list[dict[str, int]] = []
        for column in columns:
            names, counts = np.unique(np.array(column, dtype=object), return_counts=True)
            counted.append(dict(zip(names, counts.tolist(), strict=True)))
        return tuple(counted)

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every value, or raise `InvalidDataset` with the column and the number of values that have no place."""
        row_of = {row[0]: row for row in self.rows}
        unknown = [place for place, value in enumerate(values) if value not in row_of and value != ""]
        if unknown:
            refuse_unplaced(column, unknown, _describe_unknown([values[place] for place in unknown], row_of))
        height = len(self.rows[0])
        lost = ["", *[ROOT] * (height - 1)]
        placed = [row_of.get(value, lost) for value in values]
        columns = [np.array([row[level] for row in placed], dtype=object) for level in range(height)]
        groups, labels = number_groups(columns)
        leaves = tuple(
            np.array([counts.get(label, 1) for label in names], dtype=np.int64)
            for counts, names in zip(self._leaves, labels, strict=True)
        )
        if "" in row_of:
            return Generalization(groups, labels, leaves)
        return Generalization(groups, labels, weigh_missing(values, groups, leaves))

    def reaching(self, values: NDArray[np.object_]) -> "Levels":
        """The hierarchy with a place directly below the root for each of these values that has none."""
        known = {row[0] for row in self.rows}
        lost = [[str(value), *[ROOT] * (len(self.rows[0]) - 1)] for value in values if value and value not in known]
        return self.model_copy(update={"rows": [*self.rows, *lost]}) if lost else self


def _refuse_long_labels(rows: list[list[str]]) -> None:
    """A label appears in every row that it generalizes, so a long one makes a small table a large release."""
    for number, row in enumerate(rows, start=1):
        if max(map(len, row[1:])) > LONGEST_LABEL:
            raise ValueError(f"row {number} has a label of more than {LONGEST_LABEL} characters above its value")


def _refuse_repeated_values(rows: list[list[str]]) -> None:
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        if row[0] in seen:
            raise ValueError(f"row {number} repeats the value of an earlier row")
        seen.add(row[0])


def _refuse_split_labels(rows: list[list[str]]) -> None:
    """Levels nest: values that share a label share every higher one."""
    for level in range(1, len(rows[0]) - 1):
        parents: dict[str, str] = {}
        for number, row in enumerate(rows, start=1):
            if parents.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise ValueError(f"row {number}: the label at level {level} has another parent in an earlier row")


def _describe_unknown(unknown: list[str], known: dict[str, list[str]]) -> str:
    """A message that values have no place, and whether spelling alone explains it; it does not contain the values."""
    text = "distinct values have no place in the hierarchy"
    spellings = {fold(value) for value in known}
    if any(fold(value) in spellings for value in unknown):
        text += "; some of them differ from a known value only in case, accents or spaces"
    return text


def fold(text: str) -> str:
    """A text without case, accents and spaces, to recognize near misses."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter) and not letter.isspace())
