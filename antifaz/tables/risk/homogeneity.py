"""Homogeneity: the share of records whose class reveals their sensitive value.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.

If all records of a class share one sensitive value, finding the class is enough to learn it, however large it is.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.classes.classes import homogeneous_records, original_classes, released_classes
from antifaz.tables.parts import TableRisk
from antifaz.tables.table import ProtectedTable, Role, Table


class Homogeneity(TableRisk):
    """The share of records in classes whose records all have the same sensitive value."""

    name: Literal["homogeneity"] = "homogeneity"

    def before(self, table: Table) -> dict[str, Any]:
        """The share if the original quasi-identifiers were released unchanged."""
        numbers, classes = original_classes(table)
        columns = {attribute.name: attribute.folded.column.codes for attribute in table.having(Role.SENSITIVE)}
        return _shares({name: homogeneous_records(numbers, classes, codes) for name, codes in columns.items()})

    def after(self, released: ProtectedTable) -> dict[str, Any]:
        """The share in the release."""
        numbers, classes = released_classes(released)
        columns = {column.name: column.folded_codes for column in released.columns if column.role is Role.SENSITIVE}
        return _shares({name: homogeneous_records(numbers, classes, codes) for name, codes in columns.items()})


def _shares(exposed: dict[str, Any]) -> dict[str, Any]:
    """The share of exposed records in each sensitive column, and in at least one."""
    shares = {name: float(np.mean(rows)) if len(rows) else 0.0 for name, rows in exposed.items()}
    anywhere = np.any(list(exposed.values()), axis=0) if exposed else np.zeros(0)
    return {"value": float(np.mean(anywhere)) if np.size(anywhere) else 0.0, "columns": shares}
