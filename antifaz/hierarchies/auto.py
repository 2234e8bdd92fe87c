"""Auto: the hierarchy that a value's type suggests.

Fernández Poza's hierarchies by type, for the algorithm of Sweeney, "Datafly: A System for Providing Anonymity in
Medical Data", Database Security XI, 1998.

An integer loses its last digits one by one (1234, 1230, 1200, 1000, 0). A decimal is first cut to the number of
decimals of the value with the fewest, then loses these one by one, then continues as an integer. A date loses its day
and its month, and then continues as the integer of its year; a time of day is dropped before that. A text is cut to the
length of the shortest one and then loses its last characters until it is `*`; what is left of it ends with `*` if it
would read as a number (`07-Jun` becomes `07*`). A single character and a truth value become `*` immediately. The type
is detected from the values, as for a column.

Guarantees: levels nest.
"""

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import ROOT, hide_missing, number_groups, weigh_missing

MOST_LEVELS = 24
"""Largest number of levels of a text; longer texts lose several characters per level."""
INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
NUMBER = re.compile(r"[+-]?[0-9][0-9.,' ]*")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z|[+-][0-9:]+)?")

Labels = list[str]
Walk = list[Labels]
"""For each level above the values, the label of every value."""


class Auto(Hierarchy):
    """Generalize by type: drop digits, decimals, the parts of a date, or the last characters of a text."""

    kind: Literal["auto"] = "auto"

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every value: each type has a hierarchy."""
        texts = [str(value) for value in values]
        known = [text for text in texts if text]
        walk = [] if not known else _spread(texts, _climb(known))
        return _place(values, walk)


def _climb(known: Labels) -> Walk:
    """The labels of the known values, level by level."""
    if all(INTEGER.fullmatch(text) for text in known):
        return _drop_digits(known)
    if all(DECIMAL.fullmatch(text) for text in known):
        return _drop_decimals(known)
    if all(DAY.fullmatch(text) for text in known):
        return _drop_days(known)
    if all(MOMENT.fullmatch(text) for text in known):
        days = [text[:10] for text in known]
        return [days, *_drop_days(days)]
    if set(known) <= {"true", "false"}:
        return []
    return _drop_characters(known)


def _drop_digits(integers: Labels) -> Walk:
    """Set one more digit to zero at each level, until all values are 0."""
    numbers = [int(text) for text in integers]
    walk: Walk = []
    while any(numbers):
        step = 10 ** (len(walk) + 1)
        numbers = [abs(number) // step * step * (1 if number > 0 else -1) for number in numbers]
        walk.append([str(number) for number in numbers])
    return walk


def _drop_decimals(decimals: Labels) -> Walk:
    """Cut to the smallest number of decimals of any value, then one by one, then digit by digit."""
    fewest = min(len(text.partition(".")[2]) for text in decimals)
    walk = [[_cut_decimals(text, places) for text in decimals] for places in range(fewest, -1, -1)]
    return [*walk, *_drop_digits(walk[-1])]


def _cut_decimals(text: str, places: int) -> str:
    whole, _, decimals = text.partition(".")
    kept = decimals[:places]
    cut = f"{whole}.{kept}" if kept else whole
    return cut.removeprefix("-") if not cut.strip("-0.") else cut


def _drop_days(days: Labels) -> Walk:
    """The month, the year, and then digits of the year."""
    years = [day[:4] for day in days]
    return [[day[:7] for day in days], years, *_drop_digits([str(int(year)) for year in years])]


def _drop_characters(texts: Labels) -> Walk:
    """Cut to the shortest length, then character by character."""
    shortest = min(len(text) for text in texts)
    stride = max(1, -(-shortest // MOST_LEVELS))
    return [_cut_texts(texts, length) for length in range(shortest, 0, -stride)]


def _cut_texts(texts: Labels, length: int) -> Labels:
    """The first characters of every text. A number would look like a value: it is marked as a beginning."""
    cut = {text[:length] for text in texts if len(text) > length}
    marked = {label: f"{label}*" for label in cut if NUMBER.fullmatch(label)}
    return [marked.get(text[:length], text[:length]) for text in texts]


def _spread(texts: Labels, walk: Walk) -> Walk:
    """The labels of all values: the missing value is the empty text at every level."""
    spread: Walk = []
    for labels in walk:
        following = iter(labels)
        spread.append([next(following) if text else "" for text in texts])
    return spread


def _place(values: NDArray[np.object_], walk: Walk) -> Generalization:
    """Leave out levels that change nothing, and end with one group: the number 0, or a star."""
    columns = [values]
    for labels in walk:
        column = hide_missing(values, np.array(labels, dtype=object))
        if not _same(column, columns[-1], values):
            columns.append(column)
    if set(columns[-1]) != {"0"} or len(columns) == 1:
        columns.append(np.full(len(values), ROOT, dtype=object))
    groups, names = number_groups(columns)
    leaves = tuple(
        np.bincount(level, minlength=len(labels)).astype(np.int64) for level, labels in zip(groups, names, strict=True)
    )
    return Generalization(groups, names, weigh_missing(values, groups, leaves))


def _same(column: NDArray[np.object_], below: NDArray[np.object_], values: NDArray[np.object_]) -> bool:
    """Whether a level shows every known value as the level below it does."""
    known = values != ""
    return bool(np.array_equal(column[known], below[known]))
