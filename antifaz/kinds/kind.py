"""Kind: the interface of a kind of data, so that other code can treat all kinds alike.

Data of a kind has four forms: a dataset as it was read, its policy, the dataset checked against the policy, and the
protected data.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset, Reason
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.policy.model import Policy
from antifaz.tables.classes.coded import Coded
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import DETECTED, DateForm, Dialect
from antifaz.tables.reading.spellings import EITHER
from antifaz.tables.table import Column, ReleasedColumn
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import Watch


@dataclass(frozen=True)
class Dataset:
    """A dataset as it was read: columns over the records of a table, unless a subclass defines otherwise."""

    kind: ClassVar[str] = "table"
    columns: tuple[Coded, ...]
    n: int
    dialect: Dialect = DETECTED
    """How its cells are written."""
    unnamed: tuple[int, ...] = field(default=(), kw_only=True)
    """Numbers of the columns of the file that were left out, since they have no name and no value."""
    _typed: dict[tuple[str, ValueType | None], Column] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Cache of typed columns, by name and declared type: a job needs them several times, and typing is slow."""

    def typed(self, name: str, declared: ValueType | None = None) -> Column:
        """Return a column by its declared or detected type; the result is the same if both types are equal."""
        detected = self._typed.get((name, None))
        if detected is not None and detected.type is declared and declared is not ValueType.TEXT:
            return detected
        if (name, declared) not in self._typed:
            column = next(column for column in self.columns if column.name == name)
            self._typed[name, declared] = self._cast(column, declared)
        return self._typed[name, declared]

    def _cast(self, column: Coded, declared: ValueType | None) -> Column:
        """Cast a column; dates that fit two forms are read like those of the other columns."""
        try:
            cast = cast_column(column.name, column.values, column.codes, declared, self.dialect)
        except InvalidDataset as error:
            if error.rule != "ambiguous_dates" or self._day_first is None:
                raise
        else:
            if EITHER not in cast.form or self._day_first is None:
                return cast
        decided = replace(self.dialect, day_first=self._day_first)
        return cast_column(column.name, column.values, column.codes, declared, decided)

    @cached_property
    def _day_first(self) -> bool | None:
        """Whether all date columns of certain form have the day first; None if they differ or there are none."""
        forms = [DateForm.of(form) for form in map(self._certain_form, self.columns) if form]
        orders = {form.order for form in forms if form is not None and form.order in ("dmy", "mdy")}
        return orders == {"dmy"} if len(orders) == 1 else None

    def _certain_form(self, column: Coded) -> str:
        form = cast_column(column.name, column.values, column.codes, None, replace(self.dialect, columns={})).form
        return "" if EITHER in form else form

    def counts(self) -> dict[str, int]:
        """Return the size of the dataset, in the units of its kind."""
        return {"rows": self.n}

    @property
    def directed(self) -> bool | None:
        """Whether its edges have a direction; None if it has no edges."""
        return None


@dataclass(frozen=True)
class Checked:
    """A dataset that fits its policy; each kind has its own."""


@dataclass(frozen=True)
class Protected:
    """Protected data as it is released: rows shuffled, nodes renumbered. Each kind has its own."""

    account: dict[str, Any]

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns of records or nodes."""
        return ()

    @property
    def described(self) -> tuple[ReleasedColumn, ...]:
        """Every column of the data dictionary."""
        return self.columns


@dataclass(frozen=True)
class Subject:
    """An original and a release to compare, and the kind whose parts measure them."""

    kind: str
    original: Any
    released: Any


DatasetT = TypeVar("DatasetT", bound=Dataset)
PolicyT = TypeVar("PolicyT", bound=Policy)
CheckedT = TypeVar("CheckedT", bound=Checked)
ProtectedT = TypeVar("ProtectedT", bound=Protected)


class Kind(ABC, Generic[DatasetT, PolicyT, CheckedT, ProtectedT]):
    """One kind of data."""

    name: ClassVar[str]
    """Its name in policies and datasets."""
    policy: type[PolicyT]
    """The class of its policies, which defines their contradictions, gates and formats."""

    @abstractmethod
    def check(
        self,
        dataset: DatasetT,
        policy: PolicyT,
        hierarchies: Mapping[str, Hierarchy],
        populations: Mapping[str, Dataset],
    ) -> CheckedT:
        """Type every column, place every value in its hierarchy and let every guarantee check the counts."""

    @abstractmethod
    def protect(
        self, checked: CheckedT, policy: PolicyT, rng: np.random.Generator, watch: Watch, key: bytes | None
    ) -> ProtectedT:
        """Protect the data, then break every link to the original's order. Pseudonyms are derived from the key."""

    @abstractmethod
    def subjects(self, checked: CheckedT, protected: ProtectedT) -> list[Subject]:
        """Return the subjects to measure, in order."""

    @abstractmethod
    def explain(self, checked: CheckedT, protected: ProtectedT, policy: PolicyT) -> dict[str, Any]:
        """Return what happened to the quasi-identifiers; empty if there are none."""

    @abstractmethod
    def unchanged(self, checked: CheckedT, protected: ProtectedT, policy: PolicyT) -> list[Reason]:
        """Return the reasons to refuse a release that equals its original, or leaves too many records or nodes
        unchanged and alone; empty if it is allowed or does not."""

    @abstractmethod
    def kept(self, checked: CheckedT, protected: ProtectedT) -> float:
        """Return how much of the original the release still shows, from 0 (nothing) to 1."""

    @abstractmethod
    def shape(self, protected: ProtectedT) -> dict[str, Any]:
        """Return the size of the release and the public facts about its form."""

    def beside_earlier(self, checked: CheckedT, n: int, maps: Sequence[Mapping[str, NDArray[Any]]]) -> CheckedT:
        """Add what earlier releases of the same ``n`` records show, by their sealed maps; unchanged if releases of the
        kind are not joined."""
        return checked

    def largest_k(self, checked: CheckedT) -> int:
        """Return the largest k worth trying after a refusal; 0 if none is tried."""
        return 0
