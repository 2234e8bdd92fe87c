"""Answers: compute the answer to a question from a table, with noise.

Rows that meet the conditions are selected, with at most `contributions` rows of each person, and the requested figures
are computed in whole numbers. Then OpenDP adds noise. Later steps use only the noisy numbers.

Guarantees: differential privacy of the plan's loss, for tables that differ by all rows of one person.
Cost: O(n) for every selected item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct, ranked
from antifaz.noise import UNIT
from antifaz.questions.columns import MISSING, AskedTable, Cells
from antifaz.questions.declarations import Declarations, DeclaredColumn
from antifaz.questions.intervals import COVERED, Numbers, Reach, quotient_interval, whole_reach, width
from antifaz.questions.plan import CANDIDATES, TAIL, Part, Plan, coarse_limit, coarseness, rank_scale
from antifaz.questions.question import Condition, Question, places_of, share_of

Rows = NDArray[np.int64]
Json = dict[str, Any]


@dataclass(frozen=True)
class Groups:
    """The groups of an answer: the rows that count, the group of each, and the names of the groups."""

    rows: Rows
    number: Rows
    """The group of every row that counts."""
    names: Sequence[Json]
    counts: Sequence[int] | None = None
    """The noisy row counts, if keys were found by threshold."""


def answer(table: AskedTable, question: Question, declared: Declarations, plan: Plan) -> list[Json]:
    """Return the cells of every selected item."""
    rows = _counted_rows(table, question, declared)
    groups = (
        _found_groups(table, question, declared, plan, rows)
        if plan.keys
        else _declared_groups(table, question, declared, rows)
    )
    answers = []
    for part in plan.parts:
        cells = _ANSWERS[part.item.kind](table, declared, plan, part, groups)
        units = plan.keys.units if plan.keys is not None and not part.drawings else part.units
        cost = {("epsilon" if declared.measure == "pure" else "rho"): units / UNIT}
        answers.append(
            {
                "select": part.item.model_dump(exclude_none=True),
                "cells": [{"coverage": COVERED, **cell, "cost": cost} for cell in cells],
            }
        )
    return answers


def _counted_rows(table: AskedTable, question: Question, declared: Declarations) -> Rows:
    """Return the rows that meet every condition, with at most `contributions` rows of each person."""
    kept = np.ones(table.n, dtype=np.bool_)
    for condition in question.where:
        kept &= _meets(table.cells[condition.column], condition, declared.columns[condition.column])
    rows = np.flatnonzero(kept)
    if table.firsts is None:
        return rows
    counts = np.add.reduceat(kept, table.firsts, dtype=np.int64)
    before = np.cumsum(counts) - counts
    # A person's rows are in random order, so the first ones are a random choice.
    counted: Rows = rows[np.arange(len(rows)) - np.repeat(before, counts) < declared.contributions]
    return counted


def _meets(cells: Cells, condition: Condition, column: DeclaredColumn) -> NDArray[np.bool_]:
    """Whether each cell, clipped to the bounds like all cells, meets a condition."""
    values = condition.values
    stated = [column.units_of(value) for value in values] if column.is_measured else places_of(column, values)
    known = [value for value in stated if value is not None]
    tests = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
    if condition.op in tests:
        # A stated number may be too large for the cells' type; clipping a number beyond the bounds does not change the
        # result.
        limit = int(np.clip(known[0], -(2**31) + 2, 2**31 - 1))
        met = tests[condition.op](cells, limit)
    else:
        met = np.isin(cells, np.array(known, dtype=np.int64))
        met = ~met if condition.op == "ne" else met
    return np.asarray(met & (cells != MISSING))


def _declared_groups(table: AskedTable, question: Question, declared: Declarations, rows: Rows) -> Groups:
    """Return a group for every combination of declared keys; rows without one of the keys are in no group."""
    keys = [declared.columns[name].all_keys or [] for name in question.group_by]
    number, known = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows), dtype=np.bool_)
    for name, stated in zip(question.group_by, keys, strict=True):
        cells = table.cells[name][rows]
        known &= cells != MISSING
        number = number * len(stated) + cells
    sizes = [len(stated) for stated in keys]
    names = [
        {name: stated[place] for name, stated, place in zip(question.group_by, keys, places, strict=True)}
        for places in np.ndindex(*sizes)
    ]
    if not question.group_by:
        return Groups(rows, number, [{}])
    return Groups(rows[known], number[known], names)


def _found_groups(table: AskedTable, question: Question, declared: Declarations, plan: Plan, rows: Rows) -> Groups:
    """Return a group for every combination of texts that reaches the threshold."""
    assert plan.keys is not None
    columns = [table.cells[name][rows] for name in question.group_by]
    known = np.logical_and.reduce([cells != MISSING for cells in columns])
    texts = [declared.columns[name].all_keys or table.texts[name] for name in question.group_by]
    rows = rows[known]
    number, combined = _combined([cells[known] for cells in columns], [len(every) for every in texts])
    counts = np.bincount(number, minlength=len(combined)).tolist()
    # Keys are passed as numbers: no text of the table is used before it is known that it may be shown.
    found = plan.keys.keys({str(place): count for place, count in enumerate(counts)})

    def name_of(place: str) -> dict[str, str]:
        key = combined[int(place)].tolist()
        return {name: known[at] for name, known, at in zip(question.group_by, texts, key, strict=True)}

    shown = sorted(found, key=lambda place: list(name_of(place).values()))
    order = np.full(len(combined), -1, dtype=np.int64)
    order[[int(place) for place in shown]] = np.arange(len(shown))
    new = order[number]
    return Groups(rows[new >= 0], new[new >= 0], [name_of(place) for place in shown], [found[place] for place in shown])


def _combined(columns: Sequence[Cells], sizes: Sequence[int]) -> tuple[Rows, Rows]:
    """Return for each row the number of its combination of cells, and the combinations that occur, sorted."""
    number, combined = np.zeros(len(columns[0]), dtype=np.int64), np.zeros((1, 0), dtype=np.int64)
    for cells, size in zip(columns, sizes, strict=True):
        # Combinations are renumbered after every column, so that no product of sizes grows too large.
        found, number = ranked(number * size + cells, len(combined) * size)
        combined = np.column_stack([combined[found // max(size, 1)], found % max(size, 1)])
    return number, combined


def _values(table: AskedTable, groups: Groups, name: str | None) -> tuple[Rows, Rows]:
    """Return the numbers of a column and their groups, without missing cells."""
    cells = table.cells[name or ""][groups.rows]
    known = cells != MISSING
    return cells[known].astype(np.int64), groups.number[known]


def _totals(number: Rows, size: int, weights: Rows | None = None) -> Rows:
    """Return exact sums by group, without floating point."""
    if weights is None:
        return np.bincount(number, minlength=size).astype(np.int64)
    totals = np.zeros(size, dtype=np.int64)
    if size == 1:
        totals[0] = weights.sum()
    else:
        np.add.at(totals, number, weights)
    return totals


def _interval(reach: Reach, ends: list[Any]) -> Json:
    return {"interval95": ends, "coverage": round(reach.coverage, 4)}


def _count(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    if groups.counts is not None and plan.keys is not None:
        scale, noisy = plan.keys.scale, list(groups.counts)
    else:
        scale = part.drawings[0].scale
        noisy = part.drawings[0].counts(_totals(groups.number, len(groups.names))).tolist()
    reach = whole_reach(declared.measure, scale)
    return [
        {
            "group": name,
            "value": value,
            "scale": scale,
            **_interval(reach, [value - reach.below, value + reach.above]),
        }
        for name, value in zip(groups.names, noisy, strict=True)
    ]


def _histogram(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    assert part.item.histogram is not None
    column = declared.columns[part.item.histogram.column]
    edges = np.array([column.units_of(edge) for edge in part.item.histogram.edges], dtype=np.int64)
    values, number = _values(table, groups, part.item.column)
    bins = np.searchsorted(edges, values, side="right") - 1
    # The last bin includes its upper edge.
    bins = np.where(values == edges[-1], len(edges) - 2, bins)
    inside = (bins >= 0) & (bins < len(edges) - 1)
    size = len(edges) - 1
    counts = _totals(number[inside] * size + bins[inside], len(groups.names) * size)
    drawing = part.drawings[0]
    reach = whole_reach(declared.measure, drawing.scale)
    bounds = [[column.shown(low), column.shown(high)] for low, high in pairwise(edges.tolist())]
    return [
        {
            "group": groups.names[place // size],
            "bin": bounds[place % size],
            "value": value,
            "scale": drawing.scale,
            **_interval(reach, [value - reach.below, value + reach.above]),
        }
        for place, value in enumerate(drawing.counts(counts).tolist())
    ]


def _sum(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    column, drawing = declared.columns[part.item.column or ""], part.drawings[0]
    values, number = _values(table, groups, part.item.column)
    reach = whole_reach(declared.measure, drawing.scale)
    return [
        {
            "group": name,
            "value": column.shown(value),
            "scale": drawing.scale * float(column.unit),
            **_interval(reach, [column.shown(value - reach.below), column.shown(value + reach.above)]),
        }
        for name, value in zip(
            groups.names, drawing.counts(_totals(number, len(groups.names), values)).tolist(), strict=True
        )
    ]


def _mean(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    """A noisy sum of distances from the middle of the bounds, divided by a noisy count."""
    column = declared.columns[part.item.column or ""]
    low, high = column.limits
    values, number = _values(table, groups, part.item.column)
    size, middle, reach = len(groups.names), (low + high) / 2.0, float(high - low)
    # In half steps, so that the middle of the bounds is a whole number.
    counting, summing = part.drawings
    counts = counting.counts(_totals(number, size)).astype(np.float64)
    sums = summing.counts(_totals(number, size, 2 * values - (low + high)))
    ratio = sums / np.maximum(counts, 1.0)

    def allowed(value: Numbers) -> Numbers:
        return width(declared.measure, [summing.scale, np.abs(value) * counting.scale])

    ends = quotient_interval(ratio, counts, allowed, (-reach, reach))
    shown = [middle + each / 2.0 for each in (np.clip(ratio, -reach, reach), *ends)]
    scales = summing.scale * float(column.unit) / 2.0 / np.maximum(counts, 1.0)
    return [
        {"group": name, "value": column.shown(value), "scale": scale, "interval95": [column.shown(e) for e in found]}
        for name, scale, value, *found in zip(
            groups.names, scales.tolist(), *(each.tolist() for each in shown), strict=True
        )
    ]


def _variance(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    """A noisy sum of squares divided by a noisy count, minus the square of the mean, all from the middle of the
    bounds."""
    column = declared.columns[part.item.column or ""]
    (low, high), coarse, widest = column.limits, coarseness(column), coarse_limit(column)
    values, number = _values(table, groups, part.item.column)
    size, square = len(groups.names), (coarse * float(column.unit) / 2.0) ** 2
    away = np.clip(np.rint((2 * values - (low + high)) / coarse), -widest, widest).astype(np.int64)
    counting, summing, squaring = part.drawings
    counts = counting.counts(_totals(number, size)).astype(np.float64)
    means = summing.counts(_totals(number, size, away)) / np.maximum(counts, 1.0)
    squares = squaring.counts(_totals(number, size, away * away)) / np.maximum(counts, 1.0)
    means = np.clip(means, -widest, widest)
    raw, most = squares - means**2, float(widest * widest)

    def allowed(variance: Numbers) -> Numbers:
        # An error of the mean has only a second-order effect: the mean squared distance is smallest at the mean.
        shares = [2.0 * np.abs(means) * summing.scale, np.abs(means**2 - variance) * counting.scale]
        return width(declared.measure, [squaring.scale, *shares])

    ends = quotient_interval(raw, counts, allowed, (0.0, most))
    shown = [each * square for each in (np.clip(raw, 0.0, most), *ends)]
    scales = squaring.scale * square / np.maximum(counts, 1.0)
    return [
        {"group": name, "value": value, "scale": scale, "interval95": [low, high]}
        for name, scale, value, low, high in zip(
            groups.names, scales.tolist(), *(each.tolist() for each in shown), strict=True
        )
    ]


def _quantile(table: AskedTable, declared: Declarations, plan: Plan, part: Part, groups: Groups) -> list[Json]:
    """The candidate with the nearest rank, by a noisy maximum. Both ends of the interval are quantiles too, so far away
    that the noise of the choice passes the true value in 2.5 of 100 draws."""
    assert part.item.quantile is not None
    column, share = declared.columns[part.item.quantile.column], share_of(part.item.quantile)
    candidates = _candidates(column)
    values, number = _values(table, groups, part.item.column)
    cells = []
    # Sorted by group, so that the values of one group are contiguous.
    values = values[np.argsort(number, kind="stable")]
    ends_of = np.cumsum(_totals(number, len(groups.names)))
    for name, first, last in zip(groups.names, [0, *ends_of[:-1].tolist()], ends_of.tolist(), strict=True):
        mine = values[first:last]
        spots = np.searchsorted(candidates, mine, side="left")
        # A value between two candidates counts as above the lower one and below the upper one.
        exact = candidates[np.minimum(spots, len(candidates) - 1)] == mine
        at = np.bincount(spots[exact], minlength=len(candidates)).astype(np.int64)
        between = np.bincount(spots[~exact], minlength=len(candidates)).astype(np.int64)
        below = np.cumsum(at + between) - at
        wanted = share.numerator * len(mine)
        chosen = []
        for drawing, shift in zip(part.drawings, _shifts(part, share.denominator), strict=True):
            # The distance of the wanted rank from the ranks of the rows at the candidate: one row more or less changes
            # it by at most the larger side of the quantile.
            short = wanted + shift - share.denominator * (below + at)
            beyond = share.denominator * below - (wanted + shift)
            scores = -np.maximum(np.maximum(short, beyond), 0)
            past = _past_the_rows(wanted + shift, share.denominator * len(mine), drawing.scale, len(candidates), shift)
            place = drawing.choice(np.concatenate([scores, past]))
            bound = candidates[0] if shift < 0 else candidates[-1]
            chosen.append(int(candidates[place] if place < len(candidates) else bound))
        # If not every value is a candidate, the true one may lie next to the chosen ones.
        beside = int(candidates[1] - candidates[0]) - 1
        low, high = column.limits
        ends = max(low, min(chosen[1:]) - beside), min(high, max(chosen[1:]) + beside)
        shown = [column.shown(value) for value in (int(np.clip(chosen[0], *ends)), *ends)]
        cells.append({"group": name, "value": shown[0], "scale": rank_scale(part), "interval95": shown[1:]})
    return cells


def _shifts(part: Part, denominator: int) -> tuple[int, int, int]:
    """Return how far the requested rank is shifted for the value and for both ends, in the units of scores."""
    low, high = (round(TAIL * rank_scale(part, place) * denominator) for place in (1, 2))
    return 0, -low, high


def _past_the_rows(target: int, last: int, scale: float, count: int, shift: int) -> Rows:
    """Return scores of ranks before the first row or after the last, for the ends of an interval; choosing one of them
    means the bound. Without them a choice near the edge could only err inwards, and the interval would contain the
    truth too rarely.

    There are as many of them as candidates, and they reach twice as far as the shift of an end. So they are at least as
    dense as the candidates, if there are enough rows for a useful answer.
    """
    if shift == 0:
        return np.zeros(0, dtype=np.int64)
    ranks = np.arange(1, count + 1, dtype=np.int64) * max(1, round(2 * TAIL * scale / count))
    return -np.abs(target + ranks) if shift < 0 else -np.abs(last + ranks - target)


def _candidates(column: DeclaredColumn) -> Rows:
    low, high = column.limits
    every = max(1, -((low - high) // CANDIDATES))
    return distinct(np.append(np.arange(low, high + 1, every, dtype=np.int64), high))


_ANSWERS = {
    "count": _count,
    "sum": _sum,
    "mean": _mean,
    "variance": _variance,
    "quantile": _quantile,
    "histogram": _histogram,
}
