"""The plan of a question: the noise of each of its parts, chosen without reading the data.

A question's cost is divided evenly among the selected items, and for each item among the numbers that it needs: a sum
and a count for a mean, also squares for a variance, the value and both ends of its interval for a quantile. A noise
scale is accepted only if OpenDP's measurement states a loss of at most its share.

Groups share one measurement. At most `contributions` rows of a person count, whatever their groups, so all groups
together change by at most as much as one group could: the changes of counts, sums and scores add up over the groups.
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
"""Units of an account per epsilon or rho of 1."""
DELTA_UNITS = 10**15
FINEST = 2**12
"""Largest number of steps of half the range when values are squared, so that sums of squares stay whole numbers."""
CANDIDATES = 4_000
"""Largest number of candidates for a quantile."""
TAIL = 2.995732273553991
"""-ln(0.05): distance of the rank of an interval's end from the quantile's rank, in noise scales."""


@dataclass(frozen=True)
class Price:
    """The cost of a question, in whole units of the account."""

    units: int
    delta: int

    def shown(self, measure: Measure) -> dict[str, float]:
        """The price as answers state it."""
        name = "epsilon" if measure == "pure" else "rho"
        return {name: self.units / UNITS[measure], "delta": self.delta / DELTA_UNITS}


@dataclass(frozen=True)
class Part:
    """One selected item, with its noises."""

    item: Selected
    drawings: tuple[Drawing, ...]
    units: int
    """Its cost, in units of noise."""


@dataclass(frozen=True)
class Plan:
    """All noise of a question."""

    parts: Sequence[Part]
    keys: KeyDrawing | None
    """How keys are found, if they are thresholded; counts come with them."""


def price_of(question: Question, measure: Measure) -> Price:
    """Return the cost of a question, rounded up."""
    delta = int((Decimal(str(question.delta or 0)) * DELTA_UNITS).to_integral_value(ROUND_CEILING))
    if question.epsilon is None:
        return Price(_rounded_up(Decimal(str(question.rho)), measure), delta)
    epsilon = Decimal(str(question.epsilon))
    # Pure epsilon differential privacy implies zCDP with rho = epsilon² / 2 (Bun and Steinke, TCC 2016).
    return Price(_rounded_up(epsilon if measure == "pure" else epsilon * epsilon / 2, measure), delta)


def _rounded_up(loss: Decimal, measure: Measure) -> int:
    return int((loss * UNITS[measure]).to_integral_value(ROUND_CEILING))


def plan(question: Question, declared: Declarations) -> Plan:
    """Return the noise of every part; raise `ValueError` if the cost is too small for any noise."""
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
    """Return how much one row can change the score of a candidate: the larger side of the quantile, in whole
    numbers."""
    assert item.quantile is not None
    share = share_of(item.quantile)
    return max(share.numerator, share.denominator - share.numerator)


def coarseness(column: DeclaredColumn) -> int:
    """Return the number of half steps in one coarse step, used when values are squared."""
    low, high = column.limits
    return max(1, -((low - high) // FINEST))


def coarse_limit(column: DeclaredColumn) -> int:
    """Return the largest distance of a value from the middle of its bounds, in coarse steps."""
    low, high = column.limits
    return round((high - low) / coarseness(column))


def expected(question: Question, declared: Declarations, rows: int | None = None) -> list[dict[str, Any]]:
    """Return the noise scale of every selected item, and the distance from the truth that is exceeded in at most 5 of
    100 draws. For means, variances and quantiles it depends on the number of rows, which must be assumed."""
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
    """Return the scale of the distance, in rows, between a chosen quantile and its rank."""
    assert part.item.quantile is not None
    return part.drawings[place].scale / share_of(part.item.quantile).denominator
