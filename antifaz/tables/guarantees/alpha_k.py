"""(α, k)-Anonymity: classes of at least k records in which no sensitive value is too frequent.

Wong, Li, Fu and Wang, "(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data Publishing",
KDD 2006.

k-Anonymity hides whose a record is, not its content: if most records of a class share one sensitive value, an attacker
can infer it with confidence. Here every value of the attribute has at most the share α of each class (the paper's
general form, in which all values are protected).

Guarantees: every record is indistinguishable among at least k, and no sensitive value has a share above α in any class.
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.arrays import distinct
from antifaz.errors import Infeasible, InvalidDataset, Reason
from antifaz.kernels.tables.conditions import DISTINCT, SHARE, SIZE
from antifaz.part import Examples
from antifaz.tables.classes.distributions import fraction_within, sensitive_attribute, value_counts
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Table


class AlphaK(TableGuarantee):
    """Every class has at least k records, and no sensitive value more than the share alpha of it."""

    assumes: ClassVar[str] = "the attacker knows the quasi-identifiers" + DECIDES_BLINDLY
    classwise: ClassVar[bool] = True
    examples: ClassVar[Examples] = ({"alpha": 0.5, "k": 3, "attribute": "disease"},)

    model: Literal["alpha_k"] = "alpha_k"
    alpha: float = Field(gt=0, lt=1)
    """Largest share of a class that one value of the attribute may have."""
    k: int = Field(ge=2)
    """Smallest number of records (persons, if the policy names a privacy unit) in a class."""
    attribute: str
    """The sensitive attribute."""

    def least_class(self) -> int:
        """k."""
        return self.k

    def admit(self, table: Table) -> None:
        """Refuse fewer than k records, and a table in which one value has a share above alpha overall."""
        attribute = sensitive_attribute(table, self.attribute).folded
        persons = table.n if table.unit is None else len(distinct(table.unit))
        if self.k > persons:
            counted = "records" if table.unit is None else "persons"
            raise InvalidDataset("k_above_rows", f"k is larger than the number of {counted}", shred=True)
        numerator, denominator = fraction_within(self.alpha)
        most = int(value_counts(attribute).max(initial=0))
        if most * denominator > numerator * table.n:
            measured = most / table.n
            detail = f"the most frequent value of column {self.attribute} has a share above alpha in the whole table"
            reason = Reason("alpha_k", limit=self.alpha, measured=measured, detail=detail)
            raise Infeasible([reason], {"alpha": measured} if measured < 1 else None)

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """At least k records, and at least k persons, and no value above the share alpha of the records."""
        numerator, denominator = fraction_within(self.alpha)
        codes = sensitive_attribute(table, self.attribute).folded.column.codes
        share = ClassRule(SHARE, self.attribute, (self.alpha, float(numerator), float(denominator)), codes)
        size = ClassRule(SIZE, None, (float(self.k),))
        return (size, share) if table.unit is None else (size, share, ClassRule(DISTINCT, None, (float(self.k),)))
