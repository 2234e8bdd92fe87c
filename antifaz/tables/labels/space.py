"""Space: the quasi-identifiers of a table as plain arrays for the kernels.

Numbers and dates are intervals, measured by their width. An attribute published as an ancestor is an interval of the
hierarchy's leaves in depth-first order, measured by the leaves under the lowest common ancestor. Other texts are sets,
measured by the values they cover. Text with very many values is treated as an interval of its order instead: a bit mask
would cost more than it saves, and the published set is never wider than that interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.kernels.numba.spans import Space
from antifaz.tables.table import Attribute, Recoding

LARGEST_TABLE = 256
"""Largest number of codes of a column for which the losses of all intervals are listed."""
LARGEST_SET = 1024
"""Texts with more values than this are intervals of their order."""


@dataclass(frozen=True)
class Axis:
    """One quasi-identifier: its codes, and how an interval of them is measured."""

    codes: NDArray[np.int32]
    """The codes of the column."""
    capacity: int
    positions: NDArray[np.float64] | None = None
    """None for a set."""
    scale: float = 0.0
    closing: float = 0.0
    missing: int = -1
    groups: NDArray[np.int32] | None = None
    """Shape (levels, codes), for a hierarchy."""
    shares: NDArray[np.float64] | None = None
    places: NDArray[np.int32] | None = None
    """What kernels see instead of each code; None if they see the codes."""


def build_space(attributes: Sequence[Attribute], *, sets: bool) -> tuple[Space, NDArray[np.int32]]:
    """The space and the code matrix of some quasi-identifiers, intervals first; without ``sets`` all are intervals."""
    axes = [lay_axis(attribute, sets) for attribute in attributes]
    intervals = [axis for axis in axes if axis.positions is not None]
    masked = [axis for axis in axes if axis.positions is None]
    ordered = intervals + masked
    matrix = np.empty((len(ordered[0].codes), len(ordered)), dtype=np.int32)
    for column, axis in enumerate(ordered):
        matrix[:, column] = axis.codes if axis.places is None else axis.places[axis.codes]
    words, spreads, shifts, masks = _pack_masks([axis.capacity for axis in masked])
    groups, shares = _stack_hierarchies(intervals)
    tables, pairs = _list_losses(intervals)
    return Space(
        positions=_stack_positions(intervals),
        scales=np.array([axis.scale for axis in intervals], dtype=np.float64),
        closings=np.array([axis.closing for axis in intervals], dtype=np.float64),
        missing=np.array([axis.missing for axis in intervals], dtype=np.int64),
        depths=np.array([0 if axis.groups is None else len(axis.groups) for axis in intervals], dtype=np.int64),
        groups=groups,
        shares=shares,
        tables=tables,
        pairs=pairs,
        words=words,
        spreads=spreads,
        shifts=shifts,
        masks=masks,
        weights=np.array([1.0 / axis.capacity for axis in masked], dtype=np.float64),
        capacities=np.array([axis.capacity for axis in ordered], dtype=np.int64),
    ), matrix


def lay_axis(attribute: Attribute, sets: bool) -> Axis:
    """How one quasi-identifier is measured."""
    column = attribute.column
    by_hierarchy = attribute.recoding is Recoding.ANCESTOR or (not sets and column.numbers is None)
    if attribute.generalization is not None and by_hierarchy:
        return _lay_hierarchy(column.codes, attribute.generalization)
    capacity = max(len(column.values), 1)
    if column.numbers is not None:
        # A missing value has no position. Its code is passed on: an interval that contains it is charged as suppressed.
        positions = np.nan_to_num(column.numbers, nan=0.0)
        return Axis(column.codes, capacity, positions, invert(domain_width(column.numbers)), missing=column.missing)
    positions = np.arange(capacity, dtype=np.float64)
    if not sets:
        return Axis(column.codes, capacity, positions, invert(capacity - 1.0))
    if capacity > LARGEST_SET:
        # As an interval it has last - first + 1 values: charged like the set of all of them, of which it has at most
        # these.
        return Axis(column.codes, capacity, positions, 1.0 / capacity, closing=1.0)
    return Axis(column.codes, capacity)


def domain_width(numbers: NDArray[np.float64]) -> float:
    """The width of a numeric domain, missing values aside."""
    known = numbers[~np.isnan(numbers)]
    return float(known.max() - known.min()) if len(known) else 0.0


def invert(width: float) -> float:
    """One over a width, or 0 for a domain without any."""
    return 1.0 / width if width > 0 else 0.0


def depth_first(generalization: Generalization) -> NDArray[np.int64]:
    """The position of every value in a depth-first walk of the hierarchy, in which each group is an interval."""
    # The last key, the level of the root, sorts first, then each level below within it: every group is contiguous.
    walk = np.lexsort(generalization.groups)
    places = np.empty(len(walk), dtype=np.int64)
    places[walk] = np.arange(len(walk))
    return places


def group_losses(generalization: Generalization) -> tuple[NDArray[np.float64], ...]:
    """For each level, the loss of publishing each group: its share of all leaves, 0 for a single leaf."""
    total = float(generalization.leaves[-1].max())
    losses = [np.where(leaves > 1, leaves / total, 0.0) for leaves in generalization.leaves]
    losses[0] = np.zeros(len(generalization.leaves[0]))
    return tuple(losses)


def losses_by_class(
    space: Space, matrix: NDArray[np.int32], order: NDArray[np.int64], bounds: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The loss of each class, summed over its records and columns; class c has the records between two bounds."""
    losses = np.zeros(len(bounds) - 1)
    intervals = len(space.scales)
    for column in range(matrix.shape[1]):
        codes = matrix[order, column]
        if column < intervals:
            low, high = (each.reduceat(codes, bounds[:-1]) for each in (np.minimum, np.maximum))
            losses += _interval_losses(space, column, low.astype(np.int64), high.astype(np.int64))
        else:
            values = _distinct(codes, bounds, int(space.capacities[column]))
            losses += np.where(values > 1, values * space.weights[column - intervals], 0.0)
    return losses * np.diff(bounds)


def _interval_losses(space: Space, column: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """The losses of intervals from some codes to others."""
    if space.tables[column] >= 0:
        return np.asarray(space.pairs[space.tables[column] + low * space.capacities[column] + high], dtype=np.float64)
    if space.depths[column] > 0:
        losses = np.ones(len(low))
        # From the root down, so that the lowest level at which both ends are in one group is written last.
        for level in range(space.depths[column] - 1, 0, -1):
            groups = space.groups[column, level]
            losses = np.where(groups[low] == groups[high], space.shares[column, level, low], losses)
    else:
        places = space.positions[column]
        losses = (places[high] - places[low] + space.closings[column]) * space.scales[column]
        losses[low == space.missing[column]] = 1.0
    losses[low == high] = 0.0
    return losses


def _distinct(codes: NDArray[np.int32], bounds: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    """The number of distinct codes between bounds."""
    if capacity <= 64:
        # One bit for each value: the values of a class are the bits of one word.
        bits = np.uint64(1) << codes.astype(np.uint64)
        return np.bitwise_count(np.bitwise_or.reduceat(bits, bounds[:-1])).astype(np.int64)
    owners = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return np.bincount(distinct(owners * capacity + codes) // capacity, minlength=len(bounds) - 1)


def _lay_hierarchy(codes: NDArray[np.int32], generalization: Generalization) -> Axis:
    places = depth_first(generalization)
    walk = np.argsort(places)
    groups = np.ascontiguousarray(generalization.groups[:, walk], dtype=np.int32)
    losses = group_losses(generalization)
    shares = np.stack([losses[level][groups[level]] for level in range(len(groups))])
    positions = np.arange(len(walk), dtype=np.float64)
    return Axis(codes, len(walk), positions, groups=groups, shares=shares, places=places.astype(np.int32))


def _pack_masks(
    capacities: Sequence[int],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The position of each set column's bits: columns of at most 64 values share words, larger ones have their own."""
    words, spreads, shifts, masks = [], [], [], []
    room: list[int] = []
    for capacity in capacities:
        if capacity > 64:
            home, shift, spread = len(room), 0, -(-capacity // 64)
            room.extend([0] * spread)
        else:
            home = next((word for word, free in enumerate(room) if free >= capacity), len(room))
            if home == len(room):
                room.append(64)
            shift, spread = 64 - room[home], 1
            room[home] -= capacity
        words.append(home)
        spreads.append(spread)
        shifts.append(shift)
        # A full mask exceeds signed 64 bits, so masks become unsigned words, which kernels see as signed ones.
        masks.append((((1 << min(capacity, 64)) - 1) << shift) if spread == 1 else (1 << 64) - 1)
    return (
        np.array([*words, len(room)], dtype=np.int64),
        np.array(spreads, dtype=np.int64),
        np.array(shifts, dtype=np.int64),
        np.array(masks, dtype=np.uint64).view(np.int64),
    )


def _stack_positions(intervals: Sequence[Axis]) -> NDArray[np.float64]:
    stacked = np.zeros((len(intervals), max((axis.capacity for axis in intervals), default=1)))
    for row, axis in zip(stacked, intervals, strict=True):
        if axis.positions is not None:
            row[: axis.capacity] = axis.positions
    return stacked


def _stack_hierarchies(intervals: Sequence[Axis]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    levels = max((len(axis.groups) for axis in intervals if axis.groups is not None), default=1)
    codes = max((axis.capacity for axis in intervals if axis.groups is not None), default=1)
    groups = np.zeros((len(intervals), levels, codes), dtype=np.int32)
    shares = np.zeros((len(intervals), levels, codes), dtype=np.float64)
    for index, axis in enumerate(intervals):
        if axis.groups is not None and axis.shares is not None:
            groups[index, : len(axis.groups), : axis.capacity] = axis.groups
            shares[index, : len(axis.groups), : axis.capacity] = axis.shares
    return groups, shares


def _list_losses(intervals: Sequence[Axis]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The loss of every interval of every small column, and the start of each column's list (-1: not listed)."""
    tables, pairs, size = [], [np.zeros(0)], 0
    for axis in intervals:
        if axis.capacity > LARGEST_TABLE:
            tables.append(-1)
            continue
        tables.append(size)
        pairs.append(_all_losses(axis).ravel())
        size += axis.capacity**2
    return np.array(tables, dtype=np.int64), np.concatenate(pairs)


def _all_losses(axis: Axis) -> NDArray[np.float64]:
    """The loss of the interval from each code (row) to each other (column)."""
    codes = np.arange(axis.capacity)
    if axis.groups is not None and axis.shares is not None:
        losses = np.ones((axis.capacity, axis.capacity))
        for groups, shares in zip(axis.groups[::-1], axis.shares[::-1], strict=True):
            losses = np.where(groups[:, None] == groups[None, :], shares[:, None], losses)
        return losses
    positions = codes.astype(np.float64) if axis.positions is None else axis.positions
    losses = (positions[None, :] - positions[:, None] + axis.closing) * axis.scale
    losses[codes == axis.missing, :] = 1.0
    losses[codes, codes] = 0.0
    return losses
