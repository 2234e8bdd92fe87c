"""Synthetic tables under differential privacy in the verifier: every loss recomputed, every value declared."""

import math
from typing import Any

import pytest

from verifier import Artifact, Finding, verify
from verifier.verdict.verdict import Missing

RECORD = "nothing: it holds for any attacker, for whether any one record is in the table and what it says"
PERSON = "nothing: it holds for any attacker, for whether any one person is in the table and what their records say"
CSV = b"sex,age\nF,17\nM,90\nF,41\n"
METHOD: dict[str, Any] = {
    "name": "synthetic",
    "model": "dp_marginals",
    "values": {"sex": ["F", "M"]},
    "bounds": {"age": [17, 90]},
}


def step(kind: str, columns: list[str], scale: float) -> dict[str, Any]:
    return {"kind": kind, "columns": columns, "scale": scale}


PURE = [
    step("count", ["sex"], 8.0),
    step("count", ["age"], 8.0),
    step("choice", [], 8.0),
    step("count", ["sex", "age"], 2.0),
]
"""By hand: 1/8 + 1/8 + 2/8 + 1/2 = 1."""


def drawn(steps: list[dict[str, Any]] = PURE, **changes: Any) -> dict[str, Any]:
    return {"measure": "pure", "contributions": 1, "unit": "a record", "steps": steps, "ledger": None, **changes}


def judge(
    sealed: dict[str, Any] | None,
    epsilon: Any = 1.0,
    delta: Any = 0.0,
    content: bytes = CSV,
    method: dict[str, Any] = METHOD,
    **more: Any,
) -> Finding:
    policy = {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "sex": {"role": "quasi_identifier"},
            "age": {"role": "sensitive"},
        },
        "guarantees": [{"model": "differential_privacy", "epsilon": epsilon, "delta": delta}],
        "method": method,
        **more,
    }
    artifact = Artifact("csv", "table", content)
    verdict = verify(policy, [artifact], None if sealed is None else {"marginals": sealed})
    assert verdict.faults == ()
    return verdict.findings[0]


def test_pure_losses_add_up_to_epsilon_by_hand() -> None:
    required = {"epsilon": 1.0, "delta": 0.0}
    assert judge(drawn()) == Finding("differential_privacy", required, required, True, "mechanism", RECORD, "")
    assert judge(drawn(), 1.5).achieved == {"epsilon": 1.0, "delta": 0.0}
    assert judge(drawn(), 0.99).detail == "the mechanism loses more than epsilon"


def test_concentrated_losses_are_converted_by_hand() -> None:
    """rho = 1/200 + 1/200 = 0.01 by two counts of scale 10; at delta = 1e-6 an epsilon above 0.6, and at most
    rho + 2 sqrt(rho ln(1/delta)) = 0.753 by the simple bound."""
    sealed = drawn([step("count", ["sex"], 10.0), step("count", ["age"], 10.0)], measure="zcdp")
    found = judge(sealed, 1.0, 1e-6)
    assert found.holds
    assert 0.6 < found.achieved["epsilon"] < 0.01 + 2 * math.sqrt(0.01 * math.log(1e6))
    assert not judge(sealed, 0.6, 1e-6).holds


def test_a_choice_costs_an_eighth_of_its_square_if_concentrated() -> None:
    counted = drawn([step("count", ["sex"], 10.0)], measure="zcdp")
    chosen = drawn([step("choice", [], 10.0)], measure="zcdp")  # 2/10 squared by 8 = 1/200, like the count
    assert judge(counted, 1.0, 1e-6).achieved == judge(chosen, 1.0, 1e-6).achieved


TAMPERED: dict[str, tuple[dict[str, Any], str]] = {
    "noise of 0.7 times the scale": (
        drawn([*PURE[:3], step("count", ["sex", "age"], 1.4)]),
        "the mechanism loses more than epsilon",
    ),
    "one drawing more": (drawn([*PURE, step("count", ["sex"], 100.0)]), "the mechanism loses more than epsilon"),
    "no drawings": (drawn([]), "the draws are not stated"),
    "drawings that are none": (drawn(["count"]), "the mechanism makes no such draw"),  # type: ignore[list-item]
    "a scale of zero": (drawn([step("count", ["sex"], 0)]), "the mechanism makes no such draw"),
    "a scale without end": (drawn([step("count", ["sex"], math.inf)]), "the mechanism makes no such draw"),
    "an unknown kind": (drawn([step("mean", ["sex"], 9.0)]), "the mechanism makes no such draw"),
    "a column that is not released": (
        drawn([step("count", ["name"], 9.0)]),
        "the mechanism makes no such draw",
    ),
    "a choice that counts": (drawn([step("choice", ["sex"], 9.0)]), "the mechanism makes no such draw"),
    "another measure": (drawn(measure="zcdp"), "the measure of the losses does not match delta"),
    "more records of a person": (
        drawn(contributions=2),
        "the number of records counted per person is not the policy's",
    ),
    "another unit": (drawn(unit="a person"), "the unit of the mechanism is not that of the policy"),
    "a budget that was not charged": (
        drawn(ledger={"charged": None, "budget": 9}),
        "the budget was charged less than epsilon",
    ),
    "a budget that was charged less": (
        drawn(ledger={"charged": 999_999, "budget": 9}),
        "the budget was charged less than epsilon",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_does_not_hold(name: str) -> None:
    sealed, detail = TAMPERED[name]
    found = judge(sealed)
    assert (found.holds, found.achieved, found.detail) == (False, {}, detail)


def test_a_full_charge_is_enough() -> None:
    assert judge(drawn(ledger={"charged": 1_000_000, "budget": 3_000_000})).holds


def test_several_records_of_a_person_cost_as_many_times_as_much() -> None:
    method = {**METHOD, "contributions": 2}
    sealed = drawn(contributions=2, unit="a person")
    assert not judge(sealed, method=method, privacy_unit="name").holds
    found = judge(sealed, 2.0, method=method, privacy_unit="name")
    assert found.holds
    assert found.assumes == PERSON


def test_without_its_mechanism_nothing_can_be_told() -> None:
    found = judge(None)
    assert not found.holds
    assert isinstance(found.detail, Missing)


@pytest.mark.parametrize("epsilon", [0, -1, None, "1", True, math.nan])
def test_an_epsilon_that_is_none_is_never_kept(epsilon: Any) -> None:
    assert not judge(drawn(), epsilon).holds


@pytest.mark.parametrize("delta", [-1e-9, 1, None, "0"])
def test_a_delta_that_is_none_is_never_kept(delta: Any) -> None:
    assert not judge(drawn(), delta=delta).holds


@pytest.mark.parametrize("row", [b"X,17\n", b"F,16\n", b"F,91\n", b"F,20.5\n", b"F,\n", b"F,old\n", b",20\n"])
def test_a_value_that_was_not_declared_is_refused(row: bytes) -> None:
    assert judge(drawn(), content=CSV + row).detail == "a released value is not a declared one"


def test_a_missing_value_is_one_if_it_was_declared() -> None:
    method = {**METHOD, "other": {"age": ""}}
    assert judge(drawn(), content=CSV + b"F,\n", method=method).holds
    assert judge(drawn(), content=CSV + b",20\n", method={**METHOD, "values": {"sex": ["F", "M", ""]}}).holds


def test_edges_have_as_many_decimals_as_are_written() -> None:
    method = {"name": "synthetic", "values": METHOD["values"], "edges": {"age": [0, 0.5, 90]}}
    assert judge(drawn(), content=CSV + b"F,0.5\nM,1.50\n", method=method).holds
    assert not judge(drawn(), content=CSV + b"F,0.55\n", method=method).holds


@pytest.mark.parametrize("change", [{"values": {}}, {"edges": {"age": [17, 90]}}])
def test_every_column_has_one_domain(change: dict[str, Any]) -> None:
    assert judge(drawn(), method=METHOD | change).detail == "the domain of a released column is not declared"


def test_the_number_of_records_is_the_declared_one() -> None:
    assert judge(drawn(), method={**METHOD, "rows": 3}).holds
    assert judge(drawn(), method={**METHOD, "rows": 4}).detail == "the number of records is not the declared one"
