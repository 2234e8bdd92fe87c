"""Class moves: the loss of a division into classes, classes for left-over records, and records that fit better
elsewhere.

Guarantees: a class that receives or gives a record still satisfies the conditions.
Cost: O(r c q) for r records and c classes.
"""

from typing import Any

import numpy as np

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.spans import SPACE, Space, add_record, copy_record, find_losses, joined_loss, span_width
from antifaz.kernels.numba.types import boolean, float64, int32, int64
from antifaz.kernels.tables.conditions import CONDITIONS, Conditions, make_tally, part_holds

TRIES = 256
"""Largest number of classes that a record tries if there are rules about sensitive values."""
TINY = 1e-9
"""A gain below this is rounding."""


@compiled()
def cover_classes(space: Space, matrix: Any, labels: Any, spans: Any, sizes: Any) -> None:
    """Write what every class covers and how many records it has."""
    for record in range(len(labels)):
        label = labels[record]
        if label >= 0:
            if sizes[label] == 0:
                copy_record(spans, label, matrix, record, space.words, space.shifts)
            else:
                add_record(spans, label, matrix, record, space.words, space.shifts)
            sizes[label] += 1


@compiled()
def members_hold(conditions: Conditions, tally: Any, labels: Any, label: int, record: int, members: Any) -> bool:
    """Whether a class and one more record satisfy every rule together."""
    size = 0
    for other in range(len(labels)):
        if labels[other] == label:
            members[size] = other
            size += 1
    # The whole class is counted again: sums alone do not settle rules about sensitive values. Rules about sizes are
    # checked before, so this is only called if there are others.
    members[size] = record
    return part_holds(conditions, tally, members, 0, size + 1, np.empty(0, np.uint8), -1)


@compiled(int64(SPACE, CONDITIONS, int32[:, ::1], int64[::1], int64, int64))
def join_remainder(
    space: Space,
    conditions: Conditions,
    matrix: Any,
    labels: Any,
    classes: int,
    most: int,
) -> int:
    """Give up to ``most`` records labeled -1 to the class whose total loss they raise least and that keeps its rules.

    ``matrix`` and ``labels`` are in the order of the table's records. Returns how many are left, or -1 if some record
    finds no class.
    """
    tally = make_tally(conditions)
    spans = np.zeros((classes, span_width(space)), np.int64)
    sizes = np.zeros(classes, np.int64)
    losses = np.zeros(classes, np.float64)
    rises = np.zeros(classes, np.float64)
    members = np.empty(len(labels) + 1, np.int64)
    cover_classes(space, matrix, labels, spans, sizes)
    find_losses(space, spans, 0, classes, losses)
    left = 0
    for record in range(len(labels)):
        if labels[record] >= 0:
            continue
        if most <= 0:
            left += 1
            continue
        most -= 1
        for label in range(classes):
            joined = joined_loss(space, spans, label, matrix, record)
            # The loss that the new record adds to all records of the class, not only its own.
            rises[label] = (sizes[label] + 1) * joined - sizes[label] * losses[label]
        placed = False
        for _ in range(min(classes, TRIES)):
            nearest: Any = np.argmin(rises)
            label = nearest
            if len(conditions.kinds) == 0 or members_hold(conditions, tally, labels, label, record, members):
                labels[record] = label
                sizes[label] += 1
                losses[label] = joined_loss(space, spans, label, matrix, record)
                add_record(spans, label, matrix, record, space.words, space.shifts)
                placed = True
                break
            # If the rules refuse it, the next best class is tried. Within the limit of tries this finds the cheapest
            # that fits.
            rises[label] = np.inf
        if not placed:
            return -1
    return left


@compiled(float64(SPACE, int32[:, ::1], int64[::1], int64))
def loss_of_classes(
    space: Space,
    matrix: Any,
    labels: Any,
    classes: int,
) -> float:
    """The loss of a division into classes, summed over records and columns."""
    spans = np.zeros((classes, span_width(space)), np.int64)
    sizes = np.zeros(classes, np.int64)
    losses = np.zeros(classes, np.float64)
    cover_classes(space, matrix, labels, spans, sizes)
    find_losses(space, spans, 0, classes, losses)
    total = 0.0
    for label in range(classes):
        total += sizes[label] * losses[label]
    return total


@compiled()
def lacking_holds(conditions: Conditions, tally: Any, labels: Any, label: int, record: int, members: Any) -> bool:
    """Whether a class without one of its records satisfies every rule."""
    size = 0
    for other in range(len(labels)):
        if labels[other] == label and other != record:
            members[size] = other
            size += 1
    return part_holds(conditions, tally, members, 0, size, np.empty(0, np.uint8), -1)


@compiled()
def cover_without(space: Space, matrix: Any, members: Any, record: int, few: Any) -> None:
    """Write what the members of a class cover without one of them."""
    empty = True
    for index in range(len(members)):
        other = members[index]
        if other == record:
            continue
        if empty:
            copy_record(few, 0, matrix, other, space.words, space.shifts)
            empty = False
        else:
            add_record(few, 0, matrix, other, space.words, space.shifts)


@compiled()
def best_home(
    space: Space, matrix: Any, spans: Any, sizes: Any, losses: Any, record: int, home: int, window: int, limit: float
) -> Any:
    """The class within a window around its own whose total loss a record raises least, below a limit; or -1."""
    best = -1
    classes = len(sizes)
    # Classes are numbered as they were cut, so that those with near numbers come from the same part of the table: a
    # window of them finds most of what a search of all would.
    for step in range(1, min(window, classes - 1) + 1):
        label = (home + (step + 1) // 2 if step % 2 else home - step // 2 + classes) % classes
        rise = (sizes[label] + 1) * joined_loss(space, spans, label, matrix, record) - sizes[label] * losses[label]
        if rise < limit - TINY:
            best, limit = label, rise
    return best


@compiled(
    int64(
        SPACE,
        CONDITIONS,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        boolean[::1],
        int64,
        int64,
    )
)
def move_records(
    space: Space,
    conditions: Conditions,
    matrix: Any,
    labels: Any,
    order: Any,
    bounds: Any,
    window: int,
    largest: int,
    received: Any,
    first: int,
    last: int,
) -> int:
    """Move records out of classes that have one to spare, each to the class where it costs least; count the moves.

    Class c starts with the records ``order[bounds[c]:bounds[c + 1]]``. A record tries ``window`` classes around its
    own; classes above ``largest`` records, and those that have received one, give none. The classes from ``first`` to
    before ``last`` give. ``labels``, in the order of the table's records, and ``received`` are updated.
    """
    tally = make_tally(conditions)
    classes = len(bounds) - 1
    spans = np.zeros((classes, span_width(space)), np.int64)
    few = np.zeros((1, span_width(space)), np.int64)
    sizes = np.zeros(classes, np.int64)
    losses = np.zeros(classes, np.float64)
    lacking = np.zeros(1, np.float64)
    members = np.empty(len(labels) + 1, np.int64)
    cover_classes(space, matrix, labels, spans, sizes)
    find_losses(space, spans, 0, classes, losses)
    moved = 0
    for home in range(first, last):
        for index in range(bounds[home], bounds[home + 1]):
            # Records of a class that loses nothing can gain nothing. A class that received one is no longer the records
            # that ``bounds`` say, and is left to the next round.
            if received[home] or sizes[home] <= conditions.least or sizes[home] > largest or losses[home] == 0.0:
                break
            record = order[index]
            present = order[bounds[home] : bounds[home + 1]]
            # Minimum, maximum and masks cannot be undone for one record: the span of the others is computed again.
            cover_without(space, matrix, present[labels[present] == home], record, few)
            find_losses(space, few, 0, 1, lacking)
            # Only a move that costs the new class less than it saves the old one lowers the loss of the table.
            saved = sizes[home] * losses[home] - (sizes[home] - 1) * lacking[0]
            if saved <= TINY:
                continue
            label = best_home(space, matrix, spans, sizes, losses, record, home, window, saved)
            if label < 0:
                continue
            if len(conditions.kinds) > 0 and not (
                members_hold(conditions, tally, labels, label, record, members)
                and lacking_holds(conditions, tally, labels, home, record, members)
            ):
                continue
            losses[label] = joined_loss(space, spans, label, matrix, record)
            add_record(spans, label, matrix, record, space.words, space.shifts)
            sizes[label] += 1
            labels[record] = label
            received[label] = True
            for word in range(spans.shape[1]):
                spans[home, word] = few[0, word]
            losses[home] = lacking[0]
            sizes[home] -= 1
            moved += 1
    return moved
