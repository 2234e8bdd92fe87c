"""Questions: those outside the declarations are refused, and a repeated question is recognized."""

from typing import Any

import pytest
from pydantic import ValidationError

from antifaz.questions.question import Question, faults_of
from tests.antifaz.questions.conftest import declared, question

COUNT: dict[str, Any] = {"count": {}}


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"select": [{"mean": "height"}]}, "/select/0/mean"),
        ({"select": [{"sum": "sex"}]}, "/select/0/sum"),
        ({"select": [{"variance": "born"}]}, "/select/0/variance"),
        ({"select": [{"histogram": {"column": "age", "edges": [10, 5]}}]}, "/select/0/histogram/edges"),
        ({"select": [{"histogram": {"column": "born", "edges": [1, 2]}}]}, "/select/0/histogram/edges"),
        ({"select": [COUNT], "where": [{"column": "age", "op": "ge", "value": "old"}]}, "/where/0/value"),
        ({"select": [COUNT], "where": [{"column": "age", "op": "in", "value": 3}]}, "/where/0/value"),
        ({"select": [COUNT], "where": [{"column": "sex", "op": "lt", "value": "M"}]}, "/where/0/op"),
        ({"select": [COUNT], "where": [{"column": "sex", "op": "eq", "value": "X"}]}, "/where/0/value"),
        ({"select": [COUNT], "where": [{"column": "city", "op": "eq", "value": "Vic"}]}, "/where/0/column"),
        ({"select": [COUNT], "where": [{"column": "age", "op": "eq", "value": 1e300}]}, "/where/0/value"),
        ({"select": [COUNT], "where": [{"column": "age", "op": "in", "value": [1, -1e19]}]}, "/where/0/value"),
        ({"select": [{"histogram": {"column": "age", "edges": [0, 1e300]}}]}, "/select/0/histogram/edges"),
        ({"select": [COUNT], "group_by": ["city"]}, "/group_by/0"),
        ({"select": [COUNT], "group_by": ["age"]}, "/group_by/0"),
        ({"select": [COUNT], "group_by": ["sex", "sex"]}, "/group_by"),
    ],
)
def test_what_the_declarations_do_not_allow_is_refused_at_its_place(asked: dict[str, Any], pointer: str) -> None:
    found = Question.model_validate({"epsilon": 1} | asked)
    assert [place for place, _ in faults_of(found, declared())] == [pointer]


def test_rho_is_no_cost_of_a_pure_account() -> None:
    asked = Question.model_validate({"select": [COUNT], "rho": 0.1})
    assert [place for place, _ in faults_of(asked, declared())] == ["/rho"]
    assert list(faults_of(asked, declared(measure="zcdp"))) == []


@pytest.mark.parametrize(
    "body",
    [
        {"select": [], "epsilon": 1},
        {"select": [COUNT]},
        {"select": [COUNT], "epsilon": 1, "rho": 1},
        {"select": [{"count": {}, "sum": "age"}], "epsilon": 1},
        {"select": [{}], "epsilon": 1},
        {"select": [COUNT], "epsilon": 0},
        {"select": [COUNT], "epsilon": 1, "keys": "threshold", "group_by": ["city"]},
        {"select": [COUNT], "epsilon": 1, "delta": 1e-9},
        {"select": [COUNT], "epsilon": 1, "keys": "threshold", "delta": 1e-9},
        {"select": [COUNT], "epsilon": 1, "seed": 1},
    ],
)
def test_a_body_that_is_no_question_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate(body)


def test_the_same_question_is_known_however_it_is_written() -> None:
    first = {"column": "age", "op": "ge", "value": 18}
    second = {"column": "sex", "op": "in", "value": ["M", "F"]}
    one = question(COUNT, where=[first, second], epsilon=1)
    other = question(COUNT, where=[second | {"value": ["F", "M"]}, first | {"value": 18.0}], epsilon=1.0, group_by=[])
    assert one.canonical() == other.canonical()
    assert one.canonical() != question(COUNT, where=[first], epsilon=1).canonical()
    assert one.canonical() != question(COUNT, where=[first, second], epsilon=2).canonical()


def test_an_answer_has_a_limit_of_cells() -> None:
    columns = {"a": {"type": "text", "keys": [str(n) for n in range(200)]}}
    columns["b"] = {"type": "text", "keys": [str(n) for n in range(60)]}
    asked = question(COUNT, group_by=["a", "b"])
    assert [place for place, _ in faults_of(asked, declared(columns=columns))] == ["/group_by"]
