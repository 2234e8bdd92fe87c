"""Discernibility: how many records look the same as each record.

Bayardo and Agrawal, "Data Privacy through Optimal k-Anonymization", ICDE 2005.

Every record costs the size of its class, a suppressed one the size of the table; ``value`` is the sum, and
``normalized`` its share of the worst case, in which all records are one class.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Discernibility(TableUtility):
    """The sum over records of the size of their class."""

    name: Literal["discernibility"] = "discernibility"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The cost of the release."""
        watch(0.0)
        sizes = class_sizes(*released_classes(released))
        charge = int((sizes**2).sum()) + table.n * max(0, table.n - len(released.records))
        watch(1.0)
        return {"value": charge, "normalized": charge / max(table.n**2, 1)}
