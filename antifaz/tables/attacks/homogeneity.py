"""Homogeneity attack: read a person's sensitive value from their class.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.

The attacker finds the class of a person and names its most frequent sensitive value. ``rate`` is the share of records
for which that is right, ``certain`` the share for which there is no other value in the class, and ``baseline`` the
share that naming the most frequent value of the whole release gets right.

Guarantees: none; an attack.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.part import Story
from antifaz.tables.classes import homogeneous_records, released_classes
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch, within


class Homogeneity(TableAttack):
    """Guess each record's sensitive value from its class."""

    story: ClassVar[Story] = Story(
        "someone who knows the {known} of a person",
        "names {column} correctly for {} people",
        "naming the most common value is correct for {}",
    )

    name: Literal["homogeneity"] = "homogeneity"

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack every sensitive column; the rates are those of the most exposed column."""
        watch(0.0)
        numbers, classes = released_classes(released)
        columns = [column for column in released.columns if column.role is Role.SENSITIVE]
        outcomes: dict[str, dict[str, float]] = {}
        for index, column in enumerate(columns):
            within(watch, 0.0, 1.0)(index / len(columns))
            outcomes[column.name] = _guess(numbers, classes, column.folded_codes)
        watch(1.0)
        none = {"rate": 0.0, "baseline": 0.0, "certain": 0.0}
        worst = max(outcomes.values(), key=lambda outcome: outcome["certain"], default=none)
        return {**worst, "columns": outcomes}


def _guess(numbers: NDArray[np.int64], classes: int, codes: NDArray[np.int32]) -> dict[str, float]:
    if not len(codes):
        return {"rate": 0.0, "baseline": 0.0, "certain": 0.0}
    values = int(codes.max()) + 1
    cells, counts = np.unique(numbers * values + codes, return_counts=True)
    most = np.zeros(classes, dtype=np.int64)
    np.maximum.at(most, cells // values, counts)
    return {
        "rate": float(most.sum() / len(codes)),
        "baseline": float(np.bincount(codes).max() / len(codes)),
        "certain": float(homogeneous_records(numbers, classes, codes).mean()),
    }
