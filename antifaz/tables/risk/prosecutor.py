"""Prosecutor risk: how likely a person who is known to be in the table is found.

El Emam and Dankar, "Protecting Privacy Using k-Anonymity", JAMIA 2008.

An attacker who knows that a person is in the table, and their quasi-identifiers, guesses among the records of the
class: the risk is one over its size. Records whose risk exceeds a threshold count as exposed, those alone in their
class as unique. If the policy names a privacy unit, the records of one person in one class count as one. ``max`` is the
risk of the most exposed person, ``mean`` the mean over all. If quasi-identifiers were masked, an attacker who knows the
true ones does not find the class: the figures then describe the release and answer no question.

Guarantees: none; a measure.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.part import Question, Story
from antifaz.tables.classes.classes import original_crowds, released_crowds, size_histogram
from antifaz.tables.labels.finding import masked_columns
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Table


class Prosecutor(TableRisk):
    """The chance of finding a person who is known to be in the table."""

    question: ClassVar[Question | None] = "identity"
    story: ClassVar[Story] = Story(
        "someone who knows that a person is in the table, and their {known},",
        "picks the right row for {} people",
        "guessing does so for {}",
    )

    name: Literal["prosecutor"] = "prosecutor"
    threshold: float = Field(default=0.2, gt=0, le=1)
    """Risk above which a record counts as exposed."""

    def before(self, table: Table) -> dict[str, Any]:
        """The risk of releasing the original quasi-identifiers unchanged."""
        return self._judge(original_crowds(table), guarded=True)

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The risk of the release."""
        return self._judge(released_crowds(released), guarded=False)

    def answer(self, original: Table, released: ProtectedTable, figures: Mapping[str, Any]) -> dict[str, Any] | None:
        """The mean risk, and that of the most exposed person, if the attacker finds the class."""
        if not len(released.records) or not original.quasi_identifiers or masked_columns(original, released):
            return None
        return {"rate": figures["mean"], "highest": figures["max"], "baseline": 1.0 / original.n}

    def _judge(self, sizes: NDArray[np.int64], *, guarded: bool) -> dict[str, Any]:
        records = max(int(sizes.sum()), 1)
        exposed = int(sizes[1.0 / np.maximum(sizes, 1) > self.threshold].sum())
        unique = int(np.count_nonzero(sizes == 1))
        return {
            "max": float(1.0 / sizes.min()) if len(sizes) else 0.0,
            "mean": len(sizes) / records,
            "share_over_threshold": exposed / records,
            "threshold": self.threshold,
            "unique_share": unique / records,
            "class_sizes": size_histogram(sizes, guarded=guarded),
        }
