"""Mondrian: multidimensional generalization by recursive cuts.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006.

Start with all records in one part. Cut it while both sides keep every guarantee; a part that cannot be cut is published
as one class. `range` cuts as in the paper, at the median of the attribute with the widest normalized range. `loss`
makes the cut that lowers the information loss most (Xu, Wang, Pei, Wang, Shi and Fu, "Utility-Based Anonymization Using
Local Recoding", KDD 2006, define the loss), looks one cut ahead, and sets aside a few records that would widen their
class; these are divided among themselves in further rounds, at a rising price. Then two or three similar classes are
merged and divided again, if that is cheaper. In the end a record may move to a class where it costs less.

Guarantees: every class-wise guarantee of the policy, on every class.
Cost: O(n q log(n / k)) for `range` and O(n q² log(n / k)) for `loss`, with q quasi-identifiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.spans import Space
from antifaz.kernels.tables.class_moves import join_remainder, loss_of_classes, move_records
from antifaz.kernels.tables.conditions import Conditions
from antifaz.kernels.tables.range_cuts import cut_by_range
from antifaz.part import Examples
from antifaz.tables.classes.rules import classes_satisfy, feasible_conditions, require_guarantees
from antifaz.tables.labels.recode import Classes, release_classes
from antifaz.tables.labels.space import build_space
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.lattice.division import LARGEST_STEP, Division, span_words
from antifaz.tables.lattice.recut import recut
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch, within

HIGHEST_PRICE, LOWEST_PRICE, FALL = 2.0, 0.8, 5.0
"""Price of setting a record aside in the first round, in mean losses of a plain run: HIGHEST_PRICE if almost nothing is
lost; it falls by FALL per unit of a cell's mean loss, and is never below LOWEST_PRICE. If classes are already wide, few
records are so far out that another class would fit them much better."""
LARGEST_SWEEP = 100_000_000
"""Approximate number of words that are read between two calls of the watch while records search for a class."""
LARGEST_GIVER = 10
"""Classes larger than this multiple of the smallest size give no records away: it costs the square of their size."""


@dataclass(frozen=True)
class Plan:
    """Amount of work for loss cuts; chosen by effort and size, never by time, so that a run can be repeated."""

    candidates: int
    """Number of cuts that the look-ahead compares; 1 for no look-ahead."""
    rounds: int
    """Number of rounds of setting aside; 0 for none."""
    rise: float = 1.5
    """Factor by which the price rises from round to round."""
    recuts: int = 0
    """Number of times that neighboring classes are merged and divided again."""
    classes_recut: int = 2**62
    """Largest number of classes for this, over all times."""
    passes: int = 0
    """Number of times that every record may search for a better class in the end."""
    window: int = 0
    """Number of classes it searches."""


class Mondrian(TableMethod):
    """Generalize quasi-identifiers by recursive cuts, each class to its own ranges, sets or ancestors."""

    gives: ClassVar[tuple[str, ...]] = (*CLASSWISE, "k_map", "delta_presence")

    examples: ClassVar[Examples] = ({}, {"cut": "range"}, {"cut": "range", "mode": "relaxed"})
    name: Literal["mondrian"] = "mondrian"
    cut: Literal["loss", "range"] = "loss"
    """Which cut is made: the one that lowers the information loss most, or the median of the widest range."""
    mode: Literal["strict", "relaxed"] = "strict"
    """For range cuts: whether records equal to the median stay together (strict) or are divided between both sides
    (relaxed). Loss cuts place records one by one in either mode."""
    effort: Literal["fast", "normal", "high"] = "normal"
    """For loss cuts: amount of work spent on a smaller loss; large tables get less of it."""

    def writes_bounds(self) -> bool:
        """True: classes have ranges, and their ends can be columns."""
        return True

    def apply(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Divide the records into classes and publish each one's own ranges, sets or ancestors."""
        watch(0.0)
        conditions = feasible_conditions(table, guarantees, watch)
        if not table.quasi_identifiers:
            labels, classes, hurried = np.zeros(table.n, dtype=np.int64), 1, False
        elif self.cut == "range":
            labels, classes, hurried = _divide_by_range(table, conditions, self.mode == "relaxed", watch)
        else:
            labels, classes, hurried = _divide_by_loss(table, conditions, _plan(self.effort, table.n), watch)
        watch(0.9)
        released = release_classes(table, labels, classes, method=self.name, cut=self.cut, stopped_early=hurried)
        require_guarantees(released, conditions, labels)
        for guarantee in guarantees:
            guarantee.confirm(table, released)
        watch(1.0)
        return released


def _plan(effort: str, records: int) -> Plan:
    """The plan by effort, with less look-ahead and fewer rounds for large tables."""
    if effort == "fast" or (effort == "normal" and records > 250_000):
        return Plan(candidates=1, rounds=0)
    ahead = 3 if records <= (60_000 if effort == "normal" else 250_000) else 1
    if effort == "normal":
        return Plan(candidates=ahead, rounds=5, recuts=3 if ahead > 1 else 0, classes_recut=8_000, passes=1, window=200)
    return Plan(candidates=ahead, rounds=8, rise=1.3, recuts=16 if ahead > 1 else 0, passes=4, window=1000)


def _divide_by_range(
    table: Table, conditions: Conditions, relaxed: bool, watch: Watch
) -> tuple[NDArray[np.int64], int, bool]:
    space, matrix = build_space(table.quasi_identifiers, sets=False)
    division = Division.of(matrix, np.arange(table.n, dtype=np.int64))
    while division.unfinished:
        watch(0.9 * division.fraction)
        cut_by_range(
            relaxed,
            max(LARGEST_STEP // matrix.shape[1], 1),
            space,
            conditions,
            division.matrix,
            division.order,
            division.labels,
            division.stack,
            division.state,
        )
    return division.by_record(), division.classes, False


def _divide_by_loss(
    table: Table, conditions: Conditions, plan: Plan, watch: Watch
) -> tuple[NDArray[np.int64], int, bool]:
    """A plain division, then one with look-ahead and records set aside; the cheaper one is kept."""
    space, matrix = build_space(table.quasi_identifiers, sets=True)
    plain = Division.of(matrix, np.arange(table.n, dtype=np.int64))
    hurried = plain.cut(space, conditions, 0.0, 1, within(watch, 0.0, 0.2 if plan.rounds else 0.9))
    labels = plain.by_record()
    if hurried or not plan.rounds:
        return labels, plain.classes, hurried
    matrix = np.empty_like(plain.matrix)
    # The division reorders its rows by class; further steps name records by their original rows.
    matrix[plain.order] = plain.matrix
    cost = loss_of_classes(space, matrix, labels, plain.classes)
    if cost == 0.0:
        return labels, plain.classes, hurried
    mean = cost / table.n
    price = mean * max(HIGHEST_PRICE - FALL * mean / matrix.shape[1], LOWEST_PRICE)
    refined, classes, hurried = _set_aside(space, matrix, conditions, plan, price, within(watch, 0.2, 0.6))
    # Setting aside is a heuristic that can lose more: then the plain division stays.
    if not classes or loss_of_classes(space, matrix, refined, classes) > cost:
        refined, classes = labels, plain.classes
    turns = min(plan.recuts, plan.classes_recut // max(classes, 1))
    for turn in range(turns):
        hurried = hurried or watch(0.6 + 0.3 * turn / turns)
        if hurried:
            break
        share = within(watch, 0.6 + 0.3 * turn / turns, 0.6 + 0.3 * (turn + 1) / turns)
        refined, classes = recut(space, conditions, matrix, refined, classes, turn, share)
    if not hurried:
        _move(space, matrix, conditions, plan, refined, classes, watch)
    return refined, classes, hurried


def _set_aside(
    space: Space, matrix: NDArray[np.int32], conditions: Conditions, plan: Plan, price: float, watch: Watch
) -> tuple[NDArray[np.int64], int, bool]:
    """Divide in rounds: records set aside in one round are divided in the next at a higher price; the last round sets
    none aside.

    Returns no classes if the last few records find no class that may take them.
    """
    labels = np.full(len(matrix), -1, dtype=np.int64)
    pool = np.arange(len(matrix), dtype=np.int64)
    classes, hurried = 0, False
    for turn in range(plan.rounds):
        # If not even all of them together make a class, no division of them does: they join classes that exist.
        if not _may_stand_alone(conditions, pool):
            break
        final = hurried or turn == plan.rounds - 1
        division = Division.of(matrix[pool], pool)
        spread = within(watch, turn / plan.rounds, (turn + 1) / plan.rounds)
        hurried = division.cut(space, conditions, 0.0 if final else price, plan.candidates, spread) or hurried
        placed = division.labels >= 0
        labels[division.order[placed]] = division.labels[placed] + classes
        classes += division.classes
        pool = np.sort(division.order[~placed])
        price *= plan.rise
        if final:
            break
    # The watch is asked by the work done, not by the number of records: with many classes one record is much work.
    most = max(1, LARGEST_SWEEP // (max(classes, 1) * span_words(space)))
    left = len(pool)
    while left > 0:
        watch(1.0)
        left = int(join_remainder(space, conditions, matrix, labels, classes, most))
    if left < 0:
        return labels, 0, hurried
    return labels, classes, hurried


def _move(
    space: Space,
    matrix: NDArray[np.int32],
    conditions: Conditions,
    plan: Plan,
    labels: NDArray[np.int64],
    classes: int,
    watch: Watch,
) -> None:
    """Let records move to classes where they cost less, until none does or the passes are used up."""
    for _ in range(plan.passes):
        sorted_ = Classes.of(labels, classes)
        largest = LARGEST_GIVER * conditions.least
        # A class that received a record gives none in this pass: it is no longer the records that were sorted above.
        received = np.zeros(classes, dtype=np.bool_)
        each = max(1, len(labels) // max(classes, 1)) * min(plan.window, classes) * span_words(space)
        step, moved = max(1, LARGEST_SWEEP // each), 0
        for first in range(0, classes, step):
            watch(0.9)
            moved += move_records(
                space,
                conditions,
                matrix,
                labels,
                sorted_.order,
                sorted_.bounds,
                plan.window,
                largest,
                received,
                first,
                min(first + step, classes),
            )
        if not moved:
            break


def _may_stand_alone(conditions: Conditions, pool: NDArray[np.int64]) -> bool:
    """Whether some records, as one class, would satisfy the conditions."""
    if len(pool) < conditions.least:
        return False
    # Conditions list the sensitive values by record: the kernel expects those of the chosen ones alone.
    chosen = conditions._replace(sensitive=np.ascontiguousarray(conditions.sensitive[pool]))
    return bool(classes_satisfy(chosen, np.zeros(len(pool), dtype=np.int64), 1).all())
