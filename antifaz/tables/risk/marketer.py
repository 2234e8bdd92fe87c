"""Marketer risk: the share of records that an attacker who wants as many as possible finds on average.

Dankar and El Emam, "A Method for Evaluating Marketer Re-identification Risk", PAIS workshop at EDBT 2010.

The attacker matches all records with a register of the population at once. Of f records whose class has F people
there, f / F are matched rightly on average; where the table is a sample of a known share of the population, F is about
f over that share. A share of 1 is the worst case: the table is the population.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes import original_crowds, released_crowds
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Table


class Marketer(TableRisk):
    """The share of records that is re-identified on average when all are matched with the population."""

    name: Literal["marketer"] = "marketer"
    sampling_fraction: float = Field(default=1.0, gt=0, le=1)
    """The share of the population that is in the table."""

    def before(self, table: Table) -> dict[str, Any]:
        """The share if the original quasi-identifiers were released as they are."""
        return self._judge(original_crowds(table))

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The share in the release."""
        return self._judge(released_crowds(released))

    def _judge(self, sizes: NDArray[np.int64]) -> dict[str, Any]:
        share = self.sampling_fraction * len(sizes) / max(int(sizes.sum()), 1)
        return {"value": share, "sampling_fraction": self.sampling_fraction}
