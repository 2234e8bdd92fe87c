"""Recode: write the labels of classes.

Labels are computed from the members of a class, never from the cut that made it: a range is as narrow as its records,
and a class with one value shows that value. Everything is counted per class, and a text is built once per distinct
label, so the cost in Python does not grow with the records.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.lists import distinct_by_class, number_lists
from antifaz.tables.labels.space import depth_first, domain_width, group_losses, invert
from antifaz.tables.table import Attribute, Column, ProtectedTable, Recoding, ReleasedColumn, Role, Table
from antifaz.tables.texts.value_types import ValueType

SUPPRESSED = "*"
LONGEST_SET = 1_000
"""Largest number of characters of a set's label. A label is repeated in every row of its class: without a limit, a
small table of many different texts would become a release of thousands of times its size, and no one reads a list of
that length."""


@dataclass(frozen=True)
class Classes:
    """Records sorted by class: class c has the records ``order[bounds[c]:bounds[c + 1]]``."""

    labels: NDArray[np.int64]
    order: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, labels: NDArray[np.int64], count: int) -> "Classes":
        """Sort records whose classes are 0…count-1, each of at least one record."""
        bounds = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(labels, minlength=count), out=bounds[1:])
        return cls(labels, np.argsort(labels, kind="stable"), bounds)

    def lowest(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        return np.asarray(np.minimum.reduceat(codes[self.order], self.bounds[:-1]), dtype=np.int64)

    def highest(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        return np.asarray(np.maximum.reduceat(codes[self.order], self.bounds[:-1]), dtype=np.int64)


@dataclass(frozen=True)
class Labelling:
    """A label and its loss for every class."""

    numbers: NDArray[np.int64]
    """Index of each class's label."""
    texts: Sequence[str]
    losses: NDArray[np.float64]


def release_classes(table: Table, labels: NDArray[np.int64], count: int, **account: object) -> ProtectedTable:
    """The table with its quasi-identifiers recoded by class, other columns unchanged, identifiers left out."""
    columns: list[ReleasedColumn] = []
    classes = Classes.of(labels, count)
    for attribute in table.attributes:
        if attribute.role is Role.QUASI_IDENTIFIER:
            columns.extend(recode(attribute, classes))
        elif attribute.role is not Role.IDENTIFIER:
            columns.append(keep(attribute))
    return ProtectedTable(tuple(columns), np.arange(table.n, dtype=np.int64), dict(account))


def keep(attribute: Attribute) -> ReleasedColumn:
    """An unchanged column; only values that occur are listed."""
    column = attribute.column
    used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.values)))
    places = np.zeros(len(column.values), dtype=np.int32)
    places[used] = np.arange(len(used), dtype=np.int32)
    return ReleasedColumn(
        name=column.name,
        source=column.name,
        role=attribute.role,
        type=column.type,
        codes=places[column.codes] if len(used) else np.zeros(0, dtype=np.int32),
        labels=column.values[used],
        meaning="the original value",
    )


def recode(attribute: Attribute, classes: Classes) -> list[ReleasedColumn]:
    """The released column (two for bounds) of one quasi-identifier."""
    column = attribute.column
    match attribute.recoding:
        case Recoding.RANGE:
            labelling = label_ranges(column, classes)
            return [_write(attribute, column.name, classes, labelling, "a value, or the closed range [low, high]")]
        case Recoding.ANCESTOR:
            labelling = label_ancestors(attribute, classes)
            return [_write(attribute, column.name, classes, labelling, "a value, or its group in the hierarchy")]
        case Recoding.MEAN | Recoding.MEDIAN:
            labelling = label_centers(column, classes, attribute.recoding)
            meaning = f"the {attribute.recoding.value} of the class"
            return [_write(attribute, column.name, classes, labelling, meaning, number=True)]
        case Recoding.BOUNDS:
            return _write_bounds(attribute, classes)
        case _:
            return [
                _write(attribute, column.name, classes, label_sets(attribute, classes), _meaning_of_sets(attribute))
            ]


def label_ranges(column: Column, classes: Classes) -> Labelling:
    """Closed ranges; a class that mixes missing and known values is suppressed."""
    # Codes are in the order of the values, the missing one first: the lowest and the highest code are the ends.
    low, high = classes.lowest(column.codes), classes.highest(column.codes)
    # Both ends as one number: each different range is written once, however many classes have it.
    pairs, numbers = np.unique(low * len(column.values) + high, return_inverse=True)
    lows, highs = pairs // len(column.values), pairs % len(column.values)
    losses = width_losses(column, lows, highs)
    texts = [_range_text(column, first, last) for first, last in zip(lows, highs, strict=True)]
    return Labelling(numbers, texts, losses)


def width_losses(column: Column, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The loss of ranges from one code to another: their share of the domain's width."""
    if column.numbers is None:
        raise TypeError("only numbers and dates have a width")
    known = np.nan_to_num(column.numbers, nan=0.0)
    losses = (known[highs] - known[lows]) * invert(domain_width(column.numbers))
    return np.where(lows == highs, 0.0, np.where(lows == column.missing, 1.0, losses))


def _range_text(column: Column, low: int, high: int) -> str:
    if low == high:
        return str(column.values[low])
    if low == column.missing:
        return SUPPRESSED
    first, last = str(column.values[low]), str(column.values[high])
    if column.type.is_number:
        return f"[{first}, {last}]"
    return json.dumps([first, last], ensure_ascii=False)


def label_sets(attribute: Attribute, classes: Classes) -> Labelling:
    """Sorted JSON lists of the class's values; the missing value is a value like any other.

    A list that would be too long is not written: the class then shows its lowest common ancestor if there is a
    hierarchy, else it is suppressed. The loss is that of the label shown.
    """
    column = attribute.column
    codes = np.ascontiguousarray(column.codes[classes.order], dtype=np.int32)
    bounds, flat = distinct_by_class(codes, classes.bounds, len(column.values))
    numbers, examples = number_lists(bounds, flat)
    encoded = [json.dumps(str(value), ensure_ascii=False) for value in column.values]
    first, last = bounds[examples], bounds[examples + 1]
    too_long = _lengths(encoded, flat, first, last) > LONGEST_SET
    write, members = _set_writer(column, encoded), memoryview(flat)
    texts = [
        SUPPRESSED if hidden else write(members[start:stop].tolist())
        for start, stop, hidden in zip(first.tolist(), last.tolist(), too_long.tolist(), strict=True)
    ]
    sets = Labelling(numbers, texts, np.where(too_long, 1.0, _set_losses(column, flat, first, last)))
    if attribute.generalization is None or not too_long.any():
        return sets
    return _instead(sets, too_long[numbers], label_ancestors(attribute, classes))


def _lengths(
    encoded: Sequence[str], flat: NDArray[np.int32], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The lengths of the lists, including separators; 0 for single values."""
    # The length of any list is a difference of running sums.
    sums = np.zeros(len(flat) + 1, dtype=np.int64)
    np.cumsum(np.array([len(text) + 2 for text in encoded], dtype=np.int64)[flat], out=sums[1:])
    return np.where(last - first > 1, sums[last] - sums[first], 0)


def _set_losses(
    column: Column, flat: NDArray[np.int32], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float64]:
    if column.numbers is not None:
        return width_losses(column, flat[first].astype(np.int64), flat[last - 1].astype(np.int64))
    sizes = last - first
    return np.where(sizes > 1, sizes / len(column.values), 0.0)


def _instead(labelling: Labelling, where: NDArray[np.bool_], other: Labelling) -> Labelling:
    """A labelling that takes the labels of some classes from another one; labels without a class are dropped."""
    chosen = np.where(where, other.numbers + len(labelling.texts), labelling.numbers)
    used, numbers = np.unique(chosen, return_inverse=True)
    texts, losses = [*labelling.texts, *other.texts], np.concatenate([labelling.losses, other.losses])
    return Labelling(numbers, [texts[index] for index in used.tolist()], losses[used])


def _meaning_of_sets(attribute: Attribute) -> str:
    instead = "suppressed (*)" if attribute.generalization is None else "shown by their group in the hierarchy"
    return f"a value, or the set of the class's values; sets of more than {LONGEST_SET} characters are {instead}"


def _set_writer(column: Column, encoded: Sequence[str]) -> Callable[[list[int]], str]:
    """A function that writes codes as a JSON list of values sorted as texts; each value is encoded once."""
    values = [str(value) for value in column.values]
    sorted_already = values == sorted(values)

    def write(codes: list[int]) -> str:
        if len(codes) == 1:
            return values[codes[0]]
        ordered = codes if sorted_already else sorted(codes, key=values.__getitem__)
        return "[" + ", ".join(map(encoded.__getitem__, ordered)) + "]"

    return write


def label_ancestors(attribute: Attribute, classes: Classes) -> Labelling:
    """The lowest common ancestors of the classes' values."""
    hierarchy = attribute.generalization
    if hierarchy is None:
        raise TypeError("an ancestor needs a hierarchy")
    places = depth_first(hierarchy)
    walk = np.argsort(places)
    codes = places.astype(np.int32)[attribute.column.codes]
    # In depth-first order groups are intervals: one that has the first and the last value of a class has all of them.
    first, last = walk[classes.lowest(codes)], walk[classes.highest(codes)]
    # The first level at which both are in one group is the lowest: argmax finds the first that is true.
    level = np.argmax(hierarchy.groups[:, first] == hierarchy.groups[:, last], axis=0)
    group = hierarchy.groups[level, first].astype(np.int64)
    widest = max(len(labels) for labels in hierarchy.labels)
    pairs, numbers = np.unique(level * widest + group, return_inverse=True)
    losses = group_losses(hierarchy)
    places_of = [(int(pair) // widest, int(pair) % widest) for pair in pairs]
    texts = [str(hierarchy.labels[height][index]) for height, index in places_of]
    return Labelling(numbers, texts, np.array([losses[height][index] for height, index in places_of]))


def label_centers(column: Column, classes: Classes, recoding: Recoding) -> Labelling:
    """The mean or median of the known values; a class that mixes missing and known values is suppressed."""
    if column.numbers is None:
        raise TypeError("only numbers and dates have a center")
    low, high = classes.lowest(column.codes), classes.highest(column.codes)
    known = np.nan_to_num(column.numbers, nan=0.0)
    centers = _means(known, column, classes) if recoding is Recoding.MEAN else _medians(known, column, classes)
    centers = np.where(low == high, known[low], centers)
    write = column.type.definition.write or write_number
    texts = [write(float(center)) for center in centers]
    for index in np.flatnonzero((low == column.missing) | (low == high)):
        texts[index] = str(column.values[low[index]]) if low[index] == high[index] else SUPPRESSED
    return Labelling(np.arange(len(texts)), texts, width_losses(column, low, high))


def _means(known: NDArray[np.float64], column: Column, classes: Classes) -> NDArray[np.float64]:
    sums = np.add.reduceat(known[column.codes[classes.order]], classes.bounds[:-1])
    return np.asarray(sums / np.diff(classes.bounds), dtype=np.float64)


def _medians(known: NDArray[np.float64], column: Column, classes: Classes) -> NDArray[np.float64]:
    # In each class by value. The two middles of an odd number of records are the same one.
    within = np.lexsort((column.codes, classes.labels))
    ordered = known[column.codes[within]]
    last = classes.bounds[:-1] + classes.bounds[1:] - 1
    return np.asarray((ordered[last // 2] + ordered[(last + 1) // 2]) / 2.0, dtype=np.float64)


def write_number(number: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without a point."""
    text = repr(number)
    return text.removesuffix(".0")


def _write_bounds(attribute: Attribute, classes: Classes) -> list[ReleasedColumn]:
    """Two columns, with the lowest and the highest value of the class."""
    column = attribute.column
    low, high = classes.lowest(column.codes), classes.highest(column.codes)
    losses = width_losses(column, low, high)
    mixed = (low == column.missing) & (high != column.missing)
    written = []
    for suffix, codes, meaning in (("min", low, "the lowest value"), ("max", high, "the highest value")):
        texts = [SUPPRESSED if hidden else str(text) for hidden, text in zip(mixed, column.values[codes], strict=True)]
        labelling = Labelling(np.arange(len(texts)), texts, losses)
        name = f"{column.name}_{suffix}"
        written.append(_write(attribute, name, classes, labelling, f"{meaning} of the class", number=True))
    return written


def _write(
    attribute: Attribute, name: str, classes: Classes, labelling: Labelling, meaning: str, *, number: bool = False
) -> ReleasedColumn:
    """A released column; equal texts become one label, whose loss is the mean over its records."""
    texts, places = np.unique(np.array(labelling.texts, dtype=object), return_inverse=True)
    codes = places[labelling.numbers].astype(np.int32)[classes.labels]
    sizes = np.diff(classes.bounds)
    labels = places[labelling.numbers]
    weight = np.bincount(labels, weights=sizes, minlength=len(texts))
    losses = np.bincount(labels, weights=sizes * labelling.losses[labelling.numbers], minlength=len(texts)) / weight
    typed = number and attribute.column.type.is_number and SUPPRESSED not in texts
    kind = ValueType.TEXT
    if typed:
        center = attribute.recoding in (Recoding.MEAN, Recoding.MEDIAN)
        kind = ValueType.DECIMAL if center else attribute.column.type
    return ReleasedColumn(
        name=name,
        source=attribute.column.name,
        role=attribute.role,
        type=kind,
        codes=codes,
        labels=texts,
        meaning=meaning,
        losses=losses,
    )
