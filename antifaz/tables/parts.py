"""The kinds of part that work on tables, each with its one verb."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.part import Attack, Guarantee, Method, Part, Risk
from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


@dataclass(frozen=True)
class ClassRule:
    """A condition on one equivalence class, as plain numbers for the compiled kernels."""

    kind: int
    """One of the constants of `antifaz.kernels.tables.conditions`."""
    attribute: str | None
    """The sensitive attribute of the condition, if any."""
    parameters: tuple[float, ...]
    """The limit first, then the other parameters of the kind."""
    codes: NDArray[np.int32] | None = field(default=None, compare=False)
    """One code per record if the condition is not about the attribute's values as spelled: their folded values, or the
    number of each combination of quasi-identifiers."""


DECIDES_BLINDLY = ", and does not reason from how the method decides (minimality attack)"
"""Assumption of every guarantee over classes: the fact that a method did not cut reveals which guarantee prevented it
(Wong, Fu, Wang and Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007)."""


class TableGuarantee(Guarantee):
    """A property that must hold in a released table."""

    kinds: ClassVar[tuple[str, ...]] = ("table", "graph", "temporal_graph")
    classwise: ClassVar[bool] = False
    """Whether rules on single classes decide it: every method that checks rules class by class then gives it."""

    def least_class(self) -> int:
        """The smallest number of records (or persons) that it allows in a class."""
        return 1

    def admit(self, table: Table) -> None:
        """Raise `InvalidDataset` (or `InvalidPolicy`) if counting alone shows that this table cannot have it."""
        raise NotImplementedError

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """The conditions that every class must satisfy."""
        raise NotImplementedError

    def confirm(self, table: Table, released: ProtectedTable) -> None:
        """Raise `Infeasible` if the labels show that a release whose classes satisfy the rules still falls short; most
        guarantees are decided by their rules alone."""


class TableMethod(Method):
    """A way to protect a table."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    keeps_every_record: ClassVar[bool] = True
    """Whether every record of the original appears in the release; the nodes of a graph need that."""

    def named(self) -> frozenset[str]:
        """The columns that its parameters name, which it changes whatever their role."""
        return frozenset(getattr(self, "attributes", None) or ())

    def contradictions(
        self, attributes: Mapping[str, AttributeSettings], waived: Collection[str]
    ) -> Iterable[tuple[str, str]]:
        """Conflicts between the method and the policy's attributes: pointer into the policy, and reason."""
        return ()

    def declared_values(self) -> Mapping[str, Collection[Any]]:
        """The values of attributes with a declared domain: an undeclared value in a cell never has an effect."""
        return {}

    def needs_guarantee(self) -> str | None:
        """The guarantee that sets its noise and that it cannot run without; None if there is none."""
        return None

    def bounds_contributions(self) -> bool:
        """Whether it limits the number of records that count per person, so that its guarantee covers people."""
        return False

    def follows_records(self) -> bool:
        """Whether each released record is a record of the original; otherwise no one can know whose it is."""
        return True

    def writes_bounds(self) -> bool:
        """Whether a range can be written as two columns, its lowest and its highest value."""
        return False

    def apply(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Protect the table so that every guarantee holds, or raise `Infeasible`; the input is left untouched."""
        raise NotImplementedError


class TableRisk(Risk):
    """A measure of re-identification risk, before and after protection."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)

    def before(self, table: Table) -> dict[str, Any]:
        """The risk of releasing the original quasi-identifiers unchanged."""
        raise NotImplementedError

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The risk of the release; a function of the released labels alone."""
        raise NotImplementedError


class TableUtility(Part):
    """A measure of what the release is still good for."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the release with the original; the main figure is called ``value``."""
        raise NotImplementedError


class TableAttack(Attack):
    """An attempt to re-identify records of a release, judged against the truth."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack the release: at least ``rate`` (share of correct links) and ``baseline`` (guessing)."""
        raise NotImplementedError
