"""Questions in the client: how they are written, and answers as rows."""

import pytest
from antifaz_client.questions import Answer, condition_of, question_of

ANSWERED = {
    "id": "q1",
    "cost": {"epsilon": 0.1, "rho": None, "delta": 0.0},
    "remaining": 0.9,
    "answers": [
        {
            "select": {"mean": "age"},
            "cells": [{"group": {"sex": "F"}, "value": 41.5, "scale": 0.2, "interval95": [41, 42]}],
        },
        {
            "select": {"histogram": {"column": "age", "edges": [0, 50, 100]}},
            "cells": [{"group": {}, "bin": [0, 50], "value": 7, "scale": 10, "interval95": [-23, 37]}],
        },
    ],
}


def test_a_question_is_written_short_and_sent_as_the_api_has_it() -> None:
    body = question_of("count", "age >= 18", "sex", epsilon=0.1, delta=None)
    assert body == {
        "select": [{"count": {}}],
        "where": [{"column": "age", "op": "ge", "value": 18}],
        "group_by": ["sex"],
        "epsilon": 0.1,
    }
    whole = {"column": "sex", "op": "in", "value": ["F", "M"]}
    assert question_of([{"mean": "age"}, "count"], [whole, "age != 30"])["where"][0] == whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("age>=18", {"column": "age", "op": "ge", "value": 18}),
        ("income < 1.5e3", {"column": "income", "op": "lt", "value": 1500.0}),
        ("marital status = 'Never married'", {"column": "marital status", "op": "eq", "value": "Never married"}),
        ("born <= 1990-01-31", {"column": "born", "op": "le", "value": "1990-01-31"}),
    ],
)
def test_conditions_are_read_as_people_write_them(text: str, found: dict[str, object]) -> None:
    assert condition_of(text) == found


@pytest.mark.parametrize("text", ["age", "age >=", "age >= ", " = 3", " " * 12_000])
def test_what_is_no_condition_is_refused_without_a_request(text: str) -> None:
    with pytest.raises(ValueError, match="a condition is a column"):
        condition_of(text)


def test_every_number_of_an_answer_is_a_row_of_a_frame() -> None:
    answer = Answer(ANSWERED)
    assert answer.rows[0] == {
        "select": "mean", "column": "age", "sex": "F", "value": 41.5, "low": 41, "high": 42, "scale": 0.2,
    }  # fmt: skip
    assert (answer.rows[1]["from"], answer.rows[1]["to"]) == (0, 50)
    frame = answer.to_pandas()
    assert frame["value"].tolist() == [41.5, 7]
    assert frame.attrs == {"query": "q1", "cost": {"epsilon": 0.1, "delta": 0.0}, "remaining": 0.9}
    assert "0.9 left" in answer._repr_html_()
    assert answer.to_polars().height == 2
