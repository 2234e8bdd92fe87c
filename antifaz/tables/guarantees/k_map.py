"""k-Map: every released record could be any of at least k people of a population.

Sweeney, "Computational Disclosure Control: A Primer on Data Privacy Protection", PhD thesis, MIT 2001.

k-Anonymity counts the records of the table; an attacker who does not know which people of a population are in the table
has to choose among all people who match. The table is assumed to be drawn from the population, which is uploaded as a
dataset. While classes are formed, only people with exactly a record's values count; labels can only cover more. No
class may have more records than people.

Guarantees: every released combination of quasi-identifiers covers at least k people of the population.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.errors import InvalidDataset
from antifaz.kernels.tables.conditions import MAPPED
from antifaz.part import Examples
from antifaz.tables.labels.population import match_population, population_of
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Table


class KMap(TableGuarantee):
    """Every released record matches at least k people of a population."""

    kinds: ClassVar[tuple[str, ...]] = ("table",)
    assumes: ClassVar[str] = (
        "the attacker knows the quasi-identifiers of everyone in the population, but not which of them are in the table"
        + DECIDES_BLINDLY
    )
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes+sealed_map"
    examples: ClassVar[Examples] = ({"k": 5, "population": "76940287-7d3f-4c0e-9a55-0d2f8e1b6c34"},)

    model: Literal["k_map"] = "k_map"
    k: int = Field(ge=2)
    """Smallest number of people whom a released record may match."""
    population: str = Field(min_length=1, max_length=64)
    """Id of the dataset with the population; it has the quasi-identifiers under the same names."""

    def admit(self, table: Table) -> None:
        """Refuse a population of fewer than k people."""
        population = population_of(table, self.population)
        if self.k > population.n:
            raise InvalidDataset("k_above_rows", "k is larger than the population")

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """At least k people with the values of a class's records."""
        matches = match_population(table, population_of(table, self.population))
        people = matches.people.astype(float).tolist()
        return (ClassRule(MAPPED, None, (float(self.k), *people), matches.codes),)
