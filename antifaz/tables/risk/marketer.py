"""Marketer risk: the average share of records found by an attacker who wants to find as many as possible.

Dankar and El Emam, "A Method for Evaluating Marketer Re-identification Risk", PAIS workshop at EDBT 2010.

The attacker matches all records with a register of the population. Of f records whose class has F people there, each is
matched correctly with probability 1 / F; if the table is a sample of a known share of the population, F is about f over
that share. A share of 1 is the worst case: the table is the population.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes.classes import original_crowds, released_crowds
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Table


class Marketer(TableRisk):
    """The average share of records that are re-identified when all are matched with the population."""

    name: Literal["marketer"] = "marketer"
    sampling_fraction: float = Field(default=1.0, gt=0, le=1)
    """Share of the population that is in the table."""

    def before(self, table: Table) -> dict[str, Any]:
        """The share if the original quasi-identifiers were released unchanged."""
        return self._judge(original_crowds(table))

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The share in the release."""
        return self._judge(released_crowds(released))

    def _judge(self, sizes: NDArray[np.int64]) -> dict[str, Any]:
        share = self.sampling_fraction * len(sizes) / max(int(sizes.sum()), 1)
        return {"value": share, "sampling_fraction": self.sampling_fraction}
