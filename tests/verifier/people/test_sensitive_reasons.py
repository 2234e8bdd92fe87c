"""Reasons in findings about sensitive values and local differential privacy."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.verifier.reasoning import BLINDLY, COIN, KNOWS, ROWS, csv_of, judge, policy_of
from verifier import Finding, verify

TREE = [["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "belly", "*"]]


# --- sensitive values ------------------------------------------------------------------------------------------------

SHARES = (
    "the attacker knows the quasi-identifiers and how often each sensitive value occurs in the whole release" + BLINDLY
)


SKEWED = [("1", "flu"), ("1", "flu"), ("2", "flu"), ("2", "cold")]
"""Of the first class all have the flu, of the whole three quarters."""


@pytest.mark.parametrize(
    ("guarantee", "figure", "reached", "bound", "failure"),
    [
        (
            {"model": "t_closeness", "distance": "equal"},
            "t", 0.25, 0.2, "a class is farther than t from the release",
        ),
        (
            {"model": "t_closeness", "distance": "ordered"},
            "t", 0.25, 0.2, "a class is farther than t from the release",
        ),
        (
            {"model": "beta_likeness", "variant": "basic"},
            "beta", 1.0, 0.9, "a value is much likelier in a class than in the release",
        ),
    ],
)  # fmt: skip
def test_distances_that_hold_and_that_do_not(
    guarantee: dict[str, Any], figure: str, reached: float, bound: float, failure: str
) -> None:
    stated = {**guarantee, "attribute": "s"}
    required = {name: value for name, value in stated.items() if name != "model"}
    found = judge({**stated, figure: reached}, csv_of(SKEWED))
    achieved = {"attribute": "s", figure: reached}
    assert found == Finding(stated["model"], {**required, figure: reached}, achieved, True, "bytes", SHARES, "")
    found = judge({**stated, figure: bound}, csv_of(SKEWED))
    assert found == Finding(stated["model"], {**required, figure: bound}, achieved, False, "bytes", SHARES, failure)


def test_alpha_k_that_holds_and_that_does_not() -> None:
    stated: dict[str, Any] = {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"}
    required = {"alpha": 0.5, "k": 2, "attribute": "s"}
    found = judge(stated)
    achieved = {"attribute": "s", "alpha": 0.5, "k": 2}
    assert found == Finding("alpha_k", required, achieved, True, "bytes", KNOWS, "")
    found = judge(stated, csv_of(SKEWED))
    assert (found.holds, found.achieved, found.detail) == (
        False, {"attribute": "s", "alpha": 1.0, "k": 2}, "a value is too frequent in a class",
    )  # fmt: skip
    found = judge({**stated, "k": 3})
    assert (found.holds, found.achieved, found.detail) == (False, achieved, "a class is smaller than k")
    found = judge({**stated, "k": 1})
    assert found == Finding("alpha_k", {**required, "k": 1}, {}, False, "bytes", KNOWS, found.detail)


@pytest.mark.parametrize(
    ("guarantee", "why"),
    [
        ({"model": "t_closeness", "distance": "equal"}, "t is not a number from 0 to 1"),
        ({"model": "t_closeness", "distance": "equal", "t": -0.1}, "t is not a number from 0 to 1"),
        ({"model": "t_closeness", "distance": "equal", "t": 1.1}, "t is not a number from 0 to 1"),
        ({"model": "t_closeness", "t": 0.5}, "no verifier of this distance"),
        ({"model": "t_closeness", "distance": "other", "t": 0.5}, "no verifier of this distance"),
        ({"model": "t_closeness", "distance": "other", "t": 2}, "t is not a number from 0 to 1"),
        ({"model": "t_closeness", "distance": "hierarchical", "t": 1}, "there is no hierarchy of the attribute"),
        ({"model": "alpha_k", "k": 2}, "alpha is not a share"),
        ({"model": "alpha_k", "k": 2, "alpha": 0}, "alpha is not a share"),
        ({"model": "alpha_k", "k": 2, "alpha": 1.1}, "alpha is not a share"),
        ({"model": "alpha_k", "k": 1, "alpha": 2}, "alpha is not a share"),
        ({"model": "beta_likeness"}, "beta is not a number above 0"),
        ({"model": "beta_likeness", "beta": 0}, "beta is not a number above 0"),
        ({"model": "beta_likeness", "beta": 1, "variant": "other"}, "no verifier of this variant"),
        ({"model": "beta_likeness", "beta": 0, "variant": "other"}, "beta is not a number above 0"),
        (
            {"model": "t_closeness", "distance": "equal", "t": 1, "attribute": "q"},
            "the attribute is not a sensitive one of the policy",
        ),
        (
            {"model": "beta_likeness", "beta": 1, "attribute": "z"},
            "the attribute is not a sensitive one of the policy",
        ),
    ],
)
def test_bounds_that_mean_nothing(guarantee: dict[str, Any], why: str) -> None:
    found = judge({"attribute": "s", **guarantee})
    assert (found.holds, found.achieved, found.detail) == (False, {}, why)


def test_the_bounds_at_their_ends_mean_something() -> None:
    for distance in ("equal", "ordered"):
        assert judge({"model": "t_closeness", "distance": distance, "t": 0, "attribute": "s"}).holds
        assert judge({"model": "t_closeness", "distance": distance, "t": 1, "attribute": "s"}, csv_of(SKEWED)).holds
    assert judge({"model": "alpha_k", "alpha": 1, "k": 2, "attribute": "s"}, csv_of(SKEWED)).holds


def test_a_value_without_its_place_is_the_reason() -> None:
    def why(distance: str, **settings: Any) -> str:
        guarantee = {"model": "t_closeness", "t": 1, "distance": distance, "attribute": "s"}
        found = judge(guarantee, csv_of(ROWS), s=settings)
        assert not found.holds
        return found.detail

    assert why("hierarchical", hierarchy={"rows": TREE[:1]}) == "a value has no place in the hierarchy"
    assert why("ordered", order=["flu"]) == "a value has no place in the order that the policy states"
    assert why("ordered", type="integer") == "a value is not a number"
    assert why("ordered", type="decimal") == "a value is not a number"
    assert why("ordered", type="datetime") == "a value is not a time"


def test_the_order_of_the_policy_decides_how_far_values_are() -> None:
    rows = [("1", "low"), ("1", "mid"), ("2", "high"), ("2", "high")]
    guarantee = {"model": "t_closeness", "t": 1, "distance": "ordered", "attribute": "s"}

    def distance(**settings: Any) -> float:
        found = judge(guarantee, csv_of(rows), s=settings)
        assert found.holds
        return float(found.achieved["t"])

    # low < mid < high: the first class stands a quarter and a half below the whole at the two steps.
    assert distance(order=["low", "mid", "high"]) == 0.375
    # By code point high < low < mid: a half, then a quarter.
    assert distance() == 0.375
    assert distance(order=["low", "high", "mid"]) == 0.25


# --- local differential privacy --------------------------------------------------------------------------------------

ANYBODY = "nothing: it holds for any attacker, for the values of the sensitive attributes"


def randomized(matrix: Any, epsilon: Any = 1.1, rows: Sequence[Sequence[str]] = ROWS) -> Finding:
    guarantee = {"model": "local_differential_privacy", "epsilon": epsilon}
    return judge(guarantee, csv_of(rows), {"mechanism": {"s": matrix}})


def test_local_differential_privacy_that_holds_and_that_does_not() -> None:
    model, required = "local_differential_privacy", {"epsilon": 1.1}
    assert randomized(COIN) == Finding(model, required, {"epsilon": 1.098613}, True, "mechanism", ANYBODY, "")
    found = randomized(COIN, 1.0)
    why = "the mechanism loses more than epsilon"
    assert found == Finding(model, {"epsilon": 1.0}, {"epsilon": 1.098613}, False, "mechanism", ANYBODY, why)


def test_a_loss_of_exactly_epsilon_is_not_too_much() -> None:
    epsilon = 1.0986122886681098
    assert randomized(COIN, epsilon).achieved == {"epsilon": epsilon}
    assert randomized(COIN, epsilon).holds
    assert not randomized(COIN, 1.0986122).holds
    smaller = [[0.6, 0.4], [0.4, 0.6]]
    assert randomized(smaller, 0.4054651081081644).holds
    assert not randomized(smaller, 0.4054651).holds


@pytest.mark.parametrize("epsilon", [None, 0, -1, True, float("inf"), "1"])
def test_an_epsilon_that_is_none(epsilon: Any) -> None:
    found = randomized(COIN, epsilon)
    assert (found.holds, found.achieved, found.detail) == (False, {}, "epsilon is not a number above 0")


def test_an_epsilon_that_is_none_comes_before_a_mechanism_that_is_missing() -> None:
    found = judge({"model": "local_differential_privacy", "epsilon": 0}, csv_of(), {})
    assert found.detail == "epsilon is not a number above 0"


FIT, CHANCES, RULES_OUT = (
    "the matrix does not fit the column",
    "the rows of the matrix are not probabilities",
    "a released value rules a true one out",
)


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([], FIT),
        ([[1.0], [1.0]], FIT),
        ([[0.5, 0.5], [1.0]], FIT),
        ([[0.5, 0.4], [0.5, 0.5]], CHANCES),
        ([[0.5, 0.5 + 2e-9], [0.5, 0.5]], CHANCES),
        ([[1.5, -0.5], [0.5, 0.5]], CHANCES),
        ([[float("nan"), 0.5], [0.5, 0.5]], CHANCES),
        ([[1.0, 0.0], [0.5, 0.5]], RULES_OUT),
        ([[0.0, 1.0], [1.0, 0.0]], RULES_OUT),
        ({}, FIT),
        ({"values": 1, "keep": 1, "other": 0}, FIT),
        ({"values": 2.5, "keep": 0.5, "other": 0.5}, FIT),
        ({"values": 2, "keep": 0.75}, FIT),
        ({"values": 2, "other": 0.25}, FIT),
        ({"keep": 0.75, "other": 0.25}, FIT),
        ({"values": 2, "keep": 0.75, "other": 0.3}, CHANCES),
        ({"values": 2, "keep": 0.75, "other": 0.2}, CHANCES),
        ({"values": 2, "keep": 0.75, "other": 0.250000002}, CHANCES),
        ({"values": 2, "keep": 1.5, "other": -0.5}, CHANCES),
        ({"values": 2, "keep": -0.5, "other": 1.5}, CHANCES),
        ({"values": 2, "keep": 1, "other": 0}, RULES_OUT),
        ({"values": 2, "keep": 0, "other": 1}, RULES_OUT),
    ],
)
def test_a_mechanism_that_is_none(matrix: Any, why: str) -> None:
    found = randomized(matrix, 50)
    assert (found.holds, found.achieved, found.detail) == (False, {}, why)


@pytest.mark.parametrize(
    ("matrix", "epsilon"),
    [
        ([[0.5, 0.5]], 0.0),
        ([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], 0.0),
        ([[0.5, 0.5 + 5e-10], [0.5, 0.5]], 0.0),
        ([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.25, 0.5, 0.25]], 0.693148),
        ({"values": 2, "keep": 0.5, "other": 0.5}, 0.0),
        ({"values": 2, "keep": 0.25, "other": 0.75}, 1.098613),
        ({"values": 3, "keep": 0.5, "other": 0.25}, 0.693148),
        ({"values": 2, "keep": 0.75, "other": 0.2500000005}, 1.098613),
    ],
)
def test_the_loss_of_a_mechanism(matrix: Any, epsilon: float) -> None:
    found = randomized(matrix, 2)
    assert found.holds
    assert found.achieved["epsilon"] == pytest.approx(epsilon, abs=2e-6)


def test_a_column_of_one_value_gives_nothing_away() -> None:
    rows = [("1", "flu"), ("2", "flu")]
    for matrix in ({"values": 1, "keep": 1, "other": 0}, [[1.0]]):
        found = randomized(matrix, 1, rows)
        assert (found.holds, found.achieved) == (True, {"epsilon": 0.0})


def test_losses_of_several_columns_add_up_and_none_may_be_left_out() -> None:
    policy = policy_of({"model": "local_differential_privacy", "epsilon": 2.2})
    policy["attributes"]["t"] = {"role": "sensitive"}
    artifact = csv_of([("1", "a", "x"), ("1", "b", "y")], "q,s,t")
    (found,) = verify(policy, [artifact], {"mechanism": {"s": COIN, "t": COIN}}).findings
    assert (found.holds, found.achieved) == (True, {"epsilon": 2.197225})
    for mechanism in (None, {}, {"s": COIN}, {"t": COIN}):
        (found,) = verify(policy, [artifact], {"mechanism": mechanism}).findings
        assert not found.holds
        assert found.detail == "a sensitive column has no matrix by which it was randomized"
    without = policy_of({"model": "local_differential_privacy", "epsilon": 2.2}, s={"role": "insensitive"})
    (found,) = verify(without, [csv_of()], {"mechanism": {}}).findings
    assert found.detail == "a sensitive column has no matrix by which it was randomized"
