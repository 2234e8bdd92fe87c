"""Chaining: use the release of one method as the table that the next method protects.

Labels become values: numbers if they still are numbers, else texts. A hierarchy continues above the labels that it
gave, so that an attribute can be generalized further. Losses are measured between the original and the last release
(`antifaz.tables.labels.losses`); steps only pass on what their labels stand for. What a step counts as lost refers to
the table that it read, so it counts only if that still showed the original's values.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.hierarchies.placement import number_groups
from antifaz.tables.labels.same import shows_original
from antifaz.tables.reading.attributes import NUMERIC_RECODINGS, cast_column, order_column
from antifaz.tables.table import Attribute, Column, ProtectedTable, Recoding, ReleasedColumn, Role, Table


def as_table(table: Table, released: ProtectedTable) -> Table:
    """The released records as a table."""
    attributes = tuple(_carry(table.attribute(column.source), column) for column in released.columns)
    unit = None if table.unit is None else table.unit[released.records]
    return Table(attributes, len(released.records), unit)


def _carry(attribute: Attribute, released: ReleasedColumn) -> Attribute:
    """A released column as an attribute, with the rest of its hierarchy and its order."""
    column = cast_column(released.name, released.labels, released.codes, released.type)
    if column.numbers is None and set(column.values) <= set(attribute.column.values):
        column = order_column(column, [str(value) for value in attribute.column.values])
    hierarchy = None
    if attribute.generalization is not None:
        hierarchy = carry_hierarchy(attribute.generalization, column.values)
    return Attribute(column, attribute.role, _recoding(attribute, column, hierarchy), hierarchy)


def _recoding(attribute: Attribute, column: Column, hierarchy: Generalization | None) -> Recoding | None:
    """The policy's recoding if it still fits, else the default."""
    if attribute.role is not Role.QUASI_IDENTIFIER:
        return None
    stated = attribute.recoding
    if stated is Recoding.ANCESTOR and hierarchy is not None:
        return stated
    if column.numbers is None:
        return Recoding.SET
    return stated if stated in NUMERIC_RECODINGS or stated is Recoding.SET else Recoding.RANGE


def carry_hierarchy(hierarchy: Generalization, values: NDArray[np.object_]) -> Generalization | None:
    """The hierarchy above some of its labels, or None if a value is not one of them."""
    places: dict[str, tuple[int, int]] = {}
    for level in range(hierarchy.levels - 1, -1, -1):
        labels = hierarchy.labels[level]
        places |= {str(labels[group]): (level, code) for code, group in enumerate(hierarchy.groups[level].tolist())}
    if any(str(value) not in places for value in values):
        return None
    floors = np.array([places[str(value)][0] for value in values], dtype=np.int64)
    codes = np.array([places[str(value)][1] for value in values], dtype=np.int64)
    columns, counts = [], []
    for level in range(hierarchy.levels):
        heights = np.maximum(floors, level).tolist()
        groups = [int(hierarchy.groups[height, code]) for height, code in zip(heights, codes, strict=True)]
        pairs = list(zip(heights, groups, strict=True))
        columns.append(np.array([hierarchy.labels[height][group] for height, group in pairs], dtype=object))
        counts.append(np.array([hierarchy.leaves[height][group] for height, group in pairs], dtype=np.int64))
    columns[0] = values
    groups_above, labels_above = number_groups(columns)
    leaves = []
    for level, numbers in enumerate(groups_above):
        weights = np.zeros(len(labels_above[level]), dtype=np.int64)
        weights[numbers] = counts[level]
        leaves.append(weights)
    return Generalization(groups_above, labels_above, tuple(leaves))


def compose(table: Table, first: ProtectedTable, second: ProtectedTable, account: Mapping[str, Any]) -> ProtectedTable:
    """Two steps as one: the columns of the second, traced back to the records and columns of the original table."""
    columns = []
    for column in second.columns:
        earlier = first.column(column.source)
        attribute = table.attribute(earlier.source)
        losses = _carry_losses(earlier, column, second.records)
        if shows_original(attribute, first) and column.losses is not None:
            losses = column.losses if losses is None else np.maximum(losses, column.losses)
        spans = _carry_spans(earlier, column, second.records)
        if column.spans is not None and earlier.type.is_comparable(attribute.column.type):
            both = column.spans if spans is None else np.concatenate([spans, column.spans])
            spans = widest_spans(both, np.arange(len(both)) % len(column.labels), len(column.labels))
        columns.append(replace(column, source=earlier.source, losses=losses, spans=spans))
    follows = first.follows and second.follows
    return ProtectedTable(tuple(columns), first.records[second.records], dict(account), follows=follows)


def _carry_losses(
    earlier: ReleasedColumn, later: ReleasedColumn, records: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The loss of each later label by what was lost before: the mean over its records."""
    if earlier.losses is None:
        return None
    before = earlier.losses[earlier.codes[records]]
    sizes = np.bincount(later.codes, minlength=len(later.labels))
    summed = np.bincount(later.codes, weights=before, minlength=len(later.labels))
    return np.asarray(summed / np.maximum(sizes, 1))


def _carry_spans(
    earlier: ReleasedColumn, later: ReleasedColumn, records: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The span of each later label by what the labels before stood for."""
    if earlier.spans is None:
        return None
    pairs = distinct(later.codes * np.int64(len(earlier.labels)) + earlier.codes[records])
    owners, places = pairs // len(earlier.labels), pairs % len(earlier.labels)
    return widest_spans(earlier.spans[places], owners, len(later.labels))


def widest_spans(spans: NDArray[np.float64], places: NDArray[Any], count: int) -> NDArray[np.float64]:
    """The smallest spans that contain all those with the same place; NaN if there are none."""
    widest = np.full((count, 2), np.nan)
    np.fmin.at(widest[:, 0], places, spans[:, 0])
    np.fmax.at(widest[:, 1], places, spans[:, 1])
    return widest
