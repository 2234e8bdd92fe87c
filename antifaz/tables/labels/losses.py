"""Losses: what every released label stands for, measured between the original and the release.

A measure that believes its labels, or counts what each step did to the table before it, can be flattered: rounding ages
to multiples of 200 shows everyone the exact value 0. So labels are judged by the records that show them, whatever the
method was and whatever its steps were.

A number or a date stands for the smallest range that contains what the label says, the true values of all records that
show it, and the span that a method states: a rounded number covers its base, a top-coded one everything above its
bound, a swapped one the ranks within reach, a noisy one 1.96 deviations of the noise to either side. A mean or median
covers its group, by the true values. A text stands for the value, set or group that it names; if it names none, for the
true values of its records. Records whose true value is not among these are *wrong*: a text loses the share of its wrong
records over the share that would be wrong if it were given to records at random.

Records that the method left out, records that were left out before for missing values, and records that are not those
of the original (synthetic ones) lose everything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.tables.labels.label_distance import SUPPRESSED, read_list, read_span
from antifaz.tables.labels.space import domain_width, group_losses, invert
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Reading = tuple[int, Integers, float]
"""What a label can mean: a level, the values that it covers, and their share of all."""


@dataclass(frozen=True)
class Standing:
    """What the labels of one attribute stand for."""

    codes: Integers
    """The label of every released record."""
    penalties: Floats
    """For every label, the share of the domain that it leaves open: 0 for an exact value, 1 for nothing."""
    heights: Floats
    """For every label, its level over the height of the hierarchy; without a hierarchy, 1 unless it is exact."""


def standing_of(table: Table, released: ProtectedTable, name: str) -> Standing | None:
    """What the labels of an attribute stand for, or None if no record shows anything of it."""
    columns = [column for column in released.columns if column.source == name]
    if not columns or not released.follows or not len(released.records):
        return None
    attribute = table.attribute(name)
    shown = _Shown.of(attribute, columns, released.records)
    measured = _Numbers(attribute, shown) if attribute.column.numbers is not None else _Texts(attribute, shown)
    return Standing(shown.codes, np.maximum(measured.penalties(), shown.stated), measured.heights())


def mean_over_original(table: Table, lost: Floats | None) -> float:
    """The mean over all records of the original of a loss of released ones; the others lose everything."""
    records = table.n + table.left_out
    if lost is None:
        return 1.0
    return (float(lost.sum()) + max(0, records - len(lost))) / max(records, len(lost), 1)


@dataclass(frozen=True)
class _Shown:
    """The labels of an attribute (pairs of them, if it is released as two columns), and who shows them."""

    codes: Integers
    parts: tuple[NDArray[np.object_], ...]
    """The texts of every label: one, or the lower and the upper bound."""
    stated: Floats
    """The loss that the method states for every label."""
    spans: Floats
    """The numbers that the method states for every label, shape (labels, 2); NaN if it states none."""
    owners: Integers
    members: Integers
    counts: Integers
    """Every label and true value that occur together, sorted by label, and in how many records."""

    @classmethod
    def of(cls, attribute: Attribute, columns: Sequence[ReleasedColumn], records: Integers) -> "_Shown":
        keys = columns[0].codes.astype(np.int64)
        for column in columns[1:]:
            # Several columns as one number; the other way below by remainders, the last column first.
            keys = keys * len(column.labels) + column.codes
        used, codes = np.unique(keys, return_inverse=True)
        places: list[Integers] = []
        for column in reversed(columns):
            places.insert(0, used % len(column.labels))
            used = used // len(column.labels)
        domain = len(attribute.column.values)
        pairs, counts = np.unique(codes * domain + attribute.column.codes[records], return_counts=True)
        both = list(zip(columns, places, strict=True))
        spans = np.stack([_spans(column)[place] for column, place in both])
        return cls(
            codes.astype(np.int64),
            tuple(column.labels[place] for column, place in both),
            np.mean([_stated(column)[place] for column, place in both], axis=0),
            np.stack([np.fmin.reduce(spans[..., 0]), np.fmax.reduce(spans[..., 1])], axis=1),
            pairs // domain,
            pairs % domain,
            counts,
        )

    @cached_property
    def starts(self) -> Integers:
        """The place of each label's first true value, and the end of all."""
        return np.searchsorted(self.owners, np.arange(len(self.parts[0]) + 1)).astype(np.int64)

    def truths(self, label: int) -> Integers:
        """The true values of the records that show a label."""
        return self.members[self.starts[label] : self.starts[label + 1]]


def _spans(column: ReleasedColumn) -> Floats:
    return np.full((len(column.labels), 2), np.nan) if column.spans is None else column.spans


def _stated(column: ReleasedColumn) -> Floats:
    return np.zeros(len(column.labels)) if column.losses is None else column.losses


class _Numbers:
    """Labels of numbers and dates."""

    def __init__(self, attribute: Attribute, shown: _Shown) -> None:
        self._attribute, self._shown, self._tree = attribute, shown, _Tree(attribute.generalization)
        assert attribute.column.numbers is not None
        self._numbers = attribute.column.numbers
        true = self._numbers[shown.members]
        unknown = np.isnan(true)
        first = shown.starts[:-1]
        with np.errstate(invalid="ignore"):
            # fmin and fmax ignore missing numbers unless all of a label's are missing.
            self._lowest, self._highest = np.fmin.reduceat(true, first), np.fmax.reduceat(true, first)
        low, high, self._empty, self._hidden = self._said()
        self.low = np.fmin(np.fmin(low, self._lowest), self._within(shown.spans[:, 0]))
        self.high = np.fmax(np.fmax(high, self._highest), self._within(shown.spans[:, 1]))
        some, every = np.logical_or.reduceat(unknown, first), np.logical_and.reduceat(unknown, first)
        self._missing = self._empty & every
        self.lost = self._hidden | ((self._empty | some) & ~self._missing)

    @property
    def exact(self) -> NDArray[np.bool_]:
        return np.asarray(self._missing | (~self.lost & (self.low == self.high)))

    def _within(self, ends: Floats) -> Floats:
        """Ends of ranges, cut to the domain; NaN stays."""
        known = self._numbers[~np.isnan(self._numbers)]
        return np.clip(ends, known.min(), known.max()) if len(known) else ends

    def _said(self) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """What the texts say: both ends (NaN if a text says none), and which labels are missing, and which hidden."""
        parts = self._shown.parts
        ends = [np.array([self._ends(str(label)) for label in part], dtype=np.float64).reshape(-1, 2) for part in parts]
        low, high = ends[0][:, 0], ends[-1][:, 1]
        wide = low < high
        # A range may reach beyond the data at no loss; a single number beyond them is wrong by its distance and is not
        # cut.
        low, high = np.where(wide, self._within(low), low), np.where(wide, self._within(high), high)
        empty = np.logical_and.reduce([part == "" for part in parts])
        hidden = np.logical_or.reduce([part == SUPPRESSED for part in parts])
        return low, high, np.asarray(empty, dtype=np.bool_), np.asarray(hidden, dtype=np.bool_)

    def _ends(self, label: str) -> tuple[float, float]:
        """The ends of a label: a number, a range, or the hull of a list or of a group."""
        span = read_span(self._attribute.column, label)
        if span is not None:
            return span
        members = [self._ends(str(member)) for member in read_list(label)]
        for _, group, _ in self._tree.groups(label):
            members += [(float(number), float(number)) for number in self._numbers[group[[0, -1]]]]
            break
        known = np.array(members, dtype=np.float64).reshape(-1, 2)
        return float(np.fmin.reduce(known[:, 0], initial=np.nan)), float(np.fmax.reduce(known[:, 1], initial=np.nan))

    def penalties(self) -> Floats:
        """Widths over the width of the domain."""
        widths = np.nan_to_num(self.high - self.low, nan=0.0, posinf=np.inf)
        with np.errstate(invalid="ignore"):
            shares = np.minimum(np.nan_to_num(widths * invert(domain_width(self._numbers)), nan=1.0), 1.0)
        return np.where(self.lost, 1.0, np.where(self._missing, 0.0, shares))

    def heights(self) -> Floats:
        """Levels of labels that name the group of all their true values, else of the values in their range."""
        if self._attribute.generalization is None:
            return np.where(self.exact, 0.0, 1.0)
        levels = [0 if exact else self._level(label) for label, exact in enumerate(self.exact.tolist())]
        return np.where(self.lost, 1.0, np.array(levels, dtype=np.float64) / self._tree.top)

    def _level(self, label: int) -> int:
        """The level of a label that is not exact: at least the first above the values."""
        truths, named = self._shown.truths(label), str(self._shown.parts[0][label])
        if len(self._shown.parts) == 1 and np.isnan(self._shown.spans[label]).all():
            for level, group, _ in self._tree.groups(named):
                if np.isin(truths, group).all():
                    return level
        # The missing value comes first and is NaN: the numbers after it are sorted.
        offset = int(np.isnan(self._numbers[:1]).sum())
        first = offset + int(np.searchsorted(self._numbers[offset:], self.low[label], side="left"))
        last = offset + int(np.searchsorted(self._numbers[offset:], self.high[label], side="right"))
        return max(self._tree.lowest_common(distinct(np.concatenate([np.arange(first, last), truths]))), 1)


class _Texts:
    """Labels of texts and truth values."""

    def __init__(self, attribute: Attribute, shown: _Shown) -> None:
        self._attribute, self._shown, self._tree = attribute, shown, _Tree(attribute.generalization)
        self._domain = len(attribute.column.values)
        self._places = {str(value): code for code, value in enumerate(attribute.column.values)}
        read = [self._read(str(text), label) for label, text in enumerate(shown.parts[0])]
        self._levels = np.array([level for level, _, _ in read], dtype=np.float64)
        self._shares = np.array([share for _, _, share in read], dtype=np.float64)
        self._wrong = self._judge([members for _, members, _ in read])

    def _read(self, text: str, label: int) -> Reading:
        """The narrowest reading that fits all true values; the narrowest if none does."""
        truths = self._shown.truths(label)
        if len(truths) == 1 and self._places.get(text) == truths[0]:
            return 0, truths, 0.0
        readings = list(self._readings(text)) or [self._listed(truths)]
        fitting = (reading for reading in readings if np.isin(truths, reading[1]).all())
        # A label that fits none of its records is judged by what it says, and is then wrong.
        return next(fitting, readings[0])

    def _readings(self, text: str) -> Iterator[Reading]:
        """What a text can mean: a value, a group of the hierarchy, everything, or a list of such texts."""
        if text in self._places:
            yield 0, np.array([self._places[text]], dtype=np.int64), 0.0
        yield from self._tree.groups(text)
        if text == SUPPRESSED:
            yield self._tree.top, np.arange(self._domain, dtype=np.int64), 1.0
        members = [reading[1] for member in read_list(text) for reading in list(self._readings(str(member)))[:1]]
        if members:
            yield self._listed(distinct(np.concatenate(members)))

    def _listed(self, members: Integers) -> Reading:
        return self._tree.lowest_common(members), members, len(members) / self._domain if len(members) > 1 else 0.0

    def _judge(self, readings: Sequence[Integers]) -> Floats:
        """For every label, the share of wrong records over the share that would be wrong at random, at most 1."""
        column, shown = self._attribute.column, self._shown
        original = np.bincount(column.codes, minlength=self._domain) / max(len(column.codes), 1)
        wrong = np.zeros(len(readings))
        for label, members in enumerate(readings):
            if np.array_equal(members, shown.truths(label)):
                continue
            counts = shown.counts[shown.starts[label] : shown.starts[label + 1]]
            astray = int(counts[~np.isin(shown.truths(label), members)].sum())
            if astray:
                # Over what chance gives: the label of a common value is rarely wrong, even if it says nothing about its
                # records.
                wrong[label] = min(1.0, astray / int(counts.sum()) / max(1.0 - float(original[members].sum()), 1e-12))
        return wrong

    def penalties(self) -> Floats:
        """Shares of the values (of the hierarchy's leaves) that labels cover, or of wrong records if that is more."""
        return np.maximum(self._shares, self._wrong)

    def heights(self) -> Floats:
        return np.maximum(np.minimum(self._levels / self._tree.top, 1.0), self._wrong)


class _Tree:
    """The groups of a hierarchy by their names."""

    def __init__(self, hierarchy: Generalization | None) -> None:
        self._hierarchy = hierarchy
        self._named: dict[str, list[tuple[int, int]]] = {}
        self._members: list[tuple[Integers, Integers]] = []
        self._losses = () if hierarchy is None else group_losses(hierarchy)
        for level, groups in enumerate(() if hierarchy is None else hierarchy.groups):
            order = np.argsort(groups, kind="stable")
            labels = self._labels(level)
            self._members.append((order, np.searchsorted(groups[order], np.arange(len(labels) + 1))))
            for group, label in enumerate(labels if level else ()):
                self._named.setdefault(str(label), []).append((level, group))

    def _labels(self, level: int) -> NDArray[np.object_]:
        assert self._hierarchy is not None
        return self._hierarchy.labels[level]

    @property
    def top(self) -> int:
        """The level of the root; without a hierarchy there are values and ``*``."""
        return 1 if self._hierarchy is None else max(self._hierarchy.levels - 1, 1)

    def groups(self, label: str) -> Iterator[Reading]:
        """The groups above the values that have this name, lowest first."""
        for level, group in self._named.get(label, ()):
            order, starts = self._members[level]
            share = 1.0 if label == SUPPRESSED else float(self._losses[level][group])
            yield level, np.sort(order[starts[group] : starts[group + 1]]), share

    def lowest_common(self, members: Integers) -> int:
        """The lowest level at which some values are one group."""
        if self._hierarchy is None or len(members) < 2:
            return int(len(members) > 1)
        groups = self._hierarchy.groups[:, members]
        return int(np.argmax((groups == groups[:, :1]).all(axis=1)))
