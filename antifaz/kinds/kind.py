"""Kind: what must be known of a kind of data so that the rest can treat all alike.

A kind has four shapes of its data: a dataset as it was read, its policy, the dataset checked against the policy, and
the protected data.
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
from antifaz.policy import Policy
from antifaz.tables.attributes import cast_column
from antifaz.tables.coded import Coded
from antifaz.tables.dialect import DETECTED, DateForm, Dialect
from antifaz.tables.spellings import EITHER
from antifaz.tables.table import Column, ReleasedColumn, ValueType
from antifaz.watch import Watch


@dataclass(frozen=True)
class Dataset:
    """What was read: columns over records, those of a table unless a subclass says otherwise."""

    kind: ClassVar[str] = "table"
    columns: tuple[Coded, ...]
    n: int
    dialect: Dialect = DETECTED
    """How its cells are written."""
    _typed: dict[tuple[str, ValueType | None], Column] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Columns that were typed already, by name and declared type: a job asks several times, and typing takes long."""

    def typed(self, name: str, declared: ValueType | None = None) -> Column:
        """A column by its declared or detected type; a type that was both declared and detected reads alike."""
        detected = self._typed.get((name, None))
        if detected is not None and detected.type is declared and declared is not ValueType.TEXT:
            return detected
        if (name, declared) not in self._typed:
            column = next(column for column in self.columns if column.name == name)
            self._typed[name, declared] = self._cast(column, declared)
        return self._typed[name, declared]

    def _cast(self, column: Coded, declared: ValueType | None) -> Column:
        """Dates that fit two forms are read as those of the other columns."""
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
        """Whether all columns of dates whose form is certain have the day first; None if they differ or there are
        none."""
        forms = [DateForm.of(form) for form in map(self._certain_form, self.columns) if form]
        orders = {form.order for form in forms if form is not None and form.order in ("dmy", "mdy")}
        return orders == {"dmy"} if len(orders) == 1 else None

    def _certain_form(self, column: Coded) -> str:
        form = cast_column(column.name, column.values, column.codes, None, replace(self.dialect, columns={})).form
        return "" if EITHER in form else form

    def counts(self) -> dict[str, int]:
        """How large it is, by what the kind counts."""
        return {"rows": self.n}

    @property
    def directed(self) -> bool | None:
        """Whether its edges have a direction; None if it has none."""
        return None


@dataclass(frozen=True)
class Checked:
    """A dataset that fits its policy; each kind has its own."""


@dataclass(frozen=True)
class Protected:
    """Protected data in the form in which it is released: rows shuffled, nodes renumbered. Each kind has its own."""

    account: dict[str, Any]

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """What is released of every record or node."""
        return ()

    @property
    def described(self) -> tuple[ReleasedColumn, ...]:
        """Every column of the data dictionary."""
        return self.columns


@dataclass(frozen=True)
class Subject:
    """What is measured against what, by the parts of which kind."""

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
    """What policies and datasets call it."""
    policy: type[PolicyT]
    """Its policies, which know their contradictions, gates and formats."""

    @abstractmethod
    def check(
        self,
        dataset: DatasetT,
        policy: PolicyT,
        hierarchies: Mapping[str, Hierarchy],
        populations: Mapping[str, Dataset],
    ) -> CheckedT:
        """Type every column, place every value in its hierarchy and let every guarantee look at the counts."""

    @abstractmethod
    def protect(
        self, checked: CheckedT, policy: PolicyT, rng: np.random.Generator, watch: Watch, key: bytes | None
    ) -> ProtectedT:
        """Protect the data, then break every link to the original's order. Pseudonyms are made under the key."""

    @abstractmethod
    def subjects(self, checked: CheckedT, protected: ProtectedT) -> list[Subject]:
        """What is measured, in the order in which it is."""

    @abstractmethod
    def explain(self, checked: CheckedT, protected: ProtectedT, policy: PolicyT) -> dict[str, Any]:
        """What became of the quasi-identifiers; nothing where there are none."""

    @abstractmethod
    def unchanged(self, checked: CheckedT, protected: ProtectedT, policy: PolicyT) -> list[Reason]:
        """Why the release may not go out as the original that it is; empty if it may, or is not."""

    @abstractmethod
    def shape(self, protected: ProtectedT) -> dict[str, Any]:
        """How large the release is, and what else everybody may know of its form."""

    def beside_earlier(self, checked: CheckedT, n: int, maps: Sequence[Mapping[str, NDArray[Any]]]) -> CheckedT:
        """The data with what earlier releases of the same ``n`` records show of them, by their sealed maps; as it is
        where releases of the kind are not joined."""
        return checked

    def largest_k(self, checked: CheckedT) -> int:
        """The largest k that is worth trying once a release was refused; 0 where none is tried."""
        return 0
