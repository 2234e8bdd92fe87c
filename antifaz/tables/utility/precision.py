"""Precision: how high in their hierarchies the released labels are.

Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", IJUFKS 2002 (the measure
Prec).

The loss of a cell is the level of its label over the height of the attribute's hierarchy; precision is one minus the
mean. An attribute without a hierarchy has two levels, its values and ``*``, so a range or a set of several values loses
everything. Records that are left out lose everything.

It is measured between the original and the release, whatever the steps: a label has the lowest level at which
everything that it stands for is one group, including the true values of the records that show it and the span that its
method states (as for NCP). A rounded, noisy or averaged number is never at level 0 unless it is exact.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.labels.losses import mean_over_original, standing_of
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Precision(TableUtility):
    """One minus the mean height of the released labels in their hierarchies (Prec)."""

    name: Literal["precision"] = "precision"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The precision of each quasi-identifier and, as ``value``, their mean."""
        kept = {}
        for done, attribute in enumerate(table.quasi_identifiers):
            watch(done / len(table.quasi_identifiers))
            kept[attribute.name] = _precision(attribute.name, table, released)
        watch(1.0)
        return {"value": float(np.mean(list(kept.values()))) if kept else 1.0, "attributes": kept}


def _precision(name: str, table: Table, released: ProtectedTable) -> float:
    standing = standing_of(table, released, name)
    return 1.0 - mean_over_original(table, None if standing is None else standing.heights[standing.codes])
