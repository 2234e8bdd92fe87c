"""Declarations: everything is stated, and contradictions are refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from antifaz.questions.declarations import Declarations, DeclaredColumn

BODY: dict[str, Any] = {"columns": {"age": {"type": "integer", "bounds": [0, 120]}}, "budget": {"epsilon": 1}}


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"type": "integer"}, "never read from the data"),
        ({"type": "decimal", "bounds": [0, 1]}, "a step is required"),
        ({"type": "decimal", "bounds": [0, 1], "step": 0.3}, "whole multiples"),
        ({"type": "integer", "bounds": [5, 5]}, "below the upper"),
        ({"type": "integer", "bounds": [0, 10**10]}, "too many steps"),
        ({"type": "integer", "bounds": [0, 10], "step": 0.5}, "whole number"),
        ({"type": "integer", "bounds": [0, 10], "keys": ["a"]}, "only text has keys"),
        ({"type": "date", "bounds": ["2020-01-01", "tomorrow"]}, "must be dates"),
        ({"type": "date", "bounds": ["2020-01-01", "2021-01-01"], "step": 7}, "a day"),
        ({"type": "text", "bounds": [0, 1]}, "only numbers and dates"),
        ({"type": "text", "keys": ["a", "A "]}, "differ only in spelling"),
        ({"type": "text", "keys": ["a"], "other": "b"}, "one of the keys"),
        ({"type": "boolean", "keys": ["yes"]}, "false and true"),
        ({"type": "text", "minimum": 3}, "not permitted"),
    ],
)
def test_a_column_that_contradicts_itself_is_refused(column: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        DeclaredColumn.model_validate(column)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"measure": "zcdp", "delta": 1e-6}, "a rho if it is zcdp"),
        ({"budget": {"rho": 1}}, "an epsilon if the measure is pure"),
        ({"measure": "zcdp", "budget": {"rho": 1}}, "zcdp needs a delta"),
        ({"budget": {"epsilon": 1, "rho": 1}}, "exactly one"),
        ({"contributions": 2}, "a different person"),
        ({"columns": {}}, "at least 1"),
        ({"seed": 7}, "not permitted"),
    ],
)
def test_declarations_that_contradict_themselves_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Declarations.model_validate(BODY | change)


def test_bounds_are_whole_steps_however_they_are_written() -> None:
    column = DeclaredColumn.model_validate({"type": "decimal", "bounds": [-0.3, 0.7], "step": 0.1})
    assert column.limits == (-3, 7)
    assert column.shown(5) == 0.5
    dates = DeclaredColumn.model_validate({"type": "date", "bounds": ["1970-01-02", "1970-01-31"]})
    assert (dates.limits, dates.shown(1)) == ((1, 30), "1970-01-02")
