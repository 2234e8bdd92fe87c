"""Journalist risk: how likely an attacker who does not know who is in the table finds a person.

El Emam and Dankar, "Protecting Privacy Using k-Anonymity", JAMIA 2008.

The attacker matches a released record with a register of the whole population, and guesses among all people of its
class there: the risk is one over their number. If the table is a sample of a known share of the population, a class of
f records represents about f over that share people. A share of 1 is the worst case: the table is the population, and
the risk is the prosecutor's.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.tables.classes.classes import original_crowds, released_crowds
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Table


class Journalist(TableRisk):
    """The chance of finding a person in the population from which the table was drawn."""

    name: Literal["journalist"] = "journalist"
    sampling_fraction: float = Field(default=1.0, gt=0, le=1)
    """Share of the population that is in the table."""
    threshold: float = Field(default=0.2, gt=0, le=1)
    """Risk above which a record counts as exposed."""

    def before(self, table: Table) -> dict[str, Any]:
        """The risk of releasing the original quasi-identifiers unchanged."""
        return self._judge(original_crowds(table))

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The risk of the release."""
        return self._judge(released_crowds(released))

    def _judge(self, sizes: NDArray[np.int64]) -> dict[str, Any]:
        records = max(int(sizes.sum()), 1)
        risks = self.sampling_fraction / np.maximum(sizes, 1)
        return {
            "max": float(risks.max(initial=0.0)),
            "mean": float((risks * sizes).sum() / records),
            "share_over_threshold": float(sizes[risks > self.threshold].sum() / records),
            "threshold": self.threshold,
            "sampling_fraction": self.sampling_fraction,
        }
