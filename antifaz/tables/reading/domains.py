"""Declared domains: the cells in which records are counted, taken from the policy and never from the data.

A column has values, or numbers in bins: given by their edges, or by bounds that are divided evenly. Numbers beyond the
bounds count in the nearest bin. An undeclared value counts as the value that the policy names for such cells, else as
one chosen at random: the treatment of one record never depends on another.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.reading.readings import detect_type, read_number
from antifaz.tables.table import Column
from antifaz.tables.texts.folding import fold
from antifaz.tables.texts.value_types import ValueType

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]
MOST_DECIMALS = 6
"""Largest number of decimals of declared numbers; bins between bounds may start at two more."""
MOST_DIGITS = 1e12
"""Limit on declared numbers, in units of their last decimal: floating point represents all of them exactly."""


@dataclass(frozen=True)
class Domain:
    """The cells of one column, in order."""

    name: str
    labels: tuple[str, ...]
    """Text of each cell; empty for a bin, because a number is drawn from it."""
    lows: Numbers
    """Lowest number of each bin; NaN for a value."""
    highs: Numbers
    """Highest number of each bin, with the decimals that are written."""
    ordered: bool
    decimals: int
    other: int
    """The cell for undeclared values, or -1 for a random one."""
    type: ValueType

    @property
    def size(self) -> int:
        return len(self.labels)

    def encode(self, column: Column, rng: np.random.Generator) -> Codes:
        """The cell of every record."""
        places = self._places([str(value) for value in column.values])
        codes = places[column.codes]
        lost = np.flatnonzero(codes < 0)
        codes[lost] = rng.integers(0, self.size, len(lost))
        return codes

    def _places(self, texts: Sequence[str]) -> Codes:
        if np.isnan(self.lows).all():
            known = {fold(label): place for place, label in enumerate(self.labels)}
            return np.array([known.get(fold(text), self.other) for text in texts], dtype=np.int64)
        numbers = np.array([number_in(text) for text in texts])
        bins = np.flatnonzero(~np.isnan(self.lows))
        placed = np.clip(np.searchsorted(self.lows[bins], numbers, side="right") - 1, 0, len(bins) - 1)
        return np.where(np.isnan(numbers), self.other, bins[placed]).astype(np.int64)

    def decode(self, codes: Codes, rng: np.random.Generator) -> tuple[Codes, NDArray[np.object_]]:
        """The text of every record, as codes into texts: a label, or a number from the record's bin."""
        if np.isnan(self.lows).all():
            return codes, np.array(self.labels, dtype=object)
        unit = 10.0**self.decimals
        low, high = np.rint(self.lows[codes] * unit), np.rint(self.highs[codes] * unit)
        drawn = low + np.floor(rng.random(len(codes)) * (high - low + 1.0))
        found, places = np.unique(np.minimum(drawn, high), return_inverse=True, equal_nan=True)
        numbers = (found / unit + 0.0).tolist()
        written = ["" if math.isnan(number) else f"{number:.{self.decimals}f}" for number in numbers]
        return places.astype(np.int64), np.array(written, dtype=object)


def declared_values(name: str, stated: Sequence[str], other: str | None) -> Domain:
    """A domain of values; numbers are sorted."""
    kind = detect_type(stated)
    numeric = kind.is_number
    labels = sorted(stated, key=lambda value: (_sortable(value), value)) if numeric else list(stated)
    nowhere = np.full(len(labels), np.nan)
    places = {fold(value): place for place, value in enumerate(labels)}
    home = -1 if other is None else places[fold(other)]
    return Domain(name, tuple(labels), nowhere, nowhere, numeric, 0, home, kind)


def declared_bins(name: str, lows: Sequence[float], top: float, other: str | None) -> Domain:
    """A domain of bins, each up to the next one and the last up to the top; with the empty text for cells that are not
    numbers, if the policy names it."""
    decimals = max(_places_of(number) for number in (*lows, top))
    highs = [number - 10.0**-decimals for number in lows[1:]]
    unknown = [] if other is None else [math.nan]
    bins = np.array([*lows, *unknown]), np.array([*highs, top, *unknown])
    home = -1 if other is None else len(lows)
    kind = ValueType.INTEGER if decimals == 0 else ValueType.DECIMAL
    return Domain(name, ("",) * len(bins[0]), *bins, True, decimals, home, kind)


def even_bins(low: float, high: float, bins: int) -> list[float]:
    """The starts of bins of equal width; whole numbers if the bounds are whole."""
    if low.is_integer() and high.is_integer():
        width = max(1, math.ceil((high - low + 1) / bins))
        return [float(start) for start in range(int(low), int(high) + 1, width)]
    finer = math.ceil(-math.log10((high - low) / bins)) + 1
    decimals = max(_places_of(low), _places_of(high), min(finer, MOST_DECIMALS + 2))
    bins = min(bins, math.floor((high - low) * 10.0**decimals + 0.5))
    return [low, *(round(low + (high - low) * place / bins, decimals) for place in range(1, bins))]


def faults_of_edges(edges: Sequence[float]) -> Iterable[str]:
    """Errors in edges, if any."""
    places = max(map(_places_of, edges))
    if any(high <= low for low, high in pairwise(edges)):
        yield "must be numbers, each larger than the one before"
    elif places > MOST_DECIMALS or max(map(abs, edges)) * 10.0**places > MOST_DIGITS:
        yield "must be numbers of at most six decimals, and twelve digits in all"


def faults_of_values(stated: Sequence[str], other: str | None) -> Iterable[str]:
    """Errors in declared values, if any."""
    folded = {fold(value) for value in stated}
    if len(folded) < len(stated):
        yield "two of the values differ only in spelling"
    if other is not None and fold(other) not in folded:
        yield "the value for all others must be one of the declared ones"


def stated_domains(
    values: Mapping[str, Sequence[str]],
    edges: Mapping[str, Sequence[float]],
    bounds: Mapping[str, tuple[float, float]],
    bins: int,
    other: Mapping[str, str],
) -> dict[str, Domain]:
    """The domain of every declared column."""
    found = {name: declared_values(name, stated, other.get(name)) for name, stated in values.items()}
    found |= {name: declared_bins(name, at[:-1], at[-1], other.get(name)) for name, at in edges.items()}
    return found | {
        name: declared_bins(name, even_bins(low, high, bins), high, other.get(name))
        for name, (low, high) in bounds.items()
    }


def number_in(text: str) -> float:
    """The number that a cell holds, with a decimal point or comma; NaN if it holds none."""
    for spelling in (text, text.replace(",", ".")):
        number = read_number(ValueType.DECIMAL, spelling.strip())
        if number is not None and math.isfinite(number):
            return number
    return math.nan


def _sortable(value: str) -> float:
    number = number_in(value)
    return -math.inf if math.isnan(number) else number


def _places_of(number: float) -> int:
    """The number of decimals that a number is written with."""
    return len(repr(float(number)).partition(".")[2].rstrip("0")) if "e" not in repr(float(number)) else 18
