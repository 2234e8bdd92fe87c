"""Precision: how high in their hierarchies the released labels are.

Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", IJUFKS 2002 (the measure
Prec).

The loss of a cell is the level of its label over the height of the attribute's hierarchy; precision is one minus the
mean. An attribute without a hierarchy has two levels, its values and ``*``, so a range or a set of several values loses
everything. Suppressed records lose everything.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.hierarchy import Generalization
from antifaz.tables.label_values import Cover, cover_of
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch


class Precision(TableUtility):
    """One minus the mean height of the released labels in their hierarchies (Prec)."""

    name: Literal["precision"] = "precision"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The precision of each quasi-identifier and, as ``value``, their mean."""
        watch(0.0)
        kept = {attribute.name: _precision(attribute, table, released) for attribute in table.quasi_identifiers}
        watch(1.0)
        return {"value": float(np.mean(list(kept.values()))) if kept else 1.0, "attributes": kept}


def _precision(attribute: Attribute, table: Table, released: ProtectedTable) -> float:
    cover = cover_of(table, released, attribute.name)
    if cover is None:
        return 0.0
    heights = _heights(attribute, cover, released)
    return float((1.0 - heights[cover.codes]).sum() / max(table.n, 1))


def _heights(attribute: Attribute, cover: Cover, released: ProtectedTable) -> NDArray[np.float64]:
    """The level of every label over the height of the hierarchy."""
    hierarchy = attribute.generalization
    if hierarchy is None:
        return (cover.sizes > 1).astype(np.float64)
    named = _levels_of_names(hierarchy)
    columns = [column for column in released.columns if column.source == attribute.name]
    labels = [str(label) for label in columns[0].labels] if len(columns) == 1 else [""] * cover.labels
    levels = [
        named[label] if label in named else _lowest_common(hierarchy, cover, place)
        for place, label in enumerate(labels)
    ]
    return np.array(levels, dtype=np.float64) / max(hierarchy.levels - 1, 1)


def _levels_of_names(hierarchy: Generalization) -> dict[str, int]:
    """For every label of the hierarchy, the lowest level that has it."""
    named: dict[str, int] = {}
    for level, labels in enumerate(hierarchy.labels):
        for label in labels:
            named.setdefault(str(label), level)
    return named


def _lowest_common(hierarchy: Generalization, cover: Cover, place: int) -> int:
    """The lowest level at which all values of a label are one group."""
    low, high = int(cover.lows[place]), int(cover.highs[place])
    members = np.arange(low, high) if cover.listed is None else cover.listed[low:high]
    groups = hierarchy.groups[:, members]
    return int(np.argmax((groups == groups[:, :1]).all(axis=1)))
