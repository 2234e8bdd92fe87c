"""Placement: build a `Generalization` from the label of every value at every level."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.hierarchy import Generalization

ROOT = "*"


def place_values(values: NDArray[np.object_], levels: Sequence[NDArray[np.object_]]) -> Generalization:
    """A generalization whose leaves are the column's values.

    ``levels`` gives, for each level above the values and below the root, the label of every value; a group is the
    values that share a label and every label above it. The missing value goes directly to the root's label.
    """
    columns = [values, *(hide_missing(values, labels) for labels in levels), np.full(len(values), ROOT, dtype=object)]
    groups, labels = number_groups(columns)
    leaves = tuple(
        np.bincount(level, minlength=len(names)).astype(np.int64) for level, names in zip(groups, labels, strict=True)
    )
    return Generalization(groups, labels, weigh_missing(values, groups, leaves))


def refuse_unplaced(column: str, places: Sequence[int] | NDArray[np.int64], detail: str) -> None:
    """Raise `InvalidDataset` if some values of a column, given by their indices, have no place in a hierarchy."""
    if len(places):
        raise InvalidDataset("unknown_value", detail, column=column, count=len(places), unplaced=list(places))


def hide_missing(values: NDArray[np.object_], labels: NDArray[np.object_]) -> NDArray[np.object_]:
    """The labels of one level, with the root's label for the missing value."""
    return np.where(values == "", ROOT, labels)


def weigh_missing(
    values: NDArray[np.object_], groups: NDArray[np.int32], leaves: tuple[NDArray[np.int64], ...]
) -> tuple[NDArray[np.int64], ...]:
    """Leaf counts in which the missing value's groups above the values weigh as much as the root, whose label they
    have."""
    missing = np.flatnonzero(values == "")
    for level in range(1, len(leaves)):
        leaves[level][groups[level][missing]] = leaves[-1].max(initial=1)
    return leaves


def number_groups(
    columns: Sequence[NDArray[np.object_]],
) -> tuple[NDArray[np.int32], tuple[NDArray[np.object_], ...]]:
    """Number the groups of every level from the root down, so that levels nest by construction."""
    size = len(columns[0])
    groups = np.zeros((len(columns), size), dtype=np.int32)
    labels: list[NDArray[np.object_]] = []
    above = np.zeros(size, dtype=np.int64)
    for level in range(len(columns) - 1, -1, -1):
        names, numbers = _number_labels(columns[level])
        _, first, above = np.unique(above * max(names, 1) + numbers, return_index=True, return_inverse=True)
        groups[level] = above
        labels.append(columns[level][first])
    if size:
        labels[-1], groups[0] = columns[0], np.arange(size, dtype=np.int32)
    return groups, tuple(reversed(labels))


def _number_labels(labels: NDArray[np.object_]) -> tuple[int, NDArray[np.int64]]:
    """The number of distinct labels, and each label's rank; texts hash faster than they sort."""
    places = {label: place for place, label in enumerate(sorted(set(labels)))}
    return len(places), np.fromiter(map(places.__getitem__, labels), dtype=np.int64, count=len(labels))
