"""δ-Presence: the probability that a person of a population is in the table stays between two bounds.

Nergiz, Atzori and Clifton, "Hiding the Presence of Individuals from Shared Databases", SIGMOD 2007.

Being in the table may itself be the secret. The number of a class's records over the number of people whom its labels
cover is the probability that one of them is in the table. If labels of several classes cover a person, the probability
is at most the sum and at least the largest of these shares; a person whom no label covers is certainly absent. The
table must be drawn from the population, which is uploaded as a dataset.

Guarantees: minimum ≤ the probability that a person of the population is in the table ≤ maximum.
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from antifaz.errors import Infeasible, Reason
from antifaz.kernels.tables.conditions import PRESENT, SHARE_SLACK
from antifaz.part import Examples
from antifaz.tables.classes.distributions import clear_limit
from antifaz.tables.labels.population import match_population, population_of, presence_of
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import ProtectedTable, Table


class DeltaPresence(TableGuarantee):
    """The probability that a person of the population is in the table stays within two bounds."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    assumes: ClassVar[str] = "the attacker knows the quasi-identifiers of everyone in the population" + DECIDES_BLINDLY
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes+sealed_map"
    examples: ClassVar[Examples] = (
        {
            "minimum": 0.05,
            "maximum": 0.5,
            "population": "76940287-7d3f-4c0e-9a55-0d2f8e1b6c34",
        },
    )

    model: Literal["delta_presence"] = "delta_presence"
    minimum: float = Field(default=0.0, ge=0, lt=1)
    """Smallest probability that a person is in the table; above 0, labels must cover the whole population."""
    maximum: float = Field(gt=0, lt=1)
    """Largest probability that a person is in the table."""
    population: str = Field(min_length=1, max_length=64)
    """Id of the dataset with the population; it has the quasi-identifiers under the same names."""

    @model_validator(mode="after")
    def _agree(self) -> "DeltaPresence":
        if self.minimum > self.maximum:
            raise ValueError("minimum is larger than maximum")
        return self

    def admit(self, table: Table) -> None:
        """Refuse a population of which the table is too large or too small a share."""
        population = population_of(table, self.population)
        share = table.n / population.n
        if not self.minimum <= share <= self.maximum:
            detail = "the share of the population that is in the table is outside the bounds"
            limit = self.maximum if share > self.maximum else self.minimum
            raise Infeasible([Reason("delta_presence", limit, share, detail)])

    def hides_presence(self) -> float:
        """The largest probability that a person is in the table."""
        return self.maximum

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """The records of a class are at most the share ``maximum`` of the people with their values."""
        matches = match_population(table, population_of(table, self.population))
        people = matches.people / np.maximum(matches.records, 1)
        return (ClassRule(PRESENT, None, (clear_limit(self.maximum), *people.tolist()), matches.codes),)

    def confirm(self, table: Table, released: ProtectedTable) -> None:
        """Count the people whom the final labels cover."""
        presence = presence_of(released, population_of(table, self.population))
        most, least = float(presence.most.max(initial=0.0)), float(presence.least.min(initial=1.0))
        if most > clear_limit(self.maximum) * (1 + SHARE_SLACK):
            detail = "labels of several classes cover the same people: wider or disjoint classes would satisfy it"
            raise Infeasible([Reason("delta_presence", self.maximum, most, detail)])
        if least < self.minimum * (1 - SHARE_SLACK):
            detail = "labels do not cover enough of the population"
            raise Infeasible([Reason("delta_presence", self.minimum, least, detail)])
