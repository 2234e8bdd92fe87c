"""k-Anonymity: every released record shares its quasi-identifiers with at least k - 1 others.

Samarati and Sweeney, "Protecting Privacy when Disclosing Information: k-Anonymity and its Enforcement through
Generalization and Suppression", SRI technical report, 1998.

If the policy names a privacy unit, k counts persons instead of records: a class needs k different persons.

Guarantees: by its quasi-identifiers, every record is indistinguishable among at least k; nothing on sensitive values.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.arrays import distinct
from antifaz.errors import InvalidDataset
from antifaz.kernels.tables.conditions import DISTINCT, SIZE
from antifaz.part import Examples
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Table


class KAnonymity(TableGuarantee):
    """Every combination of quasi-identifiers occurs at least k times."""

    assumes: ClassVar[str] = "the attacker knows the quasi-identifiers" + DECIDES_BLINDLY
    classwise: ClassVar[bool] = True
    examples: ClassVar[Examples] = ({"k": 3},)

    model: Literal["k_anonymity"] = "k_anonymity"
    k: int = Field(ge=2)
    """Smallest number of records (persons, if the policy names a privacy unit) in a class."""

    def least_class(self) -> int:
        """k."""
        return self.k

    def admit(self, table: Table) -> None:
        """Refuse a table that has fewer than k records or persons."""
        persons = table.n if table.unit is None else len(distinct(table.unit))
        if self.k > persons:
            counted = "records" if table.unit is None else "persons"
            raise InvalidDataset("k_above_rows", f"k is larger than the number of {counted}", shred=True)

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """At least k records, and at least k persons."""
        size = ClassRule(SIZE, None, (float(self.k),))
        return (size,) if table.unit is None else (size, ClassRule(DISTINCT, None, (float(self.k),)))
