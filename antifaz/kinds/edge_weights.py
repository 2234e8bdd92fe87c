"""Edge weights: add random noise that rounding cannot remove.

The noise is normal, drawn in whole steps of the grid on which the column's numbers lie (whole numbers, tenths,
multiples of 500), so that released numbers look like the original ones. Its standard deviation is a tenth of that of
the numbers, and at least the typical distance between a number and the nearest different one. With less noise, an
attacker who knows which numbers occur could round to the nearest and recover the original. A pair that has the same
number at several times gets the same noise each time: the mean of independent draws would approach the original.

Guarantees: none; it is not differential privacy. Some numbers stay unchanged; their share is counted.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import EdgeColumn
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType

NOISE = 0.1
"""Standard deviation of the noise, as a share of that of the weights."""
_DIGITS = 15
"""Significant digits that a double keeps exactly."""


@dataclass(frozen=True)
class NoisedWeights:
    """A column of weights with noise, and an account of the noise."""

    column: EdgeColumn
    account: dict[str, Any]
    """For stewards and auditors: ``step``, ``deviation``, and ``unchanged``, the share of unchanged weights."""


def add_noise(
    column: Column,
    places: NDArray[np.int64],
    added: NDArray[np.bool_],
    rng: np.random.Generator,
    pairs: NDArray[np.int64] | None = None,
) -> NoisedWeights:
    """Return the weight at each place with noise; a missing weight is first filled with that of a random other edge.

    ``added`` marks the released edges that are not in the original, which cannot count as unchanged. ``pairs`` numbers
    the pair of every original edge, if a pair may have edges at several times.
    """
    if column.numbers is None:
        raise TypeError("only numbers can be noised")
    decimals = _decimals(column)
    cells = np.round(column.numbers[column.codes], decimals)
    known = cells[~np.isnan(cells)]
    step, gap = _step(known, decimals), _typical_gap(known)
    deviation = max(NOISE * float(known.std()), step, gap)
    before = cells[places]
    missing = np.isnan(before)
    filled = np.where(missing, 0.0, before)
    filled[missing] = rng.choice(known, int(missing.sum()))
    noise = np.rint(rng.normal(0.0, deviation / step, len(filled))) * step
    own = ~missing & ~added
    if pairs is not None:
        noise[own] = _once(noise[own], pairs[places[own]], column.codes[places[own]])
    after = np.round(filled + noise, decimals)
    unchanged = float(np.mean(after[own] == before[own])) if own.any() else 0.0
    account = {"step": step, "deviation": deviation, "unchanged": unchanged}
    return NoisedWeights(EdgeColumn(column.name, after), account)


def _once(noise: NDArray[np.float64], pairs: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return, for each edge, the noise of the first edge with the same pair and the same value."""
    values = np.int64(codes.max(initial=0)) + 1
    _, first, members = np.unique(pairs * values + codes, return_index=True, return_inverse=True)
    return np.asarray(noise[first][members])


def _decimals(column: Column) -> int:
    """Return the largest number of decimals of any value; fewer, or negative, if a double cannot hold them all."""
    assert column.numbers is not None
    largest = float(np.nanmax(np.abs(column.numbers), initial=1.0))
    held = _DIGITS - 1 - int(np.floor(np.log10(max(largest, 1.0))))
    if column.type is ValueType.INTEGER:
        return min(0, held)
    stated = max((-int(Decimal(str(value)).as_tuple().exponent) for value in column.values if value), default=0)
    return min(max(stated, 0), held)


def _step(known: NDArray[np.float64], decimals: int) -> float:
    """Return the step of the coarsest grid that contains all numbers."""
    places = distinct(np.rint(known * 10.0**decimals)).astype(np.int64)
    steps = int(np.gcd.reduce(np.diff(places))) if len(places) > 1 else 1
    return steps / 10.0**decimals


def _typical_gap(known: NDArray[np.float64]) -> float:
    """Return the median, over all edges, of the distance to the nearest different number; 0 if all are equal."""
    distinct, codes = np.unique(known, return_inverse=True)
    if len(distinct) < 2:
        return 0.0
    gaps = np.diff(distinct, prepend=-np.inf, append=np.inf)
    return float(np.median(np.minimum(gaps[:-1], gaps[1:])[codes]))
