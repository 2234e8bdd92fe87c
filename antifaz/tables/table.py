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
from antifaz.tables.texts.folding import fold_codes
from antifaz.tables.texts.notations import value_codes
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import Watch, unwatched


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
    missing value, if there is one, is the empty text and comes first."""
    numbers: NDArray[np.float64] | None = None
    """The number of every value, NaN for the missing one; None if values of the type have no size."""
    form: str = ""
    """How the file writes the values, if not as the engine does; for a text column of ambiguous dates, the two possible
    forms."""
    marks: frozenset[str] = frozenset()
    """Texts by which the file marks a missing value, in addition to the empty text."""

    @property
    def missing(self) -> int:
        """The code of the missing value, or -1."""
        return 0 if len(self.values) and self.values[0] == "" else -1

    @cached_property
    def persons(self) -> NDArray[np.int64]:
        """For every record, the number of the person whose spelling this column shows."""
        if self.numbers is not None and len(distinct(self.numbers)) == len(self.values):
            return self.codes.astype(np.int64)  # different numbers are different people
        return fold_codes(self.values)[self.codes].astype(np.int64)

    @cached_property
    def folded(self) -> "Column":
        """The column with each value in its first spelling; the column itself if each value has only one."""
        return self.fold(unwatched)

    def fold(self, watch: Watch) -> "Column":
        """Find `folded`, or return it if it is known: a million texts take seconds."""
        if "folded" not in self.__dict__:
            self.__dict__["folded"] = self._fold(watch)
        return self.folded

    def _fold(self, watch: Watch) -> "Column":
        if self.numbers is not None and len(distinct(self.numbers)) == len(self.values):
            return self  # different numbers are different values
        places = value_codes(self.values, watch)
        first = np.unique(places, return_index=True)[1]
        if len(first) == len(places):
            return self
        numbers = None if self.numbers is None else self.numbers[first]
        return replace(self, codes=places[self.codes], values=self.values[first], numbers=numbers)


@dataclass(frozen=True)
class Attribute:
    """A column with its settings in the policy, resolved against its values."""

    column: Column
    role: Role
    recoding: Recoding | None = None
    """Set for quasi-identifiers only."""
    generalization: Generalization | None = None
    """The hierarchy over exactly ``column.values``, if the policy gives one."""

    @property
    def name(self) -> str:
        return self.column.name

    @cached_property
    def folded(self) -> "Attribute":
        """The attribute as guarantees about its values count it: all spellings of a value are one."""
        column = self.column.folded
        if column is self.column:
            return self
        chosen = np.flatnonzero(np.isin(self.column.values, column.values))
        return replace(self, column=column, generalization=self.generalization and self.generalization.cut(chosen))


@dataclass(frozen=True)
class Population:
    """The quasi-identifiers of the people from whom a table was drawn."""

    attributes: tuple[Attribute, ...]
    """One for each quasi-identifier of the table, in its order, each with its own domain."""
    n: int


@dataclass(frozen=True)
class Table:
    """Attributes over the same records, in the order of the file."""

    attributes: tuple[Attribute, ...]
    n: int
    unit: NDArray[np.int64] | None = None
    """For every record, the number of the person it belongs to, if the policy names a privacy unit."""
    populations: Mapping[str, Population] = field(default_factory=dict)
    """The populations against which the table is judged, by the names that guarantees give them."""
    left_out: int = 0
    """Number of the file's records that are not in the table because of missing values."""
    earlier: tuple[NDArray[np.int64], ...] = ()
    """For every earlier release of the same records, the number of each record's class, -1 if it was left out."""

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
    """The column of the original that it comes from."""
    role: Role
    type: ValueType
    """Type in typed formats (parquet, jsonl): numbers for integer and decimal, text for the others."""
    codes: NDArray[np.int32]
    labels: NDArray[np.object_]
    """Distinct texts; the empty text is a missing value."""
    meaning: str = ""
    """For the data dictionary: how to read the labels ("closed range [low, high]", "level 2 of a mask hierarchy")."""
    losses: NDArray[np.float64] | None = None
    """Information lost per label as the method that wrote it counts, 0 (exact) to 1 (suppressed); None if it does not.
    Reports show what `antifaz.tables.labels.losses` measures, which is never less."""
    spans: NDArray[np.float64] | None = None
    """For numbers and dates, the lowest and highest number that each label stands for by the method's definition, shape
    (labels, 2); NaN if that is what it says."""

    @cached_property
    def folded_codes(self) -> NDArray[np.int32]:
        """The value of every record as a number; all spellings of a value have the same number."""
        return value_codes(self.labels)[self.codes] if len(self.labels) else self.codes


@dataclass(frozen=True)
class ProtectedTable:
    """The result of a table method: released columns, and the original row of each released record."""

    columns: tuple[ReleasedColumn, ...]
    records: NDArray[np.int64]
    """Original row of every released record (the row map; kept sealed, never released). Suppressed rows are absent."""
    account: dict[str, Any] = field(default_factory=dict)
    """Account of what was done, for the report: counts and settings only, no values."""
    unit: NDArray[np.int64] | None = None
    """For every released record, the number of the person it belongs to, if the policy names a privacy unit."""
    follows: bool = True
    """Whether each released record is a record of the original; False for synthetic ones, which belong to no one."""

    def column(self, name: str) -> ReleasedColumn:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
