"""Label values: which values of its domain each released label covers, computed from the labels' texts alone.

Measures count with labels as an analyst would: a record labeled ``[20, 29]`` has each value of that range with equal
probability. Values of a domain are sorted, so a range is an interval of codes; sets and groups are lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.labels.label_distance import SUPPRESSED, groups_of, read_list, read_spans
from antifaz.tables.table import Attribute, Column, ProtectedTable, ReleasedColumn, Table


@dataclass(frozen=True)
class Cover:
    """One released attribute: the label of every record, and the values that every label covers."""

    codes: NDArray[np.int64]
    """The label of every released record."""
    domain: int
    """Number of values of the attribute."""
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    """For every label: if ``listed`` is None, the first code that it covers and the one after the last; else the start
    and the end of its list."""
    listed: NDArray[np.int64] | None = None
    """The codes that labels cover, one list after another."""
    centers: NDArray[np.float64] | None = None
    """For numbers and dates, the middle of every label; NaN if it has none."""

    @property
    def labels(self) -> int:
        return len(self.lows)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of values that each label covers, at least one."""
        return self.highs - self.lows

    def fractions(self, inside: NDArray[np.bool_]) -> NDArray[np.float64]:
        """For every label, the share of its values that are inside a part of the domain."""
        chosen = inside if self.listed is None else inside[self.listed]
        sums = np.concatenate([[0], np.cumsum(chosen)])
        return np.asarray((sums[self.highs] - sums[self.lows]) / self.sizes, dtype=np.float64)

    def spread(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weight of every value of the domain if each label divides its weight evenly."""
        each = weights / self.sizes
        if self.listed is not None:
            shares = np.repeat(each, self.sizes)
            return np.bincount(self.listed, weights=shares, minlength=self.domain).astype(np.float64)
        steps = np.bincount(self.lows, weights=each, minlength=self.domain + 1)
        steps -= np.bincount(self.highs, weights=each, minlength=self.domain + 1)
        return np.maximum(np.cumsum(steps)[: self.domain], 0.0)


def cover_of(table: Table, released: ProtectedTable, name: str) -> Cover | None:
    """The cover of an attribute in the release, or None if it is not released."""
    attribute = table.attribute(name)
    columns = [column for column in released.columns if column.source == name]
    if not columns:
        return None
    if len(columns) == 2:
        return _cover_bounds(attribute, columns[0], columns[1])
    return _cover_labels(attribute, columns[0])


def plain_cover(attribute: Attribute, rows: NDArray[np.int64]) -> Cover:
    """The unchanged attribute of some records of the original: every label is one value."""
    values = np.arange(len(attribute.column.values), dtype=np.int64)
    codes = attribute.column.codes[rows].astype(np.int64)
    return Cover(codes, len(values), values, values + 1, centers=attribute.column.numbers)


def _cover_labels(attribute: Attribute, released: ReleasedColumn) -> Cover:
    codes = released.codes.astype(np.int64)
    spans = read_spans(attribute.column, released.labels, "")
    if spans is not None:
        return _cover_spans(attribute.column, codes, *spans)
    lists = _read_lists(attribute, released.labels)
    stops = np.cumsum([len(members) for members in lists], dtype=np.int64)
    starts = np.concatenate([[0], stops[:-1]]).astype(np.int64)
    flat = np.concatenate(lists).astype(np.int64) if lists else np.zeros(0, dtype=np.int64)
    numbers = attribute.column.numbers
    centers = None
    if numbers is not None:
        sums = np.concatenate([[0.0], np.cumsum(np.nan_to_num(numbers[flat]))])
        centers = (sums[stops] - sums[starts]) / (stops - starts)
    return Cover(codes, len(attribute.column.values), starts, stops, flat, centers)


def _cover_bounds(attribute: Attribute, lower: ReleasedColumn, upper: ReleasedColumn) -> Cover:
    """An attribute in two columns: a label is a pair of ends."""
    pairs, codes = np.unique(lower.codes.astype(np.int64) * len(upper.labels) + upper.codes, return_inverse=True)
    first = read_spans(attribute.column, lower.labels, "")
    last = read_spans(attribute.column, upper.labels, "")
    if first is None or last is None:
        raise TypeError("only numbers and dates have bounds")
    lows, highs = first[0][pairs // len(upper.labels)], last[1][pairs % len(upper.labels)]
    return _cover_spans(attribute.column, codes.astype(np.int64), lows, highs)


def _cover_spans(
    column: Column, codes: NDArray[np.int64], lows: NDArray[np.float64], highs: NDArray[np.float64]
) -> Cover:
    """Intervals of codes from the ends of ranges; a point between two values counts as the nearer one."""
    if column.numbers is None:
        raise TypeError("only numbers and dates have ranges")
    offset = 1 if column.missing == 0 else 0
    known = column.numbers[offset:]
    first = np.searchsorted(known, lows, side="left")
    last = np.searchsorted(known, highs, side="right")
    empty = (last <= first) & (len(known) > 0)
    nearest = np.clip(first, 0, max(len(known) - 1, 0))
    if len(known):
        before = np.maximum(nearest - 1, 0)
        closer = np.abs(known[before] - lows) < np.abs(known[nearest] - lows)
        nearest = np.where(closer, before, nearest)
    first, last = np.where(empty, nearest, first) + offset, np.where(empty, nearest + 1, last) + offset
    missing, hidden = np.isnan(lows), lows == -np.inf
    first = np.where(missing | hidden, 0, first)
    last = np.where(missing, 1, np.where(hidden, len(column.values), last))
    with np.errstate(invalid="ignore"):
        middles = np.where(np.isfinite(lows) & np.isfinite(highs), (lows + highs) / 2.0, np.nan)
    return Cover(codes, len(column.values), first.astype(np.int64), last.astype(np.int64), None, middles)


def _read_lists(attribute: Attribute, labels: Sequence[object] | NDArray[np.object_]) -> list[NDArray[np.int64]]:
    """The codes that each label covers; a label that cannot be read covers everything."""
    places = {str(value): index for index, value in enumerate(attribute.column.values)}
    groups = groups_of(attribute)
    everything = np.arange(len(places), dtype=np.int64)
    lists = []
    for text in labels:
        label = str(text)
        if label in places:
            lists.append(np.array([places[label]], dtype=np.int64))
        elif label in groups:
            lists.append(groups[label])
        elif label == SUPPRESSED:
            lists.append(everything)
        else:
            members = [places[str(member)] for member in read_list(label) if str(member) in places]
            lists.append(np.array(sorted(members), dtype=np.int64) if members else everything)
    return lists
