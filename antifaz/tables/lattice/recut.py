"""Recut: merge similar classes and divide their records again, if that loses less.

Similar classes are found by dividing one record of each class as if these records were a table, which gives groups of
two or three. Each turn, another record represents its class, so the groups change.

Guarantees: every class that satisfied the conditions before is left alone or replaced by classes that do.
Cost: O(n q²) for n records and q columns.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.spans import Space
from antifaz.kernels.tables.conditions import Conditions
from antifaz.tables.classes.rules import classes_satisfy
from antifaz.tables.labels.recode import Classes
from antifaz.tables.labels.space import losses_by_class
from antifaz.tables.lattice.division import Division
from antifaz.watch import Watch, unwatched, within

CANDIDATES = 3
"""Number of cuts that the look-ahead compares."""
TINY = 1e-9
"""A gain below this is rounding error."""


def recut(
    space: Space,
    conditions: Conditions,
    matrix: NDArray[np.int32],
    labels: NDArray[np.int64],
    classes: int,
    turn: int,
    watch: Watch = unwatched,
) -> tuple[NDArray[np.int64], int]:
    """The class of every record and the number of classes after one turn; the loss never rises."""
    sorted_ = Classes.of(labels, classes)
    groups, count = _groups(space, conditions, matrix, sorted_, turn, within(watch, 0.0, 0.3))
    losses = losses_by_class(space, matrix, sorted_.order, sorted_.bounds)
    before = np.bincount(groups, weights=losses, minlength=count).astype(np.float64)
    home = groups[labels]
    chosen = np.flatnonzero(before[home] > TINY)
    if not len(chosen):
        return labels, classes
    chosen = chosen[np.argsort(home[chosen], kind="stable")]
    bounds = np.append(np.flatnonzero(np.diff(home[chosen], prepend=-1)), len(chosen))
    division = Division.of(matrix[chosen], chosen, bounds)
    division.cut(space, conditions, 0.0, CANDIDATES, within(watch, 0.3, 1.0))
    fresh = labels + division.classes
    fresh[division.order] = division.labels
    fresh, total = _renumber(fresh)
    better = _better(space, conditions, matrix, fresh, total, home, before)
    return _renumber(np.where(better[home], fresh, labels + total))


def _groups(
    space: Space, conditions: Conditions, matrix: NDArray[np.int32], classes: Classes, turn: int, watch: Watch
) -> tuple[NDArray[np.int64], int]:
    """For every class, its group of similar classes, and the number of groups."""
    sizes = np.diff(classes.bounds)
    speakers = classes.order[classes.bounds[:-1] + turn % sizes]
    pairs = conditions._replace(
        least=2 + turn % 2,
        kinds=conditions.kinds[:0],
        columns=conditions.columns[:0],
        parameters=conditions.parameters[:0],
        sensitive=np.zeros((len(sizes), 0), dtype=np.int32),
        domain=0,
    )
    division = Division.of(matrix[speakers], np.arange(len(sizes), dtype=np.int64))
    division.cut(space, pairs, 0.0, 1, watch)
    return division.by_record(), division.classes


def _better(
    space: Space,
    conditions: Conditions,
    matrix: NDArray[np.int32],
    labels: NDArray[np.int64],
    classes: int,
    home: NDArray[np.int64],
    before: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """For every group, whether its new classes lose less and all satisfy the conditions."""
    owner = np.zeros(classes, dtype=np.int64)
    owner[labels] = home
    sorted_ = Classes.of(labels, classes)
    losses = losses_by_class(space, matrix, sorted_.order, sorted_.bounds)
    after = np.bincount(owner, weights=losses, minlength=len(before))
    better = after < before - TINY
    better[owner[~classes_satisfy(conditions, labels, classes)]] = False
    return better


def _renumber(labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    used = np.bincount(labels) > 0
    return (np.cumsum(used) - 1)[labels], int(used.sum())
