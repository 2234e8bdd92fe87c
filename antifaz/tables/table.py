"""Table: a microdata table, dictionary-encoded once.

A column is an array of small integer codes and the sorted domain they index; methods see codes, and only the last step
writes labels. A protected table keeps the same form, so rendering a release never touches a Python object per row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.tables.folding import fold_codes


class ValueType(StrEnum):
    """What the values of a column are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    TEXT = "text"
    DATE = "date"
    DATETIME = "datetime"
    BOOLEAN = "boolean"


class Role(StrEnum):
    """What a column means for privacy."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


class Recoding(StrEnum):
    """How a class's values of one quasi-identifier are written."""

    RANGE = "range"
    SET = "set"
    ANCESTOR = "ancestor"
    MEAN = "mean"
    MEDIAN = "median"
    BOUNDS = "bounds"


@dataclass(frozen=True)
class Column:
    """One column of an original: codes into a sorted domain of distinct texts."""

    name: str
    type: ValueType
    codes: NDArray[np.int32]
    values: NDArray[np.object_]
    """The distinct texts, NFC, in the order of the type (numbers by size, dates by time, texts by code point); the
    missing value, where there is one, is the empty text and comes first."""
    numbers: NDArray[np.float64] | None = None
    """For integer, decimal, date (days since 1970-01-01) and datetime (seconds): the number of every value, NaN for
    the missing one. None for text and boolean."""
    form: str = ""
    """How the file writes the values, if not as the engine does; of a text column, the two forms between which dates
    are not decided."""
    marks: frozenset[str] = frozenset()
    """The texts by which the file marks a missing value, beside the empty one."""

    @property
    def missing(self) -> int:
        """The code of the missing value, or -1."""
        return 0 if len(self.values) and self.values[0] == "" else -1

    @cached_property
    def folded(self) -> "Column":
        """The column with the spellings of each value as one, the first of them; itself where each has only one."""
        if self.numbers is not None and len(distinct(self.numbers)) == len(self.values):
            return self  # different numbers are different values
        places = fold_codes(self.values)
        first = np.unique(places, return_index=True)[1]
        if len(first) == len(places):
            return self
        numbers = None if self.numbers is None else self.numbers[first]
        return replace(self, codes=places[self.codes], values=self.values[first], numbers=numbers)


@dataclass(frozen=True)
class Attribute:
    """A column with what the policy says of it, resolved against its values."""

    column: Column
    role: Role
    recoding: Recoding | None = None
    """Set for quasi-identifiers only."""
    generalization: Generalization | None = None
    """The hierarchy over exactly ``column.values``, where the policy gives one."""

    @property
    def name(self) -> str:
        return self.column.name

    @cached_property
    def folded(self) -> "Attribute":
        """The attribute as guarantees about its values count them: spellings of one value are one."""
        column = self.column.folded
        if column is self.column:
            return self
        chosen = np.flatnonzero(np.isin(self.column.values, column.values))
        return replace(self, column=column, generalization=self.generalization and self.generalization.cut(chosen))


@dataclass(frozen=True)
class Population:
    """The people from whom a table was drawn, as far as its quasi-identifiers tell."""

    attributes: tuple[Attribute, ...]
    """One for each quasi-identifier of the table, in its order, over domains of their own."""
    n: int


@dataclass(frozen=True)
class Table:
    """Attributes over the same records, in the order of the file."""

    attributes: tuple[Attribute, ...]
    n: int
    unit: NDArray[np.int64] | None = None
    """For every record the number of the person it belongs to, where the policy names a privacy unit."""
    populations: Mapping[str, Population] = field(default_factory=dict)
    """By the names that guarantees give them: the populations against which the table is judged."""
    earlier: tuple[NDArray[np.int64], ...] = ()
    """For every earlier release of the same records the number of each record's class, -1 where it was left out."""

    def having(self, role: Role) -> tuple[Attribute, ...]:
        """The attributes with a role, in table order."""
        return tuple(attribute for attribute in self.attributes if attribute.role is role)

    @property
    def quasi_identifiers(self) -> tuple[Attribute, ...]:
        return self.having(Role.QUASI_IDENTIFIER)

    def attribute(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(name)


@dataclass(frozen=True)
class ReleasedColumn:
    """One column of a release: codes into labels, each label the exact text that is written."""

    name: str
    source: str
    """The original's column it comes from."""
    role: Role
    type: ValueType
    """What a typed format (parquet, jsonl) writes: numbers for integer and decimal, text for the others."""
    codes: NDArray[np.int32]
    labels: NDArray[np.object_]
    """Distinct texts; the empty text is a missing value."""
    meaning: str = ""
    """For the data dictionary: how to read the labels ("closed range [low, high]", "level 2 of a mask hierarchy")."""
    losses: NDArray[np.float64] | None = None
    """Information lost per label, 0 (exact) to 1 (suppressed); None where the column was not recoded."""

    @cached_property
    def folded_codes(self) -> NDArray[np.int32]:
        """The value of every record as a number, spellings of one value as one."""
        return fold_codes(self.labels)[self.codes] if len(self.labels) else self.codes


@dataclass(frozen=True)
class ProtectedTable:
    """What a table method returns: released columns, and for each released record the original one."""

    columns: tuple[ReleasedColumn, ...]
    records: NDArray[np.int64]
    """Original row of every released record (the row map; kept sealed, never released). Suppressed rows are absent."""
    account: dict[str, Any] = field(default_factory=dict)
    """What was done, for the report: counts and settings only, no values."""
    unit: NDArray[np.int64] | None = None
    """For every released record the number of the person it belongs to, where the policy names a privacy unit."""

    def column(self, name: str) -> ReleasedColumn:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
