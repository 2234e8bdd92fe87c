"""l-Diversity: every class has at least l well-represented sensitive values.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.

An attacker who finds a person's class learns the sensitive value if all its records agree. `distinct` requires l
different values; `entropy` an entropy of at least log l, so that none dominates; `recursive` that the most frequent
value occurs less than c times as often as the l-th and all rarer ones together. Spellings of one value are one value.

Guarantees: no sensitive value of the attribute is certain for any class; only entropy and recursive bound its
probability.
"""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.errors import Infeasible, Reason
from antifaz.kernels.tables.conditions import DISTINCT, ENTROPY, ENTROPY_SLACK, RECURSIVE, SIZE
from antifaz.part import Examples
from antifaz.tables.classes.distributions import sensitive_attribute, value_counts
from antifaz.tables.parts import DECIDES_BLINDLY, ClassRule, TableGuarantee
from antifaz.tables.table import Table

KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


class LDiversity(TableGuarantee):
    """Every class has at least l well-represented values of a sensitive attribute."""

    assumes: ClassVar[str] = (
        "the attacker knows the quasi-identifiers and up to l - 2 values that a person does not have" + DECIDES_BLINDLY
    )
    classwise: ClassVar[bool] = True
    examples: ClassVar[Examples] = (
        {"variant": "entropy", "l": 2, "attribute": "disease"},
        {"l": 2, "attribute": "disease"},
        {"variant": "recursive", "l": 2, "c": 3, "attribute": "disease"},
    )

    model: Literal["l_diversity"] = "l_diversity"
    variant: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How values are counted: distinct values, by entropy, or recursively with c."""
    l: int = Field(ge=2)  # noqa: E741 (the literature's letter)
    """Number of values that a class must have."""
    c: float | None = Field(default=None, gt=0)
    """For recursive only: limit on the count of the most frequent value over that of the rarer ones together."""
    attribute: str
    """The sensitive attribute."""

    @model_validator(mode="after")
    def _agree(self) -> "LDiversity":
        if (self.variant == "recursive") != (self.c is not None):
            raise ValueError("the variant recursive needs c, and only that variant may have it")
        return self

    def least_class(self) -> int:
        """l: every value needs a record."""
        return self.l

    def admit(self, table: Table) -> None:
        """Refuse an attribute that is not sensitive, or whose values in the whole table fall short of l.

        The pointer of an `InvalidPolicy` is relative to this guarantee.
        """
        counts = value_counts(sensitive_attribute(table, self.attribute).folded)
        reached = self._reach(np.sort(counts[counts > 0])[::-1])
        if reached < self.l:
            detail = f"the whole table reaches l = {reached} ({self.variant}) on column {self.attribute}"
            reason = Reason("l_diversity", limit=self.l, measured=reached, detail=detail)
            raise Infeasible([reason], {"l": float(reached)} if reached >= 2 else None)

    def _reach(self, falling: NDArray[np.int64]) -> int:
        """The largest l that a class with these counts has."""
        if self.variant == "distinct" or len(falling) == 0:
            return len(falling)
        if self.variant == "entropy":
            shares = falling / falling.sum()
            return int(np.exp(-(shares * np.log(shares)).sum() + ENTROPY_SLACK))
        tails = np.cumsum(falling[::-1])[::-1]
        return int(np.count_nonzero(falling[0] < (self.c or 0.0) * tails))

    def rules(self, table: Table) -> tuple[ClassRule, ...]:
        """The variant's condition, and the class size that it implies."""
        codes = sensitive_attribute(table, self.attribute).folded.column.codes
        diverse = ClassRule(KINDS[self.variant], self.attribute, (float(self.l), self.c or 0.0), codes)
        return (ClassRule(SIZE, None, (float(self.l),)), diverse)
