"""Average class size: how much larger classes are than the guarantee requires.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006 (the measure C_AVG).

C_AVG = (records / classes) / k, with the k of the policy: 1 means that no class is larger than required, 8 that classes
are eight times as large. The smallest released class is no substitute for k: a table that is one single class would
score a perfect 1. If k counts persons instead of records, so does the measure.

Guarantees: none; a measure.
"""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field

from antifaz.part import Part
from antifaz.tables.classes.classes import released_crowds
from antifaz.tables.parts import TableGuarantee, TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class AverageClassSize(TableUtility):
    """The mean class size over k (C_AVG)."""

    name: Literal["average_class_size"] = "average_class_size"
    k: int | None = Field(default=None, ge=1)
    """Divisor of the mean; by default the smallest class size that the policy's guarantees allow (1 if there is no
    limit)."""

    def beside(self, guarantees: Sequence[Part]) -> Self:
        """Divide by the class size that the guarantees require, unless a k is stated."""
        required = (each.least_class() for each in guarantees if isinstance(each, TableGuarantee))
        return self if self.k is not None else self.model_copy(update={"k": max(required, default=1)})

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The mean class size, k, and their ratio."""
        watch(0.0)
        sizes = released_crowds(released)
        watch(1.0)
        mean, k = float(sizes.mean()) if len(sizes) else 0.0, self.k or 1
        return {"value": mean / k, "mean": mean, "k": k}
