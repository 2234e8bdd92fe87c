"""NCP: the normalized certainty penalty, per attribute and for the whole table.

Xu, Wang, Pei, Wang, Shi and Fu, "Utility-Based Anonymization Using Local Recoding", KDD 2006.

The loss of a cell is the width of its range over that of the domain, or the number of values (leaves) that its label
covers over the number of all values; it is 0 for an exact cell and 1 for a suppressed one. The mean over all cells of
all quasi-identifiers is the global certainty penalty (GCP). Suppressed records lose everything.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Ncp(TableUtility):
    """Information lost by generalization, from 0 (none) to 1 (all)."""

    name: Literal["ncp"] = "ncp"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The penalty of each quasi-identifier and, as ``value``, their mean."""
        watch(0.0)
        losses = {attribute.name: _loss(attribute.name, table, released) for attribute in table.quasi_identifiers}
        watch(1.0)
        return {"value": float(np.mean(list(losses.values()))) if losses else 0.0, "attributes": losses}


def _loss(name: str, table: Table, released: ProtectedTable) -> float:
    """The mean loss of one attribute over all original records; an attribute released as two columns counts once."""
    columns = [column for column in released.columns if column.source == name]
    if not columns:
        return 1.0
    lost = [float(column.losses[column.codes].sum()) if column.losses is not None else 0.0 for column in columns]
    suppressed = max(0, table.n - len(released.records))
    return (float(np.mean(lost)) + suppressed) / max(table.n, 1)
