"""What a finding says: what was asked, what was reached, against whom it holds, and why it does not."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from verifier import Artifact, Finding, Verdict, verify
from verifier.findings import Evidence, find

Write = Callable[..., Artifact]
Draw = Callable[..., dict[str, Artifact]]

BLINDLY = ", and does not reason from how the method decides (minimality attack)"
KNOWS = "the attacker knows the quasi-identifiers" + BLINDLY
TREE = [["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "belly", "*"]]
ROWS = [("1", "flu"), ("1", "cold"), ("2", "flu"), ("2", "cold")]
"""Two classes of two, each with both diseases."""


def policy_of(*guarantees: dict[str, Any], s: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    attributes = {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive", **(s or {})}}
    waivers = [{"rule": "observed_domain", "reason": "the tests' own"}]
    return {"kind": "table", "attributes": attributes, "guarantees": list(guarantees), "waivers": waivers, **more}


def csv_of(rows: Sequence[Sequence[str]] = ROWS, names: str = "q,s") -> Artifact:
    return Artifact("csv", "table", "".join(f"{line}\n" for line in [names, *(",".join(row) for row in rows)]).encode())


def judge(guarantee: dict[str, Any], artifact: Artifact | None = None, sealed: Any = None, **more: Any) -> Finding:
    (finding,) = verify(policy_of(guarantee, **more), [artifact or csv_of()], sealed).findings
    return finding


# --- k-anonymity and l-diversity -------------------------------------------------------------------------------------


def test_k_anonymity_that_holds() -> None:
    assert judge({"model": "k_anonymity", "k": 2}) == Finding(
        "k_anonymity", {"k": 2}, {"k": 2}, True, "bytes", KNOWS, ""
    )


def test_k_anonymity_that_does_not() -> None:
    assert judge({"model": "k_anonymity", "k": 3}) == Finding(
        "k_anonymity", {"k": 3}, {"k": 2}, False, "bytes", KNOWS, "a class is smaller than k"
    )


@pytest.mark.parametrize("k", [None, True, 1, 0, -2, 2.0, "2", float("nan")])
def test_a_k_that_is_none_is_never_reached(k: Any) -> None:
    for model in ("k_anonymity", "alpha_k", "k_map"):
        more = {"alpha": 1, "attribute": "s", "population": "p"}
        finding = judge({"model": model, "k": k, **more})
        assert (finding.holds, finding.achieved, finding.detail) == (False, {}, "k is not a whole number above 1")


def test_a_missing_column_is_named_as_the_reason() -> None:
    only = {"q": "a quasi-identifier is missing", "s": "the sensitive attribute is missing"}
    guarantees: list[dict[str, Any]] = [
        {"model": "l_diversity", "l": 2, "attribute": "s"},
        {"model": "t_closeness", "t": 0.5, "distance": "equal", "attribute": "s"},
        {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"},
        {"model": "beta_likeness", "beta": 1, "attribute": "s"},
    ]
    for missing, why in only.items():
        artifact = csv_of([("1",), ("1",)], "s" if missing == "q" else "q")
        for guarantee in guarantees:
            finding = judge(guarantee, artifact)
            assert (finding.holds, finding.achieved, finding.detail) == (False, {}, why), guarantee
    finding = judge({"model": "k_anonymity", "k": 2}, csv_of([("1",), ("1",)], "s"))
    assert (finding.holds, finding.achieved, finding.detail) == (False, {"k": 0}, only["q"])


def test_persons_are_counted_by_the_sealed_map_alone() -> None:
    guarantee = {"model": "k_anonymity", "k": 2}
    found = judge(guarantee, sealed={"units": [7, 8, 9, 10]}, privacy_unit="person")
    assert found == Finding("k_anonymity", {"k": 2}, {"k": 2}, True, "bytes+sealed_map", KNOWS, "")
    found = judge(guarantee, sealed={"units": np.array([7, 7, 9, 10], np.uint8)}, privacy_unit="person")
    assert (found.achieved, found.detail) == ({"k": 1}, "a class is smaller than k")
    lacking = "there is no sealed map that says which rows belong to one person"
    for useless in (
        None,
        {},
        {"units": []},
        {"units": np.array([], np.int64)},
        {"units": [[1, 2, 3, 4]]},
        {"units": ["a"] * 4},
        {"units": [1.0] * 4},
    ):
        found = judge(guarantee, sealed=useless, privacy_unit="person")
        assert (found.holds, found.evidence, found.detail) == (False, "bytes+sealed_map", lacking), useless
    for length in (3, 5):
        found = judge(guarantee, sealed={"units": list(range(length))}, privacy_unit="person")
        assert found.detail == "the sealed map and the release have different numbers of rows"
        assert not found.holds


@pytest.mark.parametrize(
    ("guarantee", "achieved"),
    [
        ({"variant": "distinct", "l": 2}, {"variant": "distinct", "attribute": "s", "l": 2}),
        ({"variant": "entropy", "l": 1.5}, {"variant": "entropy", "attribute": "s", "l": 2.0}),
        ({"variant": "recursive", "c": 1.5, "l": 2}, {"variant": "recursive", "attribute": "s", "c": 1.5, "l": 2}),
    ],
)
def test_l_diversity_that_holds(guarantee: dict[str, Any], achieved: dict[str, Any]) -> None:
    found = judge({"model": "l_diversity", "attribute": "s", **guarantee})
    required = {"attribute": "s", **guarantee}
    assumes = "the attacker knows the quasi-identifiers and can rule out fewer than l - 1 sensitive values" + BLINDLY
    assert found == Finding("l_diversity", required, achieved, True, "bytes", assumes, "")
    found = judge({"model": "l_diversity", "attribute": "s", **guarantee, "l": 2.5})
    assert (found.holds, found.achieved, found.detail) == (False, achieved, "a class is not diverse enough")


@pytest.mark.parametrize(
    ("guarantee", "why"),
    [
        ({"variant": "other", "l": 2}, "no verifier of this variant"),
        ({"l": 2, "attribute": "q"}, "the attribute is not a sensitive one of the policy"),
        ({"l": 2, "attribute": "z"}, "the attribute is not a sensitive one of the policy"),
        ({}, "l is not a number of at least 1"),
        ({"l": 0.999}, "l is not a number of at least 1"),
        ({"l": True}, "l is not a number of at least 1"),
        ({"l": float("inf")}, "l is not a number of at least 1"),
        ({"l": "2"}, "l is not a number of at least 1"),
        ({"variant": "recursive", "l": 2}, "c is not a number above 0"),
        ({"variant": "recursive", "l": 2, "c": 0}, "c is not a number above 0"),
        ({"variant": "recursive", "l": 2, "c": -1}, "c is not a number above 0"),
    ],
)
def test_l_diversity_that_means_nothing(guarantee: dict[str, Any], why: str) -> None:
    found = judge({"model": "l_diversity", "attribute": "s", **guarantee})
    assert (found.holds, found.achieved, found.detail) == (False, {}, why)


def test_l_of_one_asks_for_nothing_and_gets_it() -> None:
    assert judge({"model": "l_diversity", "attribute": "s", "l": 1}).holds
    small_ratio = judge({"model": "l_diversity", "attribute": "s", "variant": "recursive", "c": 0.1, "l": 1})
    assert (small_ratio.holds, small_ratio.achieved["l"]) == (False, 0)


def test_a_model_without_a_verifier_never_holds() -> None:
    found = judge({"model": "m_invariance", "m": 2})
    assert found == Finding("m_invariance", {"m": 2}, {}, False, "bytes", "", "no verifier")
    assert judge({}).model == "None"


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
COIN = [[0.75, 0.25], [0.25, 0.75]]


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


# --- populations -----------------------------------------------------------------------------------------------------

PEOPLE = {"populations": {"p": {"columns": {"q": {"codes": [0, 0, 0, 1, 1], "values": ["1", "2"], "type": "text"}}}}}
"""Three people with 1 and two with 2; the table has two rows of each."""


def test_k_map_that_holds_and_that_does_not() -> None:
    assumes = (
        "the attacker knows the quasi-identifiers of everybody in the population, and not who of them is in the table"
        + BLINDLY
    )
    found = judge({"model": "k_map", "k": 2, "population": "p"}, sealed=PEOPLE)
    required = {"k": 2, "population": "p"}
    assert found == Finding("k_map", required, {"k": 2}, True, "bytes+sealed_map", assumes, "")
    found = judge({"model": "k_map", "k": 3, "population": "p"}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, {"k": 2})
    assert found.detail == "a class matches fewer than k people of the population"


def test_delta_presence_that_holds_and_that_does_not() -> None:
    assumes = "the attacker knows the quasi-identifiers of everybody in the population" + BLINDLY
    stated: dict[str, Any] = {"minimum": 0.6, "maximum": 1, "population": "p"}
    found = judge({"model": "delta_presence", **stated}, sealed=PEOPLE)
    achieved = {"minimum": 0.666666, "maximum": 1.0}
    assert found == Finding("delta_presence", stated, achieved, True, "bytes+sealed_map", assumes, "")
    found = judge({"model": "delta_presence", **stated, "maximum": 0.9}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, achieved)
    assert found.detail == "somebody's presence is likelier than the maximum"
    found = judge({"model": "delta_presence", **stated, "minimum": 0.7}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, achieved)
    assert found.detail == "somebody's presence is less likely than the minimum"
    found = judge({"model": "delta_presence", "maximum": 1, "population": "p"}, sealed=PEOPLE)
    assert (found.holds, found.required) == (True, {"minimum": 0, "maximum": 1, "population": "p"})


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"maximum": 1.1},
        {"minimum": None, "maximum": 1},
        {"minimum": "0", "maximum": 1},
        {"minimum": -0.1, "maximum": 1},
        {"minimum": 0.6, "maximum": 0.5},
        {"maximum": True},
    ],
)
def test_bounds_of_presence_that_are_no_shares(bounds: dict[str, Any]) -> None:
    found = judge({"model": "delta_presence", "population": "p", **bounds}, sealed=PEOPLE)
    assert (found.holds, found.achieved, found.detail) == (False, {}, "the bounds are not shares")


def test_bounds_of_presence_at_their_ends() -> None:
    exact = {"codes": [0, 0, 1, 1], "values": ["1", "2"], "type": "text"}
    everybody = {"populations": {"p": {"columns": {"q": exact}}}}
    stated = {"model": "delta_presence", "minimum": 1, "maximum": 1, "population": "p"}
    assert judge(stated, sealed=everybody).achieved == {"minimum": 1.0, "maximum": 1.0}
    assert judge(stated, sealed=everybody).holds


def people(**column: Any) -> dict[str, Any]:
    stated = {"codes": [0, 0, 1, 1], "values": ["1", "2"], "type": "text", **column}
    return {"populations": {"p": {"columns": {"q": stated}}}}


@pytest.mark.parametrize(
    ("sealed", "why"),
    [
        (None, "there is no sealed map of the population"),
        ({"populations": None}, "there is no sealed map of the population"),
        ({"populations": {"other": {}}}, "there is no sealed map of the population"),
        ({"populations": {"p": {"columns": {"z": {}}}}}, "the population lacks a quasi-identifier"),
        (people(codes=[]), "the columns of the population have different lengths"),
        (people(codes=[0, 2]), "the columns of the population do not fit their values"),
        (people(codes=[0, -1]), "the columns of the population do not fit their values"),
        (people(codes=[0, 0, 1]), "a class has more rows than there are people whom it covers"),
        (people(values=["1", "3"]), "a class has more rows than there are people whom it covers"),
    ],
)
def test_a_population_that_cannot_be_used(sealed: Any, why: str) -> None:
    for guarantee in ({"model": "k_map", "k": 2}, {"model": "delta_presence", "maximum": 1}):
        found = judge({**guarantee, "population": "p"}, sealed=sealed)
        assert (found.holds, found.achieved, found.detail) == (False, {}, why)
    found = judge({"model": "k_map", "k": 2, "population": "p"}, csv_of([("1",)], "s"), sealed=PEOPLE)
    assert found.detail == "a quasi-identifier is missing"


@pytest.mark.parametrize(
    ("label", "settings", "type_", "covered"),
    [
        ("20", {"recoding": "set"}, "decimal", ["20", "20.0"]),
        ('["20", "22"]', {"recoding": "set"}, "integer", ["20", "22"]),
        ("[20, 22]", {"recoding": "set"}, "integer", ["20", "22"]),
        ('["20"]', {"recoding": "set"}, "integer", ["20"]),
        ("[20, 22]", {}, "integer", ["20", "20.0", "21", "22"]),
        ("[20.0, 22]", {}, "decimal", ["20", "20.0", "21", "22"]),
        ("[21]", {}, "integer", ["21"]),
        ("[20, 21, 22]", {}, "integer", []),
        ("[]", {}, "integer", []),
        ("[20, x]", {}, "integer", []),
        ("[true, 25]", {}, "integer", []),
        ("[null, 25]", {}, "integer", []),
        ('["20", "x"]', {}, "integer", []),
        ('{"20": 1}', {}, "integer", []),
        ("[20", {}, "integer", []),
        ("[20", {}, "text", []),
        ("x", {}, "integer", []),
        ("1/0", {}, "integer", []),
        ("20", {}, "text", ["20"]),
        ('["20", "21"]', {}, "text", ["20", "21"]),
        ("[20, 21]", {}, "text", ["20", "21"]),
        ("*", {}, "integer", ["20", "20.0", "21", "22", "30", ""]),
        ("*", {}, "text", ["20", "20.0", "21", "22", "30", ""]),
        ("low", {"hierarchy": {"rows": [["20", "low", "*"], ["21", "low", "*"]]}}, "text", ["20", "21"]),
        ("low", {"hierarchy": {"rows": [["20", "low", "*"], ["21", "low", "*"]]}}, "integer", ["20", "21"]),
    ],
)
def test_whom_a_label_covers(label: str, settings: dict[str, Any], type_: str, covered: list[str]) -> None:
    values = ["20", "20.0", "21", "22", "30", ""]
    column = {"codes": list(range(6)), "values": values, "type": type_}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", **settings}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    quoted = label.replace('"', '""')
    artifact = Artifact("csv", "table", f'q\n"{quoted}"\n'.encode())
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": column}}}}).findings
    if covered:
        assert found.achieved == {"k": len(covered)}
    else:
        assert found.detail == "a class has more rows than there are people whom it covers"


@pytest.mark.parametrize(
    ("low", "high", "covered"),
    [
        ("20", "21", 2),
        ("20", "20", 1),
        ("*", "21", 2),
        ("21", "*", 3),
        ("*", "*", 5),
        ("20.0", "22", 3),
        ("20.0", "21.0", 2),
    ],
)
def test_whom_two_bounds_cover(low: str, high: str, covered: int) -> None:
    column = {"codes": [0, 1, 2, 3, 4], "values": ["20", "21", "22", "30", ""], "type": "integer"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", "recoding": "bounds"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = csv_of([(low, high)], "q_min,q_max")
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": column}}}}).findings
    assert found.achieved == {"k": covered}
    (found,) = verify(
        policy, [csv_of([("x", high)], "q_min,q_max")], {"populations": {"p": {"columns": {"q": column}}}}
    ).findings
    assert found.detail == "a class has more rows than there are people whom it covers"


def test_bounds_may_be_days() -> None:
    days = {"codes": [0, 1, 2], "values": ["2024-01-31", "2024-02-01", "2024-03-01"], "type": "date"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", "recoding": "bounds"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = csv_of([("2024-01-01", "2024-02-29")], "q_min,q_max")
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": days}}}}).findings
    assert found.achieved == {"k": 2}


def test_the_least_minimum_of_presence_is_missed_by_whom_no_class_covers() -> None:
    column = {"codes": [0, 0, 1, 1, 2], "values": ["1", "2", "3"], "type": "text"}
    sealed = {"populations": {"p": {"columns": {"q": column}}}}
    guarantee = {"model": "delta_presence", "maximum": 1, "population": "p"}
    assert judge({**guarantee, "minimum": 0}, sealed=sealed).holds
    assert not judge({**guarantee, "minimum": 1e-10}, sealed=sealed).holds


def test_dates_are_compared_as_moments() -> None:
    days = {"codes": [0, 1, 2], "values": ["2024-01-31", "2024-02-01", "2024-03-01"], "type": "date"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = Artifact("jsonl", "table", b'{"q": "[\\"2024-01-01\\", \\"2024-02-01\\"]"}\n')
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": days}}}}).findings
    assert found.achieved == {"k": 2}
    for type_, covered in (("datetime", 2), ("text", 1)):
        sealed = {"populations": {"p": {"columns": {"q": {**days, "type": type_}}}}}
        (found,) = verify(policy, [artifact], sealed).findings
        assert found.achieved == {"k": covered}


# --- degrees ---------------------------------------------------------------------------------------------------------


def graph_policy(k: Any = 2) -> dict[str, Any]:
    return {"kind": "graph", "attributes": {}, "guarantees": [{"model": "k_degree_anonymity", "k": k}]}


def test_degrees_that_hold_and_that_do_not(draw: Draw) -> None:
    path = list(draw(4, [(0, 1), (1, 2), (2, 3)]).values())
    assumes = "the attacker knows the degree of a node and nothing else about the graph"
    (found,) = verify(graph_policy(), path).findings
    assert found == Finding("k_degree_anonymity", {"k": 2}, {"k": 2}, True, "bytes", assumes, "")
    (found,) = verify(graph_policy(3), path).findings
    assert (found.holds, found.achieved) == (False, {"k": 2})
    assert found.detail == "a group of nodes with one degree is smaller than k"
    (found,) = verify(graph_policy(1), path).findings
    assert (found.holds, found.achieved, found.detail) == (False, {}, "k is not a whole number above 1")
    circle = list(draw(3, [(0, 1), (1, 2), (2, 0)], True).values())
    (found,) = verify(graph_policy(3), circle, directed=True).findings
    assert found.holds
    assert found.assumes == "the attacker knows the in- and out-degree of a node and nothing else about the graph"


# --- the form of a release -------------------------------------------------------------------------------------------


def judged(kind: str, artifacts: Sequence[Artifact], **more: Any) -> Verdict:
    model = {"table": "k_anonymity", "graph": "k_degree_anonymity"}.get(kind, "k_anonymity")
    policy = {"kind": kind, "attributes": {}, "guarantees": [{"model": model, "k": 2}], **more}
    return verify(policy, artifacts)


def test_a_kind_that_nobody_knows() -> None:
    why = "the verifier does not know this kind of dataset"
    for model in ("k_anonymity", "k_degree_anonymity"):
        verdict = judged("film", [csv_of()], guarantees=[{"model": model, "k": 2}])
        assert (verdict.faults, verdict.findings[0].detail, verdict.describe) == ((why,), why, {})
        assert not verdict.holds


def test_tables_that_cannot_be_judged() -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    empty = judged("table", [], attributes=attributes)
    assert (empty.faults, empty.findings[0].detail, empty.describe) == (("no table",), "there is no table", {})
    broken = judged("table", [Artifact("csv", "table", b"")], attributes=attributes)
    assert (broken.faults, broken.findings[0].detail) == (
        ("csv table: no header",), "an artifact could not be read",
    )  # fmt: skip
    bare = judged("table", [csv_of([], "q")], attributes=attributes)
    assert (bare.faults, bare.findings[0].detail, bare.describe) == (("csv table: no rows",), "no rows", {"rows": 0})
    twice = judged("table", [csv_of([("1", "1"), ("1", "1")], "q,q")], attributes=attributes)
    assert (twice.faults, twice.findings[0].detail) == (
        ("csv table: a column name is repeated",), "a column name is repeated",
    )  # fmt: skip
    foreign = judged(
        "table", [csv_of([("1",), ("1",)], "q"), Artifact("csv", "nodes", b""), Artifact("gml", "graph", b"")],
        attributes=attributes,
    )  # fmt: skip
    assert foreign.faults == ("2 artifact(s) of a part that this kind of release does not have",)
    assert foreign.findings[0].holds
    assert not foreign.holds


def test_tables_that_disagree() -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    rows, other = csv_of([("1",), ("1",)], "q"), Artifact("jsonl", "table", b'{"q": "1"}\n{"q": "2"}\n')
    assert judged("table", [rows, other], attributes=attributes).faults == (
        "the artifacts of one part show different rows",
    )
    repeated = csv_of([("1", "2"), ("1", "2")], "q,q")
    assert judged("table", [repeated, repeated], attributes=attributes).faults[-1] == (
        "the artifacts of one part have different columns"
    )
    renamed = Artifact("jsonl", "table", b'{"z": "1"}\n{"z": "1"}\n')
    assert judged("table", [rows, renamed], attributes=attributes).faults[-1] == (
        "the artifacts of one part have different columns"
    )


def test_graphs_that_cannot_be_judged(draw: Draw, write: Write) -> None:
    drawn = draw(2, [(0, 1)])
    none = judged("graph", [drawn["nodes"]])
    assert (none.faults, none.findings[0].detail, none.describe) == (("no graph",), "there is no graph", {})
    broken = judged("graph", [Artifact("gml", "graph", b"["), drawn["nodes"], drawn["graphml"]])
    assert broken.faults == ("gml graph: not gml",)
    assert broken.findings[0].detail == "an artifact could not be read"
    looped = judged("graph", [Artifact("edgelist", "graph", b"source,target\n0,0\n")])
    assert looped.faults == ("no node list", "edgelist graph: a self-loop")
    unnamed = judged("graph", [Artifact("gml", "graph", b'graph [ node [ id 0 town "x" ] node [ id 1 town "x" ] ]')])
    assert unnamed.faults == ("gml graph: column 2 is not named by the policy",)
    lost = judged("graph", [drawn["edgelist"]])
    assert lost.faults[0] == "no node list"
    assert lost.findings[0].detail == "there is no list of the nodes"
    nobody = judged("graph", [Artifact("gml", "graph", b"graph [ ]")])
    assert nobody.faults == ("no nodes",)
    assert not nobody.holds
    wrong = judged("graph", [drawn["graphml"], write("csv", ["node"], [[0], [2]], part="nodes")])
    assert wrong.faults == ("csv nodes: the nodes are not 0…n-1, each once",)
    fewer = judged("graph", [drawn["edgelist"], draw(3, [(0, 1)])["gml"], drawn["nodes"]])
    assert fewer.faults == ("the artifacts list different numbers of nodes",)
    unnumbered = judged("graph", [drawn["gml"], write("csv", ["q"], [["x"], ["x"]], part="nodes")])
    assert "csv nodes: the column 'node' is missing" in unnumbered.faults
    other = judged("graph", [draw(3, [(0, 1)])["gml"], draw(3, [(0, 2)])["graphml"]])
    assert other.faults == ("the artifacts show different edges",)
    foreign = judged("graph", [drawn["gml"], Artifact("csv", "table", b"")])
    assert foreign.faults == ("1 artifact(s) of a part that this kind of release does not have",)
    unlisted = judged("graph", [drawn["gml"]], attributes={"age": {"role": "quasi_identifier"}})
    assert unlisted.faults == ("no node table",)


def test_a_description_counts_classes_by_size() -> None:
    sizes = [1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 150]
    rows = [(f"c{size}",) for size in sizes for _ in range(size)]
    verdict = judged("table", [csv_of(rows, "q")], attributes={"q": {"role": "quasi_identifier"}})
    assert verdict.describe == {
        "rows": sum(sizes),
        "classes": len(sizes),
        "smallest": 1,
        "histogram": [
            {"from": 1, "to": 1, "classes": 1, "rows": 1},
            {"from": 2, "to": 2, "classes": 1, "rows": 2},
            {"from": 3, "to": 4, "classes": 2, "rows": 7},
            {"from": 5, "to": 9, "classes": 2, "rows": 14},
            {"from": 10, "to": 19, "classes": 2, "rows": 29},
            {"from": 20, "to": 49, "classes": 2, "rows": 69},
            {"from": 50, "to": 99, "classes": 2, "rows": 149},
            {"from": 100, "to": None, "classes": 2, "rows": 250},
        ],
    }
    missing = judged("table", [csv_of(rows, "z")], attributes={"q": {"role": "quasi_identifier"}})
    assert missing.describe == {"rows": sum(sizes)}


def test_a_description_of_a_directed_graph_tells_both_degrees(draw: Draw) -> None:
    policy = {"kind": "graph", "attributes": {}, "guarantees": []}
    verdict = verify(policy, list(draw(3, [(0, 1), (0, 2)], True).values()), directed=True)
    assert verdict.describe == {
        "nodes": 3,
        "edges": 2,
        "smallest": 1,
        "degrees": {"in": {"0": 1, "1": 2}, "out": {"0": 2, "2": 1}},
    }


# --- several artifacts -----------------------------------------------------------------------------------------------

EVERY_SENSITIVE: list[dict[str, Any]] = [
    {"model": "l_diversity", "l": 2, "attribute": "s"},
    {"model": "t_closeness", "t": 0.1, "distance": "equal", "attribute": "s"},
    {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"},
    {"model": "beta_likeness", "beta": 0.1, "attribute": "s"},
]


@pytest.mark.parametrize("guarantee", EVERY_SENSITIVE, ids=lambda guarantee: guarantee["model"])
def test_an_artifact_that_lacks_a_column_is_the_reason_before_one_that_is_not_enough(guarantee: dict[str, Any]) -> None:
    poor = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "cold"}\n')
    for names, why in (("s", "a quasi-identifier is missing"), ("q", "the sensitive attribute is missing")):
        for artifacts in ([csv_of([("1",), ("1",)], names), poor], [poor, csv_of([("1",), ("1",)], names)]):
            (found,) = verify(policy_of(guarantee), artifacts).findings
            assert (found.holds, found.detail) == (False, why)


@pytest.mark.parametrize("guarantee", EVERY_SENSITIVE, ids=lambda guarantee: guarantee["model"])
def test_the_worst_of_several_artifacts_decides(guarantee: dict[str, Any]) -> None:
    poor = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "cold"}\n')
    alone = verify(policy_of(guarantee), [poor]).findings[0]
    assert not alone.holds
    for artifacts in ([csv_of(), poor], [poor, csv_of()]):
        (found,) = verify(policy_of(guarantee), artifacts).findings
        assert (found.holds, found.achieved, found.detail) == (False, alone.achieved, alone.detail)


@pytest.mark.parametrize(
    "guarantee",
    [
        *EVERY_SENSITIVE,
        {"model": "k_anonymity", "k": 2},
        {"model": "k_map", "k": 2, "population": "p"},
        {"model": "delta_presence", "maximum": 1, "population": "p"},
        {"model": "local_differential_privacy", "epsilon": 2},
    ],
    ids=lambda guarantee: guarantee["model"],
)
def test_an_artifact_that_cannot_be_read_satisfies_nothing(guarantee: dict[str, Any]) -> None:
    generous = {**guarantee, "l": 1, "t": 1, "alpha": 1, "beta": 9}
    stated = {name: generous[name] for name in guarantee}
    sealed = {**PEOPLE, "mechanism": {"s": COIN}}
    (found,) = verify(policy_of(stated), [csv_of()], sealed).findings
    assert found.holds
    (found,) = verify(policy_of(stated), [csv_of(), Artifact("jsonl", "table", b"{")], sealed).findings
    assert (found.holds, found.achieved, found.detail) == (False, {}, "an artifact could not be read")


def test_without_any_evidence_the_reason_is_its_absence() -> None:
    nothing = Evidence(policy_of())
    assert find({"model": "k_anonymity", "k": 2}, nothing).detail == "there is no table"
    found = find({"model": "k_degree_anonymity", "k": 2}, nothing)
    assert found.detail == "there is no graph"
    assert "in- and out-degree" not in found.assumes


def test_people_behind_nodes_are_counted_by_the_sealed_map(draw: Draw, write: Write) -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    policy = {
        "kind": "graph",
        "attributes": attributes,
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "privacy_unit": "person",
    }
    nodes = write("csv", ["node", "q"], [[0, "a"], [1, "a"]], part="nodes")
    artifacts = [draw(2, [(0, 1)])["edgelist"], nodes]
    assert verify(policy, artifacts, {"units": [7, 8]}).holds
    assert not verify(policy, artifacts, {"units": [7, 7]}).holds
    assert not verify(policy, artifacts).holds


def test_the_likelier_of_two_artifacts_decides_about_presence() -> None:
    fewer = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "flu"}\n')
    guarantee = {"model": "delta_presence", "maximum": 0.9, "population": "p"}
    for artifacts in ([fewer, csv_of()], [csv_of(), fewer]):
        (found,) = verify(policy_of(guarantee), artifacts, PEOPLE).findings
        assert (found.holds, found.achieved) == (False, {"minimum": 0.333333, "maximum": 1.0})
        assert found.detail == "somebody's presence is likelier than the maximum"
    assert verify(policy_of(guarantee), [fewer], PEOPLE).findings[0].holds


def test_a_population_whose_columns_do_not_belong_together() -> None:
    policy = policy_of({"model": "k_map", "k": 2, "population": "p"})
    policy["attributes"]["s"]["role"] = "quasi_identifier"
    columns = {
        "q": {"codes": [0, 0, 0], "values": ["1"], "type": "text"},
        "s": {"codes": [0, 0], "values": ["flu"], "type": "text"},
    }
    (found,) = verify(policy, [csv_of()], {"populations": {"p": {"columns": columns}}}).findings
    assert found.detail == "the columns of the population have different lengths"


def test_a_policy_that_promises_nothing_is_judged_by_form() -> None:
    for guarantees in (None, [], ()):
        verdict = verify({**policy_of(), "guarantees": guarantees}, [csv_of()])
        assert (verdict.findings, verdict.holds) == ((), True)
    silent = {name: value for name, value in policy_of().items() if name != "guarantees"}
    assert verify(silent, [csv_of()]).holds


def test_with_a_privacy_unit_nodes_must_stand_in_one_order(draw: Draw, write: Write) -> None:
    policy = {"kind": "graph", "attributes": {}, "guarantees": []}
    nodes = write("csv", ["node"], [[0], [1]], part="nodes")
    turned = write("jsonl", ["node"], [[1], [0]], part="nodes")
    artifacts = [draw(2, [(0, 1)])["edgelist"], nodes, turned]
    assert verify(policy, artifacts).faults == ()
    assert verify({**policy, "privacy_unit": "person"}, artifacts).faults == (
        "the artifacts of one part show different rows",
    )


def test_a_finding_that_holds_needs_no_detail() -> None:
    verdict = Verdict((Finding("k_anonymity", {}, {}, True, "bytes", KNOWS),))
    assert verdict.holds
    assert (verdict.findings[0].detail, verdict.faults, verdict.describe) == ("", (), {})


FIRST, SECOND = "0123456789abcdef" * 2, "f" * 32


def named(rows: Sequence[Sequence[str]], sealed: Any = None, *more: Artifact) -> tuple[str, ...]:
    """Faults of a table that shows two identifiers under other names."""
    role = {"role": "identifier", "pseudonym": True}
    policy = {"kind": "table", "attributes": {"a": role, "b": role}, "guarantees": []}
    return verify(policy, [csv_of(rows, "a,b"), *more], sealed).faults


def test_pseudonyms_have_a_form_and_follow_their_values() -> None:
    rows = [(FIRST, SECOND), (FIRST, ""), (SECOND, "")]
    known = {"pseudonyms": {"a": [4, 4, 7], "b": [1, 2, 2]}}
    assert named(rows) == named(rows, known) == ()
    assert named([("Ana", SECOND)]) == ("csv table: the column 'a' has a cell that is no pseudonym",)
    assert named([(FIRST, "Ana")]) == ("csv table: the column 'b' has a cell that is no pseudonym",)
    for values in ([4, 7, 7], [4, 4, 4], [4, 5, 7], [4, 4], [4, 4, 7, 7]):
        told = named(rows, {"pseudonyms": {"a": values, "b": [1, 2, 2]}})
        assert told == ("csv table: the pseudonyms of 'a' do not follow its values",)


def test_a_pseudonym_that_is_missing_does_not_excuse_the_next() -> None:
    role = {"role": "identifier", "pseudonym": True}
    policy = {"kind": "table", "attributes": {"a": role, "b": role}, "guarantees": []}
    assert verify(policy, [csv_of([("Ana",)], "b")]).faults == (
        "csv table: the column 'a' is missing",
        "csv table: the column 'b' has a cell that is no pseudonym",
    )


def test_pseudonyms_must_stand_in_one_order_in_every_format() -> None:
    rows = [(FIRST, FIRST), (SECOND, SECOND)]
    turned = "".join(f'{{"a": "{a}", "b": "{b}"}}\n' for a, b in reversed(rows))
    assert named(rows, None, Artifact("jsonl", "table", turned.encode())) == (
        "the artifacts of one part show different rows",
    )


def test_alpha_k_counts_people_where_the_policy_does() -> None:
    guarantee = {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"}
    found = judge(guarantee, sealed={"units": [1, 2, 3, 4]}, privacy_unit="person")
    assert (found.holds, found.evidence, found.achieved["k"]) == (True, "bytes+sealed_map", 2)
    found = judge(guarantee, sealed={"units": [1, 1, 3, 4]}, privacy_unit="person")
    assert (found.holds, found.detail, found.achieved["k"]) == (False, "a class is smaller than k", 1)
    found = judge(guarantee, privacy_unit="person")
    assert not found.holds
    assert found.detail == "there is no sealed map that says which rows belong to one person"


def test_columns_may_stand_in_another_order_in_every_format() -> None:
    turned = "".join(f'{{"s": "{s}", "q": "{q}"}}\n' for q, s in ROWS)
    verdict = verify(
        policy_of({"model": "k_anonymity", "k": 2}), [csv_of(), Artifact("jsonl", "table", turned.encode())]
    )
    assert verdict.holds


def test_a_sensitive_column_that_no_table_shows_is_not_private_by_its_absence() -> None:
    guarantee = {"model": "local_differential_privacy", "epsilon": 2}
    verdict = verify(policy_of(guarantee), [csv_of([("1",), ("1",)], "q")], {"mechanism": {"s": COIN}})
    assert not verdict.holds


# --- chances that a float cannot tell from their bound ---------------------------------------------------------------


def present(rows: int, others: int, **bounds: float) -> Finding:
    """So many rows of one class, of which the population has so many more."""
    column = {"codes": [0] * (rows + others), "values": ["1"], "type": "text"}
    sealed = {"populations": {"p": {"columns": {"q": column}}}}
    artifact = csv_of([("1", "flu")] * rows)
    return judge({"model": "delta_presence", "population": "p", "maximum": 1, **bounds}, artifact, sealed)


def test_a_share_is_compared_with_the_decimal_that_stands_in_the_policy() -> None:
    assert 5 / 7 == 0.7142857142857143  # which as a decimal is more than five sevenths
    assert not present(5, 2, minimum=0.7142857142857143).holds
    assert present(5, 2, minimum=0.7142857142857142).holds
    assert present(5, 2, maximum=0.7142857142857143).holds
    assert 1 / 3 == 0.3333333333333333  # which as a decimal is less than a third
    assert not present(1, 2, maximum=0.3333333333333333).holds
    assert present(1, 2, minimum=0.3333333333333333).holds
