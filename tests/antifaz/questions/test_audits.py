"""Audits of questions: neighbors that differ by all rows of one person, and broken variants that must fail.

The course's tables are the example: five salaries, and a sixth of 110,000. Many groups of the same five people, in one
of two tables with the sixth, are as many draws of one answer: every group has its own noise and people.

The audits examine not only the answer but every number that was drawn for it, as the logarithm of how much likelier
the numbers are with the sixth person than without (the statistic of Neyman and Pearson, 1933). This reveals at
least as much about the person as the answer; an excess that it does not show cannot be seen at all.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from antifaz.noise import UNIT, Drawing, Measure, choosing, counting
from antifaz.questions.answers import answer
from antifaz.questions.columns import AskedTable, prepare
from antifaz.questions.declarations import Declarations
from antifaz.questions.plan import Plan, plan
from antifaz.questions.question import Question
from tests.antifaz.questions.conftest import SALARIES, Table, declared, question, raw
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
GROUPS = 1_000
FEW, MORE, WHOLE = 4_000, 20_000, 100_000
EPSILON = 1.0
EPSILONS = (0.3, 0.6, 1.0, 1.5)
FINENESS = 50.0
"""The number of parts of 1 to which the logarithms of odds are rounded."""
ROWS = 4
"""How many rows the person has by whom two tables differ; of these two count."""
TWINS = {"quantile": 0.2}
"""Which part of the noise a broken twin has: a choice among ranks loses half of what is said of choices in general, so
its twin must be worse to be found."""


def said(groups: int = GROUPS, **more: Any) -> Declarations:
    """Declarations of grouped salaries."""
    columns = {
        "salary": {"type": "decimal", "bounds": [0, 100_000], "step": 1000},
        "group": {"type": "text", "keys": [f"g{number}" for number in range(groups)]},
        "city": {"type": "text"},
    }
    return declared(**{"columns": columns, "privacy_unit": "who", "contributions": 2} | more)


@cache
def table(declarations: str, last: int | None, rows: int = ROWS, groups: int = GROUPS) -> AskedTable:
    """Groups of five people, each with a sixth of this salary in several rows, or without."""
    salaries = [*SALARIES, *([] if last is None else [last] * rows)]
    people = [*(f"p{number}" for number in range(len(SALARIES))), *([] if last is None else ["x"] * rows)]
    names = np.repeat([f"g{number}" for number in range(groups)], len(salaries))
    columns = {
        "salary": np.tile(salaries, groups),
        "group": names,
        "city": names,
        "who": [f"{person} of {name}" for person, name in zip(people * groups, names, strict=True)],
    }
    made = [raw(name, cells) for name, cells in columns.items()]
    return prepare(made, len(names), Declarations.model_validate_json(declarations), np.random.default_rng(3))


@dataclass
class Watched:
    """A draw that records its inputs and results."""

    drawing: Drawing
    given: list[NDArray[np.int64]] = field(default_factory=list)
    drawn: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def scale(self) -> float:
        return self.drawing.scale

    def counts(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        self.given.append(numbers)
        self.drawn.append(self.drawing.counts(numbers))
        return self.drawn[-1]

    def choice(self, scores: NDArray[np.int64]) -> int:
        self.given.append(scores)
        chosen = self.drawing.choice(scores)
        self.drawn.append(np.array([chosen]))
        return chosen


def narrowed(made: Plan, measure: Measure, share: float) -> Plan:
    """The same plan with noise of a share of the scale."""

    def narrow(kind: str, drawing: Drawing) -> Drawing:
        make = choosing if kind == "quantile" else counting
        return replace(drawing, measurement=make(measure, 1, drawing.scale * share).measurement)

    parts = [
        replace(part, drawings=tuple(narrow(part.item.kind, each) for each in part.drawings)) for part in made.parts
    ]
    return replace(made, parts=parts)


def log_odds(
    asked: Question, declarations: Declarations, made: Plan, tables: tuple[AskedTable, AskedTable], draws: int
) -> list[NDArray[np.int64]]:
    """For draws on each of two tables, how much likelier the first table makes them than the second."""
    [part] = made.parts
    watched = [[Watched(drawing) for drawing in part.drawings] for _ in tables]
    for one, drawings in zip(tables, watched, strict=True):
        watching = replace(made, parts=[replace(part, drawings=tuple(drawings))])  # type: ignore[arg-type]
        for _ in range(draws // GROUPS):
            answer(one, asked, declarations, watching)
    return [np.rint(FINENESS * _likelier(side, watched, declarations.measure)).astype(np.int64) for side in (0, 1)]


def _likelier(side: int, watched: list[list[Watched]], measure: Measure) -> NDArray[np.float64]:
    total: NDArray[np.float64] | float = 0.0
    for with_person, without in zip(*watched, strict=True):
        drawn = (with_person, without)[side].drawn
        # Groups differ in which rows of a person were chosen, not in what these rows are.
        first, second = (np.concatenate(each.given[: len(drawn)]) for each in (with_person, without))
        found = np.concatenate(drawn)
        if len(found) < len(first):
            scores = [each.reshape(len(found), -1) for each in (first, second)]
            places = np.arange(len(found))
            more = (scores[0][places, found] - scores[1][places, found]) / with_person.scale
        elif measure == "pure":
            more = (np.abs(found - second) - np.abs(found - first)) / with_person.scale
        else:
            more = ((found - second) ** 2 - (found - first) ** 2) / (2.0 * with_person.scale**2)
        total = total + more
    assert isinstance(total, np.ndarray)
    return total


def judged(kind: str, draws: int, share: float | None = None, last: int = 110_000, **loose: Any) -> float:
    """The worst certain excess of either order of two neighbors; perhaps of a twin: with a share of the noise, or of
    declarations that are looser than the noise is for."""
    bounded = said()
    used = said(**loose) if loose else bounded
    asked = question(KINDS[kind], group_by=["group"])
    made = plan(asked, bounded)
    if share is not None:
        made = narrowed(made, "pure", share)
    tables = table(used.model_dump_json(), last), table(used.model_dump_json(), None)
    first, second = log_odds(asked, used, made, tables, draws)
    return max(excess(first, second, EPSILON), excess(-second, -first, EPSILON))


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_tells_more_of_one_person_than_its_epsilon(kind: str) -> None:
    assert judged(kind, GROUPS if kind == "quantile" else FEW) <= 0


@pytest.mark.parametrize("kind", ["count", "sum", "histogram"])
def test_half_of_the_noise_is_noticed(kind: str) -> None:
    assert judged(kind, FEW, share=0.5) > 0


def test_an_answer_without_bounded_contributions_is_noticed() -> None:
    """The person's four rows all count, but the noise is for two."""
    assert judged("count", FEW, contributions=ROWS) > 0


def test_an_answer_without_clamping_is_noticed() -> None:
    """Values up to 400,000 count unchanged, but the noise is for values up to 100,000."""
    wide = {"salary": {"type": "decimal", "bounds": [0, 400_000], "step": 1000}}
    columns = {**said().model_dump(exclude_none=True)["columns"], **wide}
    assert judged("sum", FEW, last=400_000, columns=columns) > 0


def test_the_means_of_the_courses_tables_cannot_be_told_apart() -> None:
    """One row a person: the means are 61,400 and 67,833 with the sixth at its bound, and 69,500 without bounds. Looked
    at is the answer itself, as the analyst gets it."""
    plain = declared()
    tables = Table(plain, salary=[*SALARIES, 110_000]), Table(plain, salary=SALARIES)
    exact = [each.value({"mean": "salary"}) for each in tables]
    assert [round(float(mean)) for mean in exact] == [67_833, 61_400]
    alone = said(privacy_unit=None, contributions=1)
    asked = question({"mean": "salary"}, group_by=["group"])
    shown = [
        answer(table(alone.model_dump_json(), last, 1), asked, alone, plan(asked, alone)) for last in (110_000, None)
    ]
    means = [np.array([round(cell["value"] / 2_000) for cell in each[0]["cells"]]) for each in shown]
    assert max(excess(means[0], means[1], EPSILON), excess(means[1], means[0], EPSILON)) <= 0
    wide = declared(columns={"salary": {"type": "decimal", "bounds": [0, 200_000], "step": 1000}})
    assert round(float(Table(wide, salary=[*SALARIES, 110_000]).value({"mean": "salary"}))) == 69_500


@pytest.mark.parametrize("kind", ["count", "mean"])
def test_gaussian_answers_lose_what_their_profile_says(kind: str) -> None:
    assert gaussian_excess(kind, FEW) <= 0


@pytest.mark.parametrize(
    ("measure", "draws"), [("pure", FEW), *(pytest.param(m, WHOLE, marks=pytest.mark.long) for m in ("pure", "zcdp"))]
)
def test_a_key_of_one_person_shows_no_more_often_than_delta_and_with_a_lower_threshold_it_does(
    measure: Measure, draws: int
) -> None:
    """Every group is a key that one person has, in two rows. Power: keys show with the chance 0.005, and 0.1 with the
    threshold of the twin, where 0.01 is allowed: no request may state a delta that large."""
    bounded = said(measure=measure)
    asked = question(COUNT, group_by=["city"], keys="threshold", delta=1e-9).model_copy(update={"delta": 0.01})
    made = plan(asked, bounded)
    assert made.keys is not None
    people = [f"x{number}" for number in range(GROUPS) for _ in range(ROWS)]
    columns = {"salary": [0] * len(people), "group": ["g0"] * len(people), "city": people, "who": people}
    alone = Table(bounded, **columns).prepared
    lower = replace(made.keys, measurement=_threshold(made, measure, made.keys.threshold - 6))
    for keys, broken in ((made.keys, False), (lower, True)):
        chosen = replace(made, keys=keys)
        calls = draws // GROUPS
        shown = sum(len(answer(alone, asked, bounded, chosen)[0]["cells"]) for _ in range(calls))
        # More than delta; chance exceeds it in one of 10^11 audits.
        assert (stats.binom.sf(shown - 1, calls * GROUPS, 0.01) < 1e-11) == broken


def _threshold(made: Plan, measure: Measure, threshold: int) -> Any:
    from antifaz.noise import _keys

    assert made.keys is not None
    return _keys(measure, 2, made.keys.scale, threshold).measurement


def gaussian_excess(kind: str, draws: int, share: float | None = None) -> float:
    """By how much draws with Gaussian noise exceed the profile of a Gaussian of the whole rho, at several epsilons."""
    bounded = said(measure="zcdp")
    asked = question(KINDS[kind], group_by=["group"])
    made = plan(asked, bounded)
    distance = np.sqrt(2.0 * sum(part.units for part in made.parts) / UNIT)
    if share is not None:
        made = narrowed(made, "zcdp", share)
    tables = table(bounded.model_dump_json(), 110_000), table(bounded.model_dump_json(), None)
    first, second = log_odds(asked, bounded, made, tables, draws)
    return max(
        excess(*pair, at) - gaussian_delta(1.0, distance, at) - 1e-6
        for at in EPSILONS
        for pair in ((first, second), (-second, -first))
    )


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_tells_more_of_one_person_in_many_draws_and_its_twin_does(kind: str) -> None:
    assert judged(kind, WHOLE) <= 0
    assert judged(kind, WHOLE, share=TWINS.get(kind, 0.7)) > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "quantile"])
def test_gaussian_answers_keep_their_profile_in_many_draws_and_their_twins_do_not(kind: str) -> None:
    assert gaussian_excess(kind, WHOLE) <= 0
    assert gaussian_excess(kind, WHOLE, share=0.7) > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["count", "sum"])
def test_right_answers_pass_twenty_audits_of_twenty_and_broken_ones_fail_as_many(kind: str) -> None:
    assert [judged(kind, MORE) <= 0 for _ in range(20)] == [True] * 20
    assert [judged(kind, MORE, share=0.7) > 0 for _ in range(20)] == [True] * 20
