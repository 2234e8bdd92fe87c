"""Average class size: how much larger classes are than the guarantee asks for.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006 (the measure C_AVG).

The mean class size, and over the least one: 1 means that no class could be smaller. The least class size is taken from
the release itself, which never has fewer records in a class than it was asked for.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.classes import class_sizes, released_classes
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class AverageClassSize(TableUtility):
    """The mean class size over the smallest one (C_AVG)."""

    name: Literal["average_class_size"] = "average_class_size"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The mean class size, and its ratio to the smallest."""
        watch(0.0)
        sizes = class_sizes(*released_classes(released))
        watch(1.0)
        if not len(sizes):
            return {"value": 0.0, "mean": 0.0}
        return {"value": float(sizes.mean() / sizes.min()), "mean": float(sizes.mean())}
