"""Pipeline: several methods, one after another.

Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer and de Wolf, "Statistical Disclosure Control",
Wiley, 2012, recommend such combinations of masking methods.

Each step protects the release of the step before: the labels of one step are the values of the next. Steps that only
change columns take targets such as k from the guarantees but need not satisfy them; a step that searches for a release
(Mondrian, Datafly, optimal) must satisfy them. In the end every guarantee is checked on the result.

Guarantees: every class-wise guarantee of the policy, or `Infeasible`.
Cost: the sum of its steps.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import Infeasible, Reason
from antifaz.part import Examples
from antifaz.steps import StepOf
from antifaz.tables.labels.same import unchanged_cells
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.masking.chaining import as_table, compose
from antifaz.tables.masking.masking import Masking
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.table import ProtectedTable, Recoding, Table
from antifaz.watch import Watch, within

MOST_STEPS = 20


Step = Annotated[TableMethod, StepOf(TableMethod, "A table method, with its name and its own parameters.")]


class Pipeline(Masking):
    """Run several methods in order, each on the release of the one before."""

    gives: ClassVar[tuple[str, ...]] = CLASSWISE
    keeps_every_record: ClassVar[bool] = False
    examples: ClassVar[Examples] = (
        {"steps": [{"name": "top_bottom_coding", "attributes": ["age"]}, {"name": "mondrian"}]},
    )

    name: Literal["pipeline"] = "pipeline"
    steps: tuple[Step, ...] = Field(min_length=1, max_length=MOST_STEPS)
    """The methods, in the order in which they run."""

    def waivers_needed(self) -> tuple[str, ...]:
        """The waivers of all steps."""
        return tuple(rule for step in self.steps for rule in step.waivers_needed())

    def named(self) -> frozenset[str]:
        """The columns of all steps."""
        return frozenset().union(*(step.named() for step in self.steps))

    def contradictions(
        self, attributes: Mapping[str, AttributeSettings], waived: Collection[str]
    ) -> Iterable[tuple[str, str]]:
        """The contradictions of all steps."""
        for position, step in enumerate(self.steps):
            for pointer, detail in step.contradictions(attributes, waived):
                inside = pointer.startswith("/method/")
                yield (f"/method/steps/{position}{pointer.removeprefix('/method')}" if inside else pointer), detail

    def declared_values(self) -> Mapping[str, Collection[Any]]:
        """The declared values of all steps."""
        return {name: values for step in self.steps for name, values in step.declared_values().items()}

    def follows_records(self) -> bool:
        """Whether every step follows records."""
        return all(step.follows_records() for step in self.steps)

    def writes_bounds(self) -> bool:
        """Whether the last step writes bounds."""
        return self.steps[-1].writes_bounds()

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Run the steps."""
        current, released = table, None
        accounts: list[dict[str, Any]] = []
        for position, step in enumerate(self.steps):
            last = position == len(self.steps) - 1
            part = within(watch, position / len(self.steps), (position + 1) / len(self.steps))
            subject = current if last else _without_bounds(current)
            verb = step.mask if isinstance(step, Masking) else step.apply
            found = verb(subject, guarantees, rng, part)
            if not len(found.records):
                raise Infeasible([Reason("nothing_kept", detail=f"step {position + 1} leaves no record")])
            accounts.append(found.account)
            released = found if released is None else compose(table, released, found, {})
            if not last:
                current = _with_bounds(as_table(subject, found), current)
        if released is None:
            raise TypeError("a pipeline has at least one step")
        changed = {"cells_changed": _changed(table, released)} if released.follows else {}
        return replace(released, account=_join(self.name, accounts) | changed)


def _without_bounds(table: Table) -> Table:
    """The table with ranges instead of bounds: only the last step writes bounds."""
    attributes = tuple(
        replace(attribute, recoding=Recoding.RANGE) if attribute.recoding is Recoding.BOUNDS else attribute
        for attribute in table.attributes
    )
    return replace(table, attributes=attributes)


def _with_bounds(table: Table, before: Table) -> Table:
    """The table with the bounds that the policy requests, for attributes whose values still are numbers."""
    requested = {attribute.name for attribute in before.attributes if attribute.recoding is Recoding.BOUNDS}
    attributes = tuple(
        replace(attribute, recoding=Recoding.BOUNDS)
        if attribute.name in requested and attribute.column.numbers is not None
        else attribute
        for attribute in table.attributes
    )
    return replace(table, attributes=attributes)


def _changed(table: Table, released: ProtectedTable) -> dict[str, float]:
    """For every column, the share of released records that do not show their original value, after all steps."""
    names = dict.fromkeys(column.source for column in released.columns)
    return {name: 1.0 - float(unchanged_cells(table.attribute(name), released).mean()) for name in names}


def _join(name: str, accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The account of all steps, each about the table that it read; the public parts of each step stay public.

    A record is left out by one step, so the reasons of all steps add up.
    """
    because: dict[str, int] = {}
    for account in accounts:
        for rule, count in account.get("suppressed_because", {}).items():
            because[rule] = because.get(rule, 0) + count
    public = {key: value for account in accounts for key, value in account.get("public", {}).items()}
    steps = [{key: value for key, value in account.items() if key != "public"} for account in accounts]
    whole = {"suppressed_because": because} if because else {}
    return {"method": name, "steps": steps, **whole, **({"public": public} if public else {})}
