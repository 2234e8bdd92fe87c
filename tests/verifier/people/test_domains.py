"""Domains of randomized columns: declared, respected, and drawn from with the stated probabilities."""

from collections.abc import Sequence
from typing import Any

import pytest

from verifier import Artifact, Finding, verify

THREE = {"values": 3, "keep": 0.6, "other": 0.2}
NOT_DECLARED = "the values of a randomized column are not declared"
TOO_OFTEN = "a value is released more often or more rarely than its chances allow"


def judge(cells: Sequence[str], values: Any, mechanism: Any = THREE, waivers: Any = (), form: str = "csv") -> Finding:
    policy = {
        "kind": "table",
        "attributes": {"s": {"role": "sensitive"}},
        "guarantees": [{"model": "local_differential_privacy", "epsilon": 2.0}],
        "method": {"name": "randomized_response", **({} if values is None else {"values": {"s": values}})},
        "waivers": list(waivers),
    }
    lines = ["s", *cells] if form == "csv" else [f'{{"s": "{cell}"}}' for cell in cells]
    content = "".join(f"{line}\n" for line in lines)
    (finding,) = verify(policy, [Artifact(form, "table", content.encode())], {"mechanism": {"s": mechanism}}).findings
    return finding


def test_a_domain_is_declared_or_waived_by_name() -> None:
    assert judge(["a", "b"], ["a", "b", "c"]).holds
    assert judge(["a", "b"], None).detail == NOT_DECLARED
    assert judge(["a", "b"], None, waivers=[{"rule": "composition"}]).detail == NOT_DECLARED
    assert judge(["a", "b"], None, waivers=[{"rule": "observed_domain"}]).holds


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_value_that_was_not_declared_does_not_hold(form: str) -> None:
    assert judge(["a", "b", "d"], ["a", "b", "c"], form=form).detail == "a released value is not a declared one"
    assert judge(["a", "b", "A "], ["a", "b", "c"], form=form).holds


@pytest.mark.parametrize("values", [["a", "b"], ["a", "b", "c", "d"], ["a", "b", "B"]])
def test_the_matrix_speaks_of_the_declared_values(values: list[str]) -> None:
    assert judge(["a", "b"], values).detail == "the matrix is not one of the declared values"


def test_a_text_that_a_spreadsheet_would_run_is_the_declared_one() -> None:
    assert judge(["'=a", "b"], ["=a", "b", "c"]).holds


@pytest.mark.parametrize("mechanism", [THREE, [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]])
@pytest.mark.parametrize("waivers", [(), ({"rule": "observed_domain"},)])
def test_a_mechanism_that_never_lies_is_noticed_where_all_have_one_value(mechanism: Any, waivers: Any) -> None:
    """Of 1,500 rows an honest mechanism shows each other value 300 times: none of one, ever, is a lie."""
    values = None if waivers else ["a", "b", "c"]
    assert judge(["a"] * 1_500, values, mechanism, waivers).detail == TOO_OFTEN
    assert judge(["a"] * 1_200 + ["b"] * 300, values, mechanism, waivers).detail == TOO_OFTEN
    assert judge(["a"] * 900 + ["b"] * 300 + ["c"] * 300, values, mechanism, waivers).holds


def test_a_domain_of_one_value_shows_it_always() -> None:
    assert judge(["a"] * 900, ["a"], {"values": 1, "keep": 1, "other": 0}).holds
