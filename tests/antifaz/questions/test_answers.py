"""Answers: correct without noise, bounded by the declarations, and with the stated noise."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.questions.declarations import MOST_DELTA, most_delta
from antifaz.questions.plan import expected, plan, price_of
from tests.antifaz.questions.conftest import SALARIES, Table, declared, question

COUNT: dict[str, Any] = {"count": {}}
AGES = [20, 30, 30, 40, 50, 60, 70, 80, 90, 100]
SEXES = ["M", "F"] * 5


@pytest.fixture
def people() -> Table:
    return Table(declared(), age=AGES, sex=SEXES, salary=[1000 * n for n in range(10)])


def test_without_noise_the_answers_are_those_of_the_table(people: Table) -> None:
    assert people.value(COUNT) == 10
    assert people.value({"sum": "age"}) == sum(AGES)
    assert people.value({"mean": "age"}) == pytest.approx(np.mean(AGES), abs=0.01)
    assert people.value({"variance": "age"}) == pytest.approx(np.var(AGES), abs=0.5)
    assert people.value({"quantile": {"column": "age", "at": 0.25}}) == 30
    assert people.value({"quantile": {"column": "age", "at": 0.75}}) == 80
    assert people.value({"sum": "salary"}) == 45_000.0


def test_conditions_groups_and_bins_choose_the_rows(people: Table) -> None:
    assert people.value(COUNT, where=[{"column": "age", "op": "ge", "value": 50}]) == 6
    assert people.value(COUNT, where=[{"column": "sex", "op": "eq", "value": "m"}]) == 5
    assert people.value(COUNT, where=[{"column": "age", "op": "in", "value": [30, 90]}]) == 3
    assert people.value(COUNT, where=[{"column": "age", "op": "ne", "value": 30}]) == 8
    [grouped] = people.ask(question({"sum": "age"}, group_by=["sex"], epsilon=1e6))
    assert [(cell["group"], cell["value"]) for cell in grouped["cells"]] == [({"sex": "M"}, 260), ({"sex": "F"}, 310)]
    [binned] = people.ask(question({"histogram": {"column": "age", "edges": [20, 50, 100]}}, epsilon=1e6))
    assert [(cell["bin"], cell["value"]) for cell in binned["cells"]] == [([20, 50], 4), ([50, 100], 6)]


def test_cells_that_are_no_values_count_as_missing() -> None:
    table = Table(declared(), age=["20", "", "many", "40"], sex=["M", "X", "F", "M"], born=["2000-01-31", "x", "", "1"])
    assert table.value({"sum": "age"}) == 60
    assert table.value({"mean": "age"}) == pytest.approx(30, abs=0.01)
    assert table.value(COUNT, where=[{"column": "age", "op": "ne", "value": 20}]) == 1
    [grouped] = table.ask(question(COUNT, group_by=["sex"], epsilon=1e6))
    assert [cell["value"] for cell in grouped["cells"]] == [2, 1]
    assert table.value({"quantile": {"column": "born", "at": 0.5}}) == "2000-01-31"


@pytest.mark.parametrize("kind", ["sum", "mean", "variance"])
def test_a_value_beyond_its_bounds_cannot_move_an_answer_more_than_the_bound(kind: str) -> None:
    far, bound = (Table(declared(), salary=[*SALARIES, last]) for last in (9_999_991_999, 100_000))
    assert far.value({kind: "salary"}) == bound.value({kind: "salary"})


def test_of_one_person_no_more_rows_count_than_are_declared() -> None:
    one = declared(privacy_unit="who", contributions=3)
    table = Table(one, age=[50] * 1000 + [40] * 5, who=["a"] * 1000 + list("bcdef"))
    assert table.value(COUNT) == 8
    assert table.value({"sum": "age"}) == 350
    assert table.value(COUNT, where=[{"column": "age", "op": "eq", "value": 50}]) == 3


def chosen_rows(table: Table, **more: Any) -> list[int]:
    """Which rows count, of a table whose ages are the numbers of its rows."""
    asked = {"histogram": {"column": "age", "edges": list(range(table.prepared.n + 2))}}
    [binned] = table.ask(question(asked, epsilon=1e6, **more))
    found = [cell["value"] for cell in binned["cells"]]
    assert set(found) <= {0, 1}
    return [row for row, count in enumerate(found) if count]


@given(
    people=st.lists(st.tuples(st.sampled_from(["a", "A ", "b", "c", "", "d"]), st.sampled_from("MF")), max_size=60),
    contributions=st.integers(1, 7),
    only_men=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_the_rows_that_count_are_those_that_looking_at_each_person_would_choose(
    people: list[tuple[str, str]], contributions: int, only_men: bool, seed: int
) -> None:
    said = declared(privacy_unit="who", contributions=contributions)
    columns = {"age": list(range(len(people))), "who": [who for who, _ in people], "sex": [sex for _, sex in people]}
    table = Table(said, seed, **columns)
    where = [{"column": "sex", "op": "eq", "value": "M"}] if only_men else []
    meets = {row: who.strip().lower() for row, (who, sex) in enumerate(people) if sex == "M" or not only_men}
    rows = chosen_rows(table, where=where)
    expected_counts = {who: min(count, contributions) for who, count in Counter(meets.values()).items()}
    assert Counter(meets[row] for row in rows) == expected_counts
    assert table.value(COUNT, where=where) == sum(expected_counts.values())
    assert table.value({"sum": "age"}, where=where) == sum(rows)


def test_any_row_of_a_person_may_be_among_those_that_count() -> None:
    said = declared(privacy_unit="who", contributions=2)
    found = Counter(
        tuple(chosen_rows(Table(said, seed, age=list(range(6)), who=["a"] * 5 + ["b"]))) for seed in range(200)
    )
    # All ten pairs of five rows, and the only row of another person always; with these seeds no pair is rare.
    assert len(found) == 10
    assert all(rows[-1] == 5 for rows in found)
    assert min(found.values()) > 9


def test_of_a_table_without_the_column_of_people_all_rows_are_one_persons() -> None:
    table = Table(declared(privacy_unit="who", contributions=2), age=[1] * 6)
    assert table.value(COUNT) == 2


def test_rows_without_a_person_are_one_persons() -> None:
    table = Table(declared(privacy_unit="who", contributions=2), age=[1] * 6, who=["", "", "", "", "a", "A "])
    assert table.value(COUNT) == 4


def test_keys_that_nobody_declared_show_only_if_many_people_have_them() -> None:
    table = Table(declared(), city=["Vic"] * 500 + ["Olot"] * 400 + ["Rupit"] * 2, age=[30] * 902)
    select = [COUNT, {"mean": "age"}]
    counted, mean = table.ask(question(select, group_by=["city"], keys="threshold", delta=1e-13))
    assert [cell["group"]["city"] for cell in counted["cells"]] == ["Olot", "Vic"]
    assert [cell["group"]["city"] for cell in mean["cells"]] == ["Olot", "Vic"]
    assert mean["cells"][0]["value"] == pytest.approx(30, abs=30)


def test_names_of_single_people_do_not_show_at_the_largest_delta_that_may_be_asked() -> None:
    """With a delta of 0.01, two or three of 240 names showed in every answer. At 10^-5, five of them would in one of
    10^15 tests."""
    names = [f"Person {number} of Vic" for number in range(240)]
    table = Table(declared(delta=MOST_DELTA), city=names, age=[30] * 240)
    asked = question(COUNT, group_by=["city"], keys="threshold", delta=MOST_DELTA, epsilon=10)
    assert len(table.ask(asked)[0]["cells"]) < 5
    for delta in (0.01, 1.1 * MOST_DELTA):
        with pytest.raises(ValidationError):
            question(COUNT, group_by=["city"], keys="threshold", delta=delta)
        with pytest.raises(ValidationError):
            declared(delta=delta)


@pytest.mark.parametrize(
    ("rows", "limit"), [(0, 1e-5), (1_000, 1e-5), (1_001, 1e-6), (10_000, 1e-6), (1_000_000, 1e-8), (1_000_001, 1e-9)]
)
def test_a_delta_is_a_hundred_times_below_one_by_the_rows(rows: int, limit: float) -> None:
    assert most_delta(rows) == limit
    assert limit * rows <= 0.0101


@given(
    rows=st.lists(st.tuples(*[st.sampled_from(["", "Vic", "Olot", "Rupit"])] * 2, st.sampled_from("MFX")), max_size=50)
)
def test_keys_of_several_columns_are_counted_as_by_hand(rows: list[tuple[str, str, str]]) -> None:
    columns = {"city": {"type": "text"}, "town": {"type": "text"}, "sex": {"type": "text", "keys": ["M", "F"]}}
    said = declared(columns=columns)
    table = Table(said, **{name: [row[place] for row in rows] for place, name in enumerate(columns)})
    asked = question(COUNT, group_by=list(columns), keys="threshold", delta=1e-6, epsilon=1e6)
    keys = plan(asked, said).keys
    assert keys is not None
    counts = Counter(row for row in rows if "" not in row and row[2] != "X")
    [counted] = table.ask(asked)
    found = {tuple(cell["group"][name] for name in columns): cell["value"] for cell in counted["cells"]}
    assert found == {key: count for key, count in counts.items() if count >= keys.threshold}
    assert list(found) == sorted(found)


def test_an_empty_table_is_answered_like_any_other() -> None:
    table = Table(declared(), age=[""], sex=[""])
    for select in (COUNT, {"mean": "age"}, {"variance": "age"}, {"quantile": {"column": "age", "at": 0.5}}):
        cell = table.ask(question(select, where=[{"column": "sex", "op": "eq", "value": "M"}]))[0]["cells"][0]
        assert cell["interval95"][0] <= cell["value"] <= cell["interval95"][1]
    found = table.ask(question(COUNT, group_by=["sex"], keys="threshold", delta=1e-7))
    assert found == [{"select": COUNT, "cells": []}]


@pytest.mark.parametrize("measure", ["pure", "zcdp"])
def test_the_parts_of_a_plan_never_cost_more_than_the_question(measure: str) -> None:
    declarations = declared(measure=measure, privacy_unit="who", contributions=3)
    select = [
        COUNT,
        {"sum": "age"},
        {"mean": "age"},
        {"variance": "salary"},
        {"quantile": {"column": "age", "at": 0.9}},
    ]
    asked = question([*select, {"histogram": {"column": "age", "edges": [0, 50, 120]}}], epsilon=0.3)
    made = plan(asked, declarations)
    # By the maps of OpenDP's own measurements, at the sensitivities of three rows.
    unit = {"pure": 10**6, "zcdp": 10**3}[measure]
    assert sum(part.units for part in made.parts) <= price_of(asked, declarations.measure).units * unit
    changes = {"count": 1, "sum": 120, "histogram": 1}
    for part in made.parts:
        if part.item.kind in changes:
            change = 3 * changes[part.item.kind]
            loss = part.drawings[0].measurement.map(change if measure == "pure" else float(change))
            assert loss * 10**12 <= part.units


def test_pure_losses_cost_half_of_their_square_on_a_concentrated_account() -> None:
    asked = question(COUNT, epsilon=0.1)
    assert (price_of(asked, "pure").units, price_of(asked, "zcdp").units) == (100_000, 5_000_000)
    assert price_of(question(COUNT, epsilon=1e-7), "pure").units == 1


def test_what_accuracy_states_is_what_the_answer_has(people: Table) -> None:
    select = [COUNT, {"sum": "age"}, {"histogram": {"column": "age", "edges": [0, 120]}}]
    stated = expected(question(select), people.declared)
    for told, answered in zip(stated, people.ask(question(select)), strict=True):
        cell = answered["cells"][0]
        low, high = cell["interval95"]
        assert cell["scale"] == told["scale"]
        assert 2 * told["plus_minus"] - 1 <= high - low <= 2 * told["plus_minus"]
    rows = expected(question([{"mean": "age"}, {"quantile": {"column": "age", "at": 0.5}}]), people.declared, 10_000)
    assert all(0 < each["plus_minus"] < 1 for each in rows)
    assert [each["plus_minus"] for each in expected(question({"mean": "age"}), people.declared)] == [None]


def test_every_answer_is_drawn_again(salaries: Table) -> None:
    assert len(set(salaries.draws(question(COUNT, epsilon=0.01), 50))) > 10


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge", "in"])
@pytest.mark.parametrize("value", [-(10**15), -1, 0, 121, 2**31, 10**15])
def test_any_number_that_a_question_may_state_is_answered(people: Table, op: str, value: int) -> None:
    """Whatever is charged is answered: numbers beyond the bounds, and beyond what a cell can hold, are compared too."""
    met = {
        "eq": [age == value for age in AGES],
        "ne": [age != value for age in AGES],
        "lt": [age < value for age in AGES],
        "le": [age <= value for age in AGES],
        "gt": [age > value for age in AGES],
        "ge": [age >= value for age in AGES],
        "in": [age == value for age in AGES],
    }
    condition = {"column": "age", "op": op, "value": [value] if op == "in" else value}
    assert people.value(COUNT, where=[condition]) == sum(met[op])


def test_groups_and_values_that_no_row_has_are_answered_as_all_others(people: Table) -> None:
    """A key that no one has is a group with noise, and a condition that no one meets is a count of noise."""
    columns = {"sex": {"type": "text", "keys": ["M", "F", "X"]}, "age": {"type": "integer", "bounds": [0, 120]}}
    table = Table(declared(columns=columns), sex=SEXES, age=AGES)
    select = [COUNT, {"sum": "age"}, {"mean": "age"}, {"variance": "age"}, {"quantile": {"column": "age", "at": 0.5}}]
    none = [{"column": "age", "op": "gt", "value": 100}]
    for answered in table.ask(question(select, group_by=["sex"], where=none, epsilon=0.5)):
        assert [cell["group"] for cell in answered["cells"]] == [{"sex": "M"}, {"sex": "F"}, {"sex": "X"}]
        assert all(cell["interval95"][0] <= cell["value"] <= cell["interval95"][1] for cell in answered["cells"])
        assert len({cell["scale"] for cell in answered["cells"][:1]}) == 1
