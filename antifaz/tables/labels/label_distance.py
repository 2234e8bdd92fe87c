"""Label distance: how far original values are from released labels, computed from the labels' texts alone.

An attacker sees labels: plain values, closed ranges, sets, labels of a hierarchy, stars. The distance of a value that a
label covers is 0. Otherwise it is 1 for texts, and the gap to the label over the domain's width for numbers and dates.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.tables.labels.space import domain_width, invert
from antifaz.tables.reading.readings import read_number
from antifaz.tables.table import Attribute, Column, ReleasedColumn

SUPPRESSED = "*"


def label_distances(
    attribute: Attribute,
    released: ReleasedColumn,
    codes: NDArray[np.int64],
    half: str = "",
    truths: NDArray[np.integer[Any]] | None = None,
) -> NDArray[np.float32]:
    """The distance of each value from each label, shape (codes, labels); ``half`` is "min" or "max" for bounds.

    With ``truths``, the true value of every released record, a label that names no value of the original (a group of a
    hierarchy that the policy does not state, a set of labels of an earlier step) covers those of its records: an
    attacker who knows the method knows what it stands for. Without, such a label covers nothing.
    """
    column = attribute.column
    spans = read_spans(column, released.labels, half)
    if spans is None:
        return _outside_sets(attribute, released, truths)[codes]
    numbers = np.array([]) if column.numbers is None else column.numbers[codes]
    scale = invert(0.0 if column.numbers is None else domain_width(column.numbers))
    gaps = np.maximum(spans[0][None, :] - numbers[:, None], numbers[:, None] - spans[1][None, :])
    distances = np.clip(gaps * scale, 0.0, 1.0)
    unknown, empty = np.isnan(numbers), np.isnan(spans[0])
    distances = np.where(unknown[:, None] | empty[None, :], 1.0, distances)
    hidden = spans[0] == -np.inf
    if not half:
        distances[:, hidden] = 0.0
    return np.where(unknown[:, None] & empty[None, :], 0.0, distances).astype(np.float32)


def read_spans(
    column: Column, labels: NDArray[np.object_], half: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Low and high end of every label of a measured column (NaN for the missing value), or None if one is a set or a
    group."""
    if column.numbers is None:
        return None
    spans = [read_span(column, str(label)) for label in labels]
    if any(span is None for span in spans):
        return None
    ends = np.array([span for span in spans if span is not None], dtype=np.float64).reshape(-1, 2)
    low, high = ends[:, 0], ends[:, 1]
    if half == "min":
        high = np.where(np.isnan(high), np.nan, np.inf)
    if half == "max":
        low = np.where(np.isnan(low), np.nan, -np.inf)
    return low, high


def read_span(column: Column, label: str) -> tuple[float, float] | None:
    """Low and high end of a label of a measured column (NaN for the missing value), or None if it is a set or a
    group."""
    if label == "":
        return np.nan, np.nan
    if label == SUPPRESSED:
        return -np.inf, np.inf
    point = read_number(column.type, label)
    if point is not None:
        return point, point
    ends = [read_number(column.type, str(end)) for end in read_list(label)]
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None and not _lists_texts(column, label):
        return ends[0], ends[1]
    return None


def read_list(label: str) -> Sequence[Any]:
    """The members of a label written as a JSON list, or none."""
    if not label.startswith("["):
        return []
    try:
        members = json.loads(label, parse_float=str, parse_int=str)
    except ValueError:
        return []
    return members if isinstance(members, list) else []


def _lists_texts(column: Column, label: str) -> bool:
    """Whether a list is a set of numbers (written as texts) rather than a range."""
    return column.type.is_number and label.startswith('["')


def _outside_sets(
    attribute: Attribute, released: ReleasedColumn, truths: NDArray[np.integer[Any]] | None
) -> NDArray[np.float32]:
    """1 if a label does not cover a value, else 0."""
    places = {str(value): index for index, value in enumerate(attribute.column.values)}
    groups = groups_of(attribute)
    outside = np.ones((len(attribute.column.values), len(released.labels)), dtype=np.float32)
    for index, text in enumerate(released.labels):
        label = str(text)
        if label in places:
            outside[places[label], index] = 0.0
        elif label in groups:
            outside[groups[label], index] = 0.0
        elif label == SUPPRESSED:
            outside[:, index] = 0.0
        else:
            known = [places[str(member)] for member in read_list(label) if str(member) in places]
            outside[known, index] = 0.0
    if truths is not None:
        unread = np.asarray(outside.all(axis=0))[released.codes]
        outside[truths[unread], released.codes[unread]] = 0.0
    return outside


def groups_of(attribute: Attribute) -> dict[str, NDArray[np.int64]]:
    """The values under every label of the attribute's hierarchy."""
    hierarchy = attribute.generalization
    if hierarchy is None:
        return {}
    under: dict[str, NDArray[np.int64]] = {}
    for groups, names in zip(hierarchy.groups[1:], hierarchy.labels[1:], strict=True):
        for group, name in enumerate(names):
            members = np.flatnonzero(groups == group)
            under[str(name)] = distinct(np.concatenate([under.get(str(name), members), members]))
    return under
