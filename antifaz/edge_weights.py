"""Edge weights: numbers of edges with random noise that rounding does not take away again.

The noise is normal, drawn in whole steps of the grid on which the column's numbers lie (whole numbers, tenths,
multiples of 500), so that no released number looks odd beside the others. Its deviation is a tenth of the numbers'
own, and never less than the distance that typically lies between a number and the next different one: less than that,
whoever knows which numbers occur would take the nearest and have the original. A pair that has the same number at
several times has the same noise at all of them: the mean of independent ones would come near the original.

Guarantees: none; it is not differential privacy. Some numbers come out as they were, and how many is counted.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import EdgeColumn
from antifaz.tables.table import Column, ValueType

NOISE = 0.1
"""Deviation of the noise, as a share of the weights' own."""
_DIGITS = 15
"""Significant digits that a double keeps exactly."""


@dataclass(frozen=True)
class NoisedWeights:
    """A column of weights with noise, and what was done."""

    column: EdgeColumn
    account: dict[str, Any]
    """For stewards and auditors: ``step``, ``deviation``, and ``unchanged``, the share of weights that came out as they
    were."""


def add_noise(
    column: Column,
    places: NDArray[np.int64],
    added: NDArray[np.bool_],
    rng: np.random.Generator,
    pairs: NDArray[np.int64] | None = None,
) -> NoisedWeights:
    """The weight at each of the places with noise; a missing one is first filled with that of a random other edge.

    ``added`` marks the released edges that are no original ones: of these nothing can come out as it was. ``pairs`` has
    a number for the pair of every original edge, if a pair may have one at several times.
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
    """The noise of the first of all edges with the same pair and the same value."""
    values = np.int64(codes.max(initial=0)) + 1
    _, first, members = np.unique(pairs * values + codes, return_index=True, return_inverse=True)
    return np.asarray(noise[first][members])


def _decimals(column: Column) -> int:
    """The most digits after the point that a value has; fewer, or below 0, where a double cannot hold them all."""
    assert column.numbers is not None
    largest = float(np.nanmax(np.abs(column.numbers), initial=1.0))
    held = _DIGITS - 1 - int(np.floor(np.log10(max(largest, 1.0))))
    if column.type is ValueType.INTEGER:
        return min(0, held)
    stated = max((-int(Decimal(str(value)).as_tuple().exponent) for value in column.values if value), default=0)
    return min(max(stated, 0), held)


def _step(known: NDArray[np.float64], decimals: int) -> float:
    """The step of the coarsest grid on which all numbers lie."""
    places = distinct(np.rint(known * 10.0**decimals)).astype(np.int64)
    steps = int(np.gcd.reduce(np.diff(places))) if len(places) > 1 else 1
    return steps / 10.0**decimals


def _typical_gap(known: NDArray[np.float64]) -> float:
    """The median, over all edges, of how far the nearest different number is; 0 where all are the same."""
    distinct, codes = np.unique(known, return_inverse=True)
    if len(distinct) < 2:
        return 0.0
    gaps = np.diff(distinct, prepend=-np.inf, append=np.inf)
    return float(np.median(np.minimum(gaps[:-1], gaps[1:])[codes]))
