"""Audits of questions: neighbors that differ by all rows of one person, and twins that are broken and must fail.

The course's tables are the example: five salaries, and a sixth of 110,000.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antifaz.noise import Drawing, choosing, counting
from antifaz.questions.answers import answer
from antifaz.questions.declarations import Declarations
from antifaz.questions.plan import Plan, plan
from antifaz.questions.question import Question
from tests.antifaz.questions.conftest import SALARIES, Table, declared, question
from tests.audit import excess, gaussian_delta

COUNT: dict[str, Any] = {"count": {}}
KINDS: dict[str, dict[str, Any]] = {
    "count": COUNT,
    "sum": {"sum": "salary"},
    "mean": {"mean": "salary"},
    "variance": {"variance": "salary"},
    "quantile": {"quantile": {"column": "salary", "at": 0.5}},
    "histogram": {"histogram": {"column": "salary", "edges": [90_000, 100_000]}},
}
DRAWS = 6_000
SLOW = {"mean": 1_000, "variance": 1_000, "quantile": 2_000}
"""Draws of answers that take many times as long as a count."""
WHOLE = 100_000
EPSILON = 1.0
ROWS = 4
"""How many rows the person has by whom two tables differ; of these two count."""


def neighbors(declarations: Declarations, last: int = 110_000) -> tuple[Table, Table]:
    """The tables with and without one person, who has several rows."""
    people = [f"p{number}" for number in range(len(SALARIES))]
    without = Table(declarations, salary=SALARIES, who=people)
    return Table(declarations, salary=[*SALARIES, *[last] * ROWS], who=[*people, *["x"] * ROWS]), without


def narrowed(made: Plan, share: float) -> Plan:
    """The same plan with noise of a share of the scale."""

    def narrow(kind: str, drawing: Drawing, measure: str) -> Drawing:
        make = choosing if kind == "quantile" else counting
        return replace(drawing, measurement=make(measure, 1, drawing.scale * share).measurement)  # type: ignore[arg-type]

    parts = [
        replace(part, drawings=tuple(narrow(part.item.kind, each, "pure") for each in part.drawings))
        for part in made.parts
    ]
    return replace(made, parts=parts)


def judged(
    asked: Question, declarations: Declarations, tables: tuple[Table, Table], draws: int, change: Callable[[Plan], Plan]
) -> float:
    """The worst certain excess of either order of two neighbors."""
    made = change(plan(asked, declarations))
    pairs = [
        np.array([answer(table.prepared, asked, declarations, made, rng)[0]["cells"][0]["value"] for _ in range(draws)])
        for table, rng in zip(tables, (np.random.default_rng(3), np.random.default_rng(4)), strict=True)
    ]
    together = np.concatenate(pairs).astype(np.float64)
    step = max(1e-9, float(np.quantile(together, 0.99) - np.quantile(together, 0.01)) / 60.0)
    step = max(1.0, step) if np.all(together == np.rint(together)) else step
    first, second = (np.rint(each / step).astype(np.int64) for each in pairs)
    return max(excess(first, second, EPSILON), excess(second, first, EPSILON))


def as_it_is(made: Plan) -> Plan:
    return made


BOUNDED = declared(privacy_unit="who", contributions=2)


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_tells_more_of_one_person_than_its_epsilon(kind: str) -> None:
    assert judged(question(KINDS[kind]), BOUNDED, neighbors(BOUNDED), SLOW.get(kind, DRAWS), as_it_is) <= 0


@pytest.mark.parametrize("kind", ["count", "sum", "histogram"])
def test_half_of_the_noise_is_noticed(kind: str) -> None:
    assert judged(question(KINDS[kind]), BOUNDED, neighbors(BOUNDED), DRAWS, lambda made: narrowed(made, 0.5)) > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["count", "sum", "histogram"])
def test_noise_of_seven_tenths_of_the_scale_is_noticed(kind: str) -> None:
    assert judged(question(KINDS[kind]), BOUNDED, neighbors(BOUNDED), 3 * DRAWS, lambda made: narrowed(made, 0.7)) > 0


def test_an_answer_without_bounded_contributions_is_noticed() -> None:
    """The person's four rows all count, where the noise is that of two."""
    loose = declared(privacy_unit="who", contributions=ROWS)
    made = plan(question(COUNT), BOUNDED)
    assert judged(question(COUNT), loose, neighbors(loose), DRAWS, lambda _: made) > 0


def test_an_answer_without_clamping_is_noticed() -> None:
    """Values up to 400,000 count as they are, where the noise is that of values up to 100,000."""
    wide = {"salary": {"type": "decimal", "bounds": [0, 400_000], "step": 1000}}
    loose = declared(columns=wide, privacy_unit="who", contributions=2)
    made = plan(question({"sum": "salary"}), BOUNDED)
    assert judged(question({"sum": "salary"}), loose, neighbors(loose, 400_000), DRAWS, lambda _: made) > 0


def test_the_means_of_the_courses_tables_cannot_be_told_apart() -> None:
    """One row a person: the means are 61,400 and 67,833 with the sixth at its bound."""
    plain = declared()
    tables = Table(plain, salary=[*SALARIES, 110_000]), Table(plain, salary=SALARIES)
    assert judged(question({"mean": "salary"}), plain, tables, SLOW["mean"], as_it_is) <= 0
    exact = [table.value({"mean": "salary"}) for table in tables]
    assert [round(float(mean)) for mean in exact] == [67_833, 61_400]


def test_gaussian_answers_lose_what_their_profile_says() -> None:
    concentrated = declared(measure="zcdp", privacy_unit="who", contributions=2)
    asked, rng = question(COUNT, epsilon=1), np.random.default_rng(5)
    made = plan(asked, concentrated)
    scale = made.parts[0].drawings[0].scale
    draws = [
        np.array([answer(t.prepared, asked, concentrated, made, rng)[0]["cells"][0]["value"] for _ in range(DRAWS)])
        for t in neighbors(concentrated)
    ]
    for epsilon in (0.5, 1.0):
        assert excess(draws[0], draws[1], epsilon) <= gaussian_delta(scale, 2.0, epsilon)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_tells_more_of_one_person_in_many_draws(kind: str) -> None:
    assert judged(question(KINDS[kind]), BOUNDED, neighbors(BOUNDED), WHOLE, as_it_is) <= 0
