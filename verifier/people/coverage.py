"""Coverage: the values of a population that each released label covers.

The text of a label determines what it covers: a value, a closed range, a set, a group of the hierarchy, or ``*``.
Values are ranked by size, those without a size last. A range is then two ranks, found by bisection; everything else
that a label covers is listed value by value. So the work grows with the labels and the values, not with their product.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.people.sensitive import paths_of
from verifier.readers.sizes import SIZES
from verifier.verdict.arrays import distinct
from verifier.verdict.watch import look

Whole = NDArray[np.int64]

_OFTEN = 4096
_HUGE = re.compile(r"[eE][+-]?[0-9]{5}")
"""An exponent that no number of a release has; as a fraction, it would exhaust memory."""


@dataclass(frozen=True)
class Coverage:
    """For every label, a range of ranks and further values."""

    ranks: Whole
    """Value → its rank by size."""
    low: Whole
    high: Whole
    """Label → the first rank it covers, and one past the last."""
    listed: Whole
    """Label · number of values + value for every pair that the ranges do not include, ascending."""

    def covers(self, labels: Whole, values: Whole) -> NDArray[np.bool_]:
        """For each pair, whether the label covers the value."""
        ranks = self.ranks[values]
        inside = (self.low[labels] <= ranks) & (ranks < self.high[labels])
        if len(self.listed):
            keys = labels * len(self.ranks) + values
            places = np.minimum(np.searchsorted(self.listed, keys), len(self.listed) - 1)
            inside |= self.listed[places] == keys
        return inside

    def segments(self) -> tuple[Whole, Whole, Whole]:
        """Label, first rank and one past the last for every covered run of ranks, sorted by label."""
        labels, values = np.divmod(self.listed, max(len(self.ranks), 1))
        places = self.ranks[values]
        every = np.concatenate([np.arange(len(self.low)), labels])
        order = np.argsort(every, kind="stable")
        begins, ends = np.concatenate([self.low, places]), np.concatenate([self.high, places + 1])
        return every[order], begins[order], ends[order]


@dataclass(frozen=True)
class Reader:
    """Reads the labels of one released column."""

    type: str
    as_set: bool
    """Whether a list in a label is a set, not the two ends of a range."""
    half: str = ""
    """``min`` or ``max`` if the column holds one end of a range."""
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, released: str, name: str, settings: Mapping[str, Any], type_: object, sealed_map: Mapping[str, Any] | None
    ) -> "Reader":
        stated = settings.get("hierarchy") or {}
        paths = paths_of(stated.get("rows") or ((sealed_map or {}).get("hierarchies") or {}).get(name))
        half = "" if released == name else "min" if released == f"{name}_min" else "max"
        return cls(str(type_), settings.get("recoding") == "set", half, {} if half else paths)

    def read(self, labels: Sequence[str], values: Sequence[str]) -> Coverage:
        """Determine which of the values each label covers."""
        numbers = [_number(value, self.type) for value in values] if self.type in SIZES or self.half else []
        sized = sorted((code for code, number in enumerate(numbers) if number is not None), key=numbers.__getitem__)
        sizes = [numbers[code] for code in sized]
        ranks = np.full(len(values), -1, np.int64)
        ranks[sized] = np.arange(len(sized))
        ranks[ranks < 0] = np.arange(len(sized), len(values))
        low, high = np.zeros(len(labels), np.int64), np.zeros(len(labels), np.int64)
        keys: list[int] = []
        named, grouped = _by_name(values), self._by_group(values)
        for place, label in enumerate(labels):
            if place % _OFTEN == 0:
                look()
            low[place], high[place] = (0, len(values)) if label == "*" else self._range(label, sizes)
            keys += [place * len(values) + code for code in grouped.get(label, ())]
            keys += [place * len(values) + code for name in self._listed(label) for code in named.get(name, ())]
        return Coverage(ranks, low, high, _beyond(distinct(np.array(keys, np.int64)), ranks, low, high))

    def _by_group(self, values: Sequence[str]) -> dict[str, list[int]]:
        """The values below every group of the hierarchy."""
        found: dict[str, list[int]] = {}
        for code, value in enumerate(values):
            for name in self.paths.get(value, ()):
                found.setdefault(name, []).append(code)
        return found

    def _range(self, label: str, sizes: Sequence[Any]) -> tuple[int, int]:
        """The ranks between the ends that a label states; an empty range if it states none."""
        if self.half:
            end = _number(label, self.type)
            if end is None:
                return 0, 0
            return (bisect_left(sizes, end), len(sizes)) if self.half == "min" else (0, bisect_right(sizes, end))
        members = _members(label)
        if self.type not in SIZES or (self.as_set and members):
            return 0, 0
        ends = [_number(end, self.type) for end in (members or [label])]
        if None in ends or len(ends) > 2:
            return 0, 0
        return bisect_left(sizes, ends[0]), bisect_right(sizes, ends[-1])

    def _listed(self, label: str) -> Iterator[str]:
        """The values that a label names."""
        yield label
        if not self.half and (self.as_set or self.type not in SIZES):
            yield from (str(member) for member in _members(label))


def _by_name(values: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for code, value in enumerate(values):
        found.setdefault(value, []).append(code)
    return found


def _beyond(keys: Whole, ranks: Whole, low: Whole, high: Whole) -> Whole:
    """The pairs that no range includes."""
    labels, values = np.divmod(keys, max(len(ranks), 1))
    places = ranks[values]
    return keys[(places < low[labels]) | (places >= high[labels])]


def _members(label: str) -> list[Any]:
    if not label.startswith("["):
        return []
    try:
        members = json.loads(label, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return []
    return members if isinstance(members, list) else []


def _number(text: object, type_: str) -> Any:
    """The number or time by which values of a measured type are compared."""
    if not isinstance(text, str) or not text or _HUGE.search(text):
        return None
    try:
        return SIZES.get(type_, Fraction)(text)
    except (ValueError, ZeroDivisionError):
        return None
