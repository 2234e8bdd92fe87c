"""Spans: the values that a set of records covers on each quasi-identifier, and the information loss of publishing them.

The columns of a code matrix are of two types. The first ones are *intervals*: a set of records covers the codes from
the lowest to the highest (numbers, dates; hierarchies, whose leaves are numbered depth-first so that a subtree is an
interval; text with very many values). The others are *sets*: a bit mask of the codes that occur. Two spans unite by
minimum and maximum and by "or", which is what makes the price of a cut cheap to compute.

A span is a row of 64-bit words: the lowest code of each interval column, the highest of each, then the masks.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.bits import ones
from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.types import float64, int32, int64, named

BUCKETS = 256
"""An interval column with more codes is tabulated in this number of equal stretches of those that a part has."""


class Space(NamedTuple):
    """The quasi-identifiers of a table, as plain arrays; interval columns come first in the matrix."""

    positions: NDArray[np.float64]
    """Shape (intervals, codes): where each code lies; the loss of an interval is its length."""
    scales: NDArray[np.float64]
    """One over the length of the whole domain."""
    closings: NDArray[np.float64]
    """Added to the length of an interval of more than one code: 1 where values are counted, 0 where measured."""
    missing: NDArray[np.int64]
    """The code of the missing value, or -1; together with other codes it loses everything."""
    depths: NDArray[np.int64]
    """Number of levels of the column's hierarchy, 0 without one."""
    groups: NDArray[np.int32]
    """Shape (intervals, levels, codes): the group of each code at each level of the hierarchy."""
    shares: NDArray[np.float64]
    """Shape as ``groups``: the loss of publishing the group."""
    tables: NDArray[np.int64]
    """Where in ``pairs`` the losses of the column's intervals are listed, or -1 for a column with many codes."""
    pairs: NDArray[np.float64]
    """The losses of all intervals, by lowest code and then highest, of the columns that list them."""
    words: NDArray[np.int64]
    """Shape (sets + 1,): the first 64-bit mask word of each set column; small columns share one. Last: how many."""
    spreads: NDArray[np.int64]
    """How many words the column's mask has."""
    shifts: NDArray[np.int64]
    """The bit of the column's first value in its first word."""
    masks: NDArray[np.int64]
    """The bits of the column in each of its words."""
    weights: NDArray[np.float64]
    """One over the number of values that the column has in the whole table."""
    capacities: NDArray[np.int64]
    """For every column of the matrix the number of codes."""


SPACE = named(
    Space,
    float64[:, ::1],
    float64[::1],
    float64[::1],
    int64[::1],
    int64[::1],
    int32[:, :, ::1],
    float64[:, :, ::1],
    int64[::1],
    float64[::1],
    int64[::1],
    int64[::1],
    int64[::1],
    int64[::1],
    float64[::1],
    int64[::1],
)
"""The type of a space, for signatures."""


@compiled()
def span_width(space: Space) -> Any:
    """How many words a span has."""
    return 2 * len(space.scales) + space.words[-1]


@compiled()
def computed_loss(space: Space, column: int, low: int, high: int) -> Any:
    """The loss of publishing the codes from ``low`` to ``high`` of one interval column."""
    if low == high:
        return 0.0
    # Leaves are numbered depth-first, so that the lowest and the highest code have the same ancestor exactly where all
    # between them have it: two lookups a level instead of one for each code.
    if space.depths[column] > 0:
        for level in range(1, space.depths[column]):
            if space.groups[column, level, low] == space.groups[column, level, high]:
                return space.shares[column, level, low]
        return 1.0
    # The missing value has the lowest code of its column and no place among the numbers: together with any of them it
    # can only be published as everything.
    if low == space.missing[column]:
        return 1.0
    length = space.positions[column, high] - space.positions[column, low] + space.closings[column]
    return length * space.scales[column]


@compiled(inlined=True)
def interval_loss(space: Space, column: int, low: int, high: int) -> Any:
    """The same, looked up if it is listed."""
    table = space.tables[column]
    if table >= 0:
        return space.pairs[table + low * space.capacities[column] + high]
    return computed_loss(space, column, low, high)


@compiled(inlined=True)
def add_interval_losses(space: Space, spans: Any, first: int, last: int, losses: Any) -> None:
    """Add to ``losses[i]`` what span i loses on the interval columns."""
    intervals = len(space.scales)
    for column in range(intervals):
        # Column by column: how its losses are found is decided once for a column and not once for a span.
        table, codes = space.tables[column], space.capacities[column]
        if table >= 0:
            pairs = space.pairs
            for i in range(first, last):
                losses[i] += pairs[table + spans[i, column] * codes + spans[i, intervals + column]]
        else:
            for i in range(first, last):
                losses[i] += computed_loss(space, column, spans[i, column], spans[i, intervals + column])


@compiled(inlined=True)
def add_set_losses(
    start: int, words: Any, spreads: Any, masks: Any, weights: Any, spans: Any, first: int, last: int, losses: Any
) -> None:
    """Add to ``losses[i]`` what span i, whose masks begin at word ``start``, loses on the set columns."""
    for i in range(first, last):
        loss = 0.0
        for column in range(len(weights)):
            home = start + words[column]
            # Small columns share a word: the mask cuts out the bits of this one. The further words of a large column
            # are its own.
            values = np.int64(ones(np.uint64(spans[i, home] & masks[column])))
            for word in range(home + 1, home + spreads[column]):
                values += np.int64(ones(np.uint64(spans[i, word])))
            # A single value is published unchanged and loses nothing.
            loss += values * weights[column] if values > 1 else 0.0
        losses[i] += loss


@compiled(inlined=True)
def find_losses(space: Space, spans: Any, first: int, last: int, losses: Any) -> None:
    """Write to ``losses[i]`` the loss per record, summed over columns, of each span from ``first`` to ``last``."""
    for i in range(first, last):
        losses[i] = 0.0
    add_interval_losses(space, spans, first, last, losses)
    add_set_losses(
        2 * len(space.scales), space.words, space.spreads, space.masks, space.weights, spans, first, last, losses
    )


@compiled(inlined=True)
def unite(target: Any, i: int, first: Any, j: int, second: Any, k: int, intervals: int) -> None:
    """Write the union of two spans."""
    for word in range(intervals):
        target[i, word] = min(first[j, word], second[k, word])
    for word in range(intervals, 2 * intervals):
        target[i, word] = max(first[j, word], second[k, word])
    for word in range(2 * intervals, target.shape[1]):
        target[i, word] = first[j, word] | second[k, word]


@compiled(inlined=True)
def copy_span(target: Any, i: int, source: Any, j: int) -> None:
    """Overwrite one span by another."""
    for word in range(target.shape[1]):
        target[i, word] = source[j, word]


@compiled(inlined=True)
def copy_record(target: Any, i: int, matrix: Any, record: int, words: Any, shifts: Any) -> None:
    """Write the span of a single record."""
    intervals = matrix.shape[1] - len(shifts)
    for column in range(intervals):
        target[i, column] = matrix[record, column]
        target[i, intervals + column] = matrix[record, column]
    for word in range(2 * intervals, target.shape[1]):
        target[i, word] = 0
    for column in range(len(shifts)):
        bit = np.int64(matrix[record, intervals + column]) + shifts[column]
        # Bit b of a row of 64-bit words is bit b mod 64 of word b / 64.
        target[i, 2 * intervals + words[column] + (bit >> 6)] |= np.int64(1) << (bit & 63)


@compiled(inlined=True)
def add_record(target: Any, i: int, matrix: Any, record: int, words: Any, shifts: Any) -> None:
    """Enlarge a span by a single record."""
    intervals = matrix.shape[1] - len(shifts)
    for column in range(intervals):
        code = np.int64(matrix[record, column])
        target[i, column] = min(target[i, column], code)
        target[i, intervals + column] = max(target[i, intervals + column], code)
    for column in range(len(shifts)):
        bit = np.int64(matrix[record, intervals + column]) + shifts[column]
        target[i, 2 * intervals + words[column] + (bit >> 6)] |= np.int64(1) << (bit & 63)


@compiled(inlined=True)
def joined_loss(space: Space, spans: Any, i: int, matrix: Any, record: int) -> float:
    """The loss per record of a span once a record joins it."""
    intervals = len(space.scales)
    loss = 0.0
    for column in range(intervals):
        code = np.int64(matrix[record, column])
        low, high = min(spans[i, column], code), max(spans[i, intervals + column], code)
        loss += interval_loss(space, column, low, high)
    for column in range(len(space.weights)):
        bit = np.int64(matrix[record, intervals + column]) + space.shifts[column]
        home = 2 * intervals + space.words[column]
        values = np.int64(0)
        for word in range(home, home + space.spreads[column]):
            bits = spans[i, word] & space.masks[column]
            if word == home + (bit >> 6):
                # The record's own bit is added to a copy: the span itself stays unchanged, because most priced changes
                # are not made.
                bits |= np.int64(1) << (bit & 63)
            values += np.int64(ones(np.uint64(bits)))
        loss += values * space.weights[column] if values > 1 else 0.0
    return loss
