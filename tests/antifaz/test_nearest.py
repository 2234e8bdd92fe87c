"""The nearest feasible setting: one that was tried and passed, never a guess."""

from typing import Any

import numpy as np
import pytest

from antifaz.assessment import assess, refuse
from antifaz.errors import Infeasible, Reason
from antifaz.kinds.kind import Checked, Dataset
from antifaz.nearest import nearest_setting
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.watch import unwatched
from formats.core.raw import RawColumn


def encoded(name: str, cells: list[str]) -> RawColumn:
    values = sorted(set(cells))
    return RawColumn(name, np.array([values.index(c) for c in cells], dtype=np.int32), np.array(values, dtype=object))


def checked_of(sizes: dict[str, int], policy: Any) -> Checked:
    """A table with one class of each size, distinguished by one text column."""
    cells = [value for value, size in sizes.items() for _ in range(size)]
    return check(Dataset((encoded("city", cells),), len(cells)), policy)


def policy_of(k: int, method: dict[str, Any], gate: dict[str, float] | None = None) -> Any:
    return parse_policy(
        {
            "kind": "table",
            "attributes": {"city": {"role": "quasi_identifier"}},
            "guarantees": [{"model": "k_anonymity", "k": k}],
            "method": method,
            "gate": gate or {},
        }
    )


def refused(checked: Checked, policy: Any) -> list[Reason]:
    rng = np.random.default_rng(1)
    try:
        protected = protect(checked, policy, rng)
    except Infeasible as error:
        return list(error.reasons)
    return refuse(policy, protected, assess(checked, protected, policy, rng))


def nearest(checked: Checked, policy: Any) -> dict[str, float]:
    reasons = refused(checked, policy)
    assert reasons
    return nearest_setting(checked, policy, reasons, np.random.default_rng(2), unwatched)


def test_too_much_suppression_names_the_largest_k_and_the_suppression_that_k_needs():
    policy = policy_of(40, {"name": "suppress"}, {"max_suppressed": 0.1})
    checked = checked_of({"a": 60, "b": 30, "c": 10}, policy)
    assert nearest(checked, policy) == {"max_suppressed": 0.4, "k": 30.0}


def test_a_result_that_falls_short_names_the_k_that_it_has():
    policy = policy_of(9, {"name": "generalize"})
    assert nearest(checked_of({"a": 60, "b": 7}, policy), policy) == {"k": 7.0}


def test_too_much_risk_names_the_smallest_k_that_lowers_it():
    policy = policy_of(2, {"name": "suppress"}, {"max_prosecutor_risk": 0.1})
    checked = checked_of({"a": 60, "b": 30, "c": 5}, policy)
    assert nearest(checked, policy) == {"max_prosecutor_risk": 0.2, "k": 6.0}


def test_nothing_is_named_where_nothing_works():
    policy = policy_of(3, {"name": "generalize"})
    assert nearest(checked_of({"a": 60, "b": 1}, policy), policy) == {}


@pytest.mark.parametrize("k", [20, 35, 80])
def test_what_is_named_passes_and_the_next_does_not(k: int):
    sizes = {f"v{size}": size for size in range(2, 90, 3)}
    policy = policy_of(k, {"name": "suppress"}, {"max_suppressed": 0.02})
    checked = checked_of(sizes, policy)
    found = nearest(checked, policy)["k"]
    for candidate, passes in ((found, True), (found + 1, False)):
        other = policy_of(int(candidate), {"name": "suppress"}, {"max_suppressed": 0.02})
        assert (not refused(checked, other)) is passes


def test_risk_and_loss_at_once_have_no_nearest_k():
    policy = policy_of(4, {"name": "suppress"}, {"max_suppressed": 0.01, "max_prosecutor_risk": 0.001})
    checked = checked_of({"a": 60, "b": 30, "c": 3}, policy)
    assert nearest(checked, policy) == {}


def test_what_would_work_is_tried_without_the_key_of_pseudonyms():
    plain = policy_of(40, {"name": "suppress"}, {"max_suppressed": 0.1})
    named = plain.canonical()
    named["attributes"]["name"] = {"role": "identifier", "pseudonym": True}
    policy = parse_policy(named)
    cells = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    names = [f"p{place}" for place in range(100)]
    checked = check(Dataset((encoded("city", cells), encoded("name", names)), 100), policy)
    reasons = [Reason("max_suppressed", 0.1, 0.4)]
    assert nearest_setting(checked, policy, reasons, np.random.default_rng(2), unwatched)["k"] == 30.0
