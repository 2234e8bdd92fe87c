"""Texts of a finding: what was required and reached, against which attacker it holds, and why it does not."""

from typing import Any

import numpy as np
import pytest

from tests.verifier.reasoning import BLINDLY, KNOWS, csv_of, judge
from verifier import Finding

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
