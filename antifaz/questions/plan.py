"""The plan of a question: which noise each of its parts gets, made without looking at the data.

A question's cost is shared out evenly among what it selects, and within that among the numbers that it takes: a mean a
sum and a count, a variance squares as well, a quantile itself and both ends of its interval. The scale of each noise is
accepted only if OpenDP's measurement says itself that it loses no more than its share.

Groups share one measurement. A person's rows are in at most as many groups as rows of one person count, so all groups
together change by as much as one group could: counts and sums in sum, and choices by scores that change in sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from antifaz.noise import UNIT, Drawing, KeyDrawing, choosing_within, counting_within, keys_within
from antifaz.questions.declarations import Declarations, DeclaredColumn, Measure
from antifaz.questions.intervals import whole_reach, width
from antifaz.questions.question import Question, Selected, share_of

UNITS = {"pure": 10**6, "zcdp": 10**9}
"""Units of an account in an epsilon or a rho of 1."""
DELTA_UNITS = 10**15
FINEST = 2**12
"""Values are squared in at most this many steps of half their range, so that sums of squares stay whole numbers."""
CANDIDATES = 4_000
"""The most values among which a quantile is chosen."""
TAIL = 2.995732273553991
"""-ln(0.05): how many scales an end of a quantile's interval is asked for beyond the quantile, in rows."""


@dataclass(frozen=True)
class Price:
    """What a question costs an account, in its whole units."""

    units: int
    delta: int

    def shown(self, measure: Measure) -> dict[str, float]:
        """The price as answers state it."""
        name = "epsilon" if measure == "pure" else "rho"
        return {name: self.units / UNITS[measure], "delta": self.delta / DELTA_UNITS}


@dataclass(frozen=True)
class Part:
    """One selected thing, with the noises that it gets."""

    item: Selected
    drawings: tuple[Drawing, ...]
    units: int
    """What it costs, in units of noise."""


@dataclass(frozen=True)
class Plan:
    """All noise of a question."""

    parts: Sequence[Part]
    keys: KeyDrawing | None
    """How keys are found, if they are thresholded; counts come with them."""


def price_of(question: Question, measure: Measure) -> Price:
    """What a question costs; rounded up."""
    delta = int((Decimal(str(question.delta or 0)) * DELTA_UNITS).to_integral_value(ROUND_CEILING))
    if question.epsilon is None:
        return Price(_rounded_up(Decimal(str(question.rho)), measure), delta)
    epsilon = Decimal(str(question.epsilon))
    # Pure differential privacy is concentrated as well, at half of the square (Bun and Steinke, TCC 2016).
    return Price(_rounded_up(epsilon if measure == "pure" else epsilon * epsilon / 2, measure), delta)


def _rounded_up(loss: Decimal, measure: Measure) -> int:
    return int((loss * UNITS[measure]).to_integral_value(ROUND_CEILING))


def plan(question: Question, declared: Declarations) -> Plan:
    """The noise of every part; `ValueError` where the cost is too small for any."""
    whole = price_of(question, declared.measure).units * (UNIT // UNITS[declared.measure])
    thresholded = question.keys == "threshold"
    paid = [item for item in question.select if not (thresholded and item.kind == "count")]
    share = whole // (len(paid) + thresholded)
    parts = [
        Part(item, (), 0) if thresholded and item.kind == "count" else _part(item, declared, share)
        for item in question.select
    ]
    if not thresholded:
        return Plan(parts, None)
    keys = keys_within(declared.measure, declared.contributions, share, question.delta or 0.0)
    return Plan(parts, keys)


def _part(item: Selected, declared: Declarations, share: int) -> Part:
    measure, rows = declared.measure, declared.contributions

    def counting(change: int, parts: int) -> Drawing:
        return counting_within(measure, rows * change, share // parts)

    if item.kind in ("count", "histogram"):
        drawings: tuple[Drawing, ...] = (counting(1, 1),)
    else:
        column = declared.columns[item.column or ""]
        low, high = column.limits
        if item.kind == "sum":
            drawings = (counting(max(abs(low), abs(high)), 1),)
        elif item.kind == "mean":
            drawings = (counting(1, 2), counting(high - low, 2))
        elif item.kind == "variance":
            widest = coarse_limit(column)
            drawings = (counting(1, 3), counting(widest, 3), counting(widest * widest, 3))
        else:
            change = rows * _largest_change(item)
            halves = [choosing_within(measure, change, share // parts) for parts in (2, 4, 4)]
            drawings = tuple(halves)
    return Part(item, drawings, sum(drawing.units for drawing in drawings))


def _largest_change(item: Selected) -> int:
    """By how much one row changes the score of a candidate: the larger side of the quantile, in whole numbers."""
    assert item.quantile is not None
    share = share_of(item.quantile)
    return max(share.numerator, share.denominator - share.numerator)


def coarseness(column: DeclaredColumn) -> int:
    """How many half steps are one when values are squared."""
    low, high = column.limits
    return max(1, -((low - high) // FINEST))


def coarse_limit(column: DeclaredColumn) -> int:
    """How far from the middle of its bounds a value can be, in coarse steps."""
    low, high = column.limits
    return round((high - low) / coarseness(column))


def expected(question: Question, declared: Declarations, rows: int | None = None) -> list[dict[str, Any]]:
    """For everything selected: the scale of its noise, and how far an answer is from the truth in at most 5 of 100
    draws. Means, variances and quantiles depend on how many rows there are, which has to be assumed."""
    made = plan(question, declared)
    found = []
    for part in made.parts:
        scale, away, unit = _expected(part, made, declared, rows)
        stated = part.item.model_dump(exclude_none=True)
        found.append({"select": stated, "scale": scale, "plus_minus": away, "unit": unit})
    return found


def _expected(part: Part, made: Plan, declared: Declarations, rows: int | None) -> tuple[float, float | None, str]:
    measure, kind = declared.measure, part.item.kind
    if kind in ("count", "histogram"):
        scale = made.keys.scale if made.keys is not None and kind == "count" else part.drawings[0].scale
        return scale, float(whole_reach(measure, scale).above), "rows"
    column = declared.columns[part.item.column or ""]
    unit = float(column.unit)
    if kind == "sum":
        return part.drawings[0].scale * unit, whole_reach(measure, part.drawings[0].scale).above * unit, "value"
    if kind == "quantile":
        scale = rank_scale(part)
        return scale, None if rows is None else min(1.0, TAIL * scale / rows), "share of rows"
    low, high = column.limits
    if kind == "mean":
        counts, sums = (drawing.scale for drawing in part.drawings)
        away = (
            None
            if rows is None
            else min((high - low) * unit, float(width(measure, [sums, counts * (high - low)])) / rows * unit / 2)
        )
        return sums * unit / 2, away, "value"
    counts, sums, squares = (drawing.scale for drawing in part.drawings)
    widest, square = coarse_limit(column), (coarseness(column) * unit / 2) ** 2
    worst = float(width(measure, [squares, 2.0 * widest * sums, 1.0 * widest * widest * counts]))
    return squares * square, None if rows is None else min(widest**2 * square, worst / rows * square), "value squared"


def rank_scale(part: Part, place: int = 0) -> float:
    """By how many rows a chosen quantile misses its rank, as the scale of that distance."""
    assert part.item.quantile is not None
    return part.drawings[place].scale / share_of(part.item.quantile).denominator
