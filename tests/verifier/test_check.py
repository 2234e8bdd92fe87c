"""The verifier on tables: worked examples, and cases it cannot judge."""

from typing import Any

import pytest

from tests.verifier.checking import (
    FORMATS,
    HOSPITAL,
    HOSPITAL_NAMES,
    Write,
    achieved_k,
    hospital_policy,
    k_anonymity,
    l_diversity,
    table_policy,
)
from verifier import Artifact, verify

# worked examples


@pytest.mark.parametrize("form", FORMATS)
def test_the_hospital_table_is_4_anonymous_and_its_last_class_is_homogeneous(write: Write, form: str) -> None:
    artifact = write(form, HOSPITAL_NAMES, HOSPITAL)
    verdict = verify(hospital_policy(k_anonymity(4), l_diversity(2, "disease")), [artifact])
    anonymity, diversity = verdict.findings
    assert anonymity.holds
    assert anonymity.achieved == {"k": 4}
    assert anonymity.evidence == "bytes"
    assert not diversity.holds
    assert diversity.achieved["l"] == 1
    assert diversity.detail
    assert not verdict.holds
    assert verdict.faults == ()


def test_the_hospital_table_without_its_homogeneous_class_is_2_diverse_but_not_5_anonymous(write: Write) -> None:
    artifact = write("csv", HOSPITAL_NAMES, HOSPITAL[:8])
    assert verify(hospital_policy(k_anonymity(4), l_diversity(2, "disease")), [artifact]).holds
    assert not verify(hospital_policy(k_anonymity(5)), [artifact]).holds
    assert not verify(hospital_policy(l_diversity(3, "disease")), [artifact]).holds


def test_describes_the_class_sizes_of_the_release(write: Write) -> None:
    describe = verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL)]).describe
    assert (describe["rows"], describe["classes"], describe["smallest"]) == (12, 3, 4)
    shown = [part for part in describe["histogram"] if part["classes"]]
    assert shown == [{"from": 3, "to": 4, "classes": 3, "rows": 12}]


def test_entropy_diversity_of_a_uniform_class_is_exactly_its_number_of_values(write: Write) -> None:
    for values in range(2, 12):
        rows = [("x", f"s{value}") for value in range(values)] * 3
        policy = table_policy(["q"], l_diversity(values, "s", "entropy"), sensitive="s")
        (finding,) = verify(policy, [write("csv", ("q", "s"), rows)]).findings
        assert finding.holds
        assert finding.achieved["l"] == values
        stricter = table_policy(["q"], l_diversity(values + 1e-12, "s", "entropy"), sensitive="s")
        assert not verify(stricter, [write("csv", ("q", "s"), rows)]).holds


def test_recursive_diversity_is_strict_at_its_bound(write: Write) -> None:
    rows = [("x", "a")] * 11 + [("x", "b")] * 10
    artifact = write("csv", ("q", "s"), rows)
    for c, holds in ((1.1, False), (1.2, True), (1.0, False)):
        policy = table_policy(["q"], l_diversity(2, "s", "recursive", c=c), sensitive="s")
        assert verify(policy, [artifact]).holds is holds


# pitfalls of others


@pytest.mark.parametrize("form", FORMATS)
def test_a_missing_value_does_not_hide_a_unique_row(write: Write, form: str) -> None:
    verdict = verify(table_policy(["c"], k_anonymity(2)), [write(form, ["c"], [["a"], ["a"], [None]])])
    assert achieved_k(verdict) == 1
    assert not verdict.holds


@pytest.mark.parametrize("form", FORMATS)
def test_the_order_of_rows_does_not_matter(write: Write, form: str) -> None:
    rows = [("1", "a"), ("1", "a"), ("2", "b"), ("2", "c")]
    policy = table_policy(["q"], l_diversity(2, "s"), sensitive="s")
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (3, 1, 2, 0)):
        (finding,) = verify(policy, [write(form, ("q", "s"), [rows[place] for place in order])]).findings
        assert finding.achieved["l"] == 1
        assert not finding.holds


@pytest.mark.parametrize("form", FORMATS)
def test_a_suppressed_row_is_a_class_of_its_own(write: Write, form: str) -> None:
    rows = [("20", "m"), ("20", "m"), ("*", "*")]
    assert achieved_k(verify(table_policy(["age", "sex"], k_anonymity(2)), [write(form, ("age", "sex"), rows)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_a_missing_cell_is_a_value_and_not_a_wildcard(write: Write, form: str) -> None:
    rows = [("a", "x", "1"), (None, "x", "1"), ("a", None, "1"), ("a", "x", None)]
    names = ("key1", "key2", "key3")
    assert achieved_k(verify(table_policy(names, k_anonymity(2)), [write(form, names, rows)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_a_trailing_space_makes_another_class(write: Write, form: str) -> None:
    rows = [["1"], ["1"], ["1 "]]
    assert achieved_k(verify(table_policy(["q"], k_anonymity(2)), [write(form, ["q"], rows)])) == 1


def test_texts_that_readers_take_for_missing_stay_texts(write: Write) -> None:
    rows = [[text] for text in ("NA", "NaN", "null", "N/A", "", "None")]
    verdict = verify(table_policy(["q"], k_anonymity(2)), [write("csv", ["q"], rows)])
    assert verdict.describe["classes"] == 6


def test_a_number_and_its_text_are_two_cells() -> None:
    content = b'{"q": 1}\n{"q": "1"}\n'
    assert achieved_k(verify(table_policy(["q"], k_anonymity(2)), [Artifact("jsonl", "table", content)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_k_counts_persons_and_not_their_rows(write: Write, form: str) -> None:
    artifact = write(form, ["q"], [["a"]] * 5)
    policy = table_policy(["q"], k_anonymity(5), privacy_unit="person")
    alone = verify(policy, [artifact], {"units": [7] * 5}).findings[0]
    assert alone.achieved == {"k": 1}
    assert not alone.holds
    assert alone.evidence == "bytes+sealed_map"
    assert verify(policy, [artifact], {"units": [3, 1, 4, 2, 5]}).holds


@pytest.mark.parametrize("sealed_map", [None, {}, {"units": []}, {"units": [1, 2]}, {"units": ["a", "b", "c"]}])
def test_without_a_usable_map_of_persons_nothing_is_granted(write: Write, sealed_map: dict[str, Any] | None) -> None:
    policy = table_policy(["q"], k_anonymity(2), privacy_unit="person")
    (finding,) = verify(policy, [write("csv", ["q"], [["a"]] * 3)], sealed_map).findings
    assert not finding.holds
    assert finding.detail


def test_with_a_map_of_persons_the_formats_must_agree_row_by_row(write: Write) -> None:
    rows = [["a"], ["a"], ["b"], ["b"]]
    policy = table_policy(["q"], k_anonymity(2), privacy_unit="person")
    pair = [write("csv", ["q"], rows), write("parquet", ["q"], rows[::-1])]
    assert verify(policy, pair, {"units": [1, 2, 3, 4]}).faults
    assert verify(table_policy(["q"], k_anonymity(2)), pair).holds


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_release_never_passes(write: Write, form: str) -> None:
    verdict = verify(table_policy(["q"], k_anonymity(2)), [write(form, ["q"], [])])
    assert not verdict.holds
    assert not verdict.findings[0].holds
    assert not verify(table_policy(["q"]), [write(form, ["q"], [])]).holds


def test_a_release_without_artifacts_never_passes() -> None:
    assert verify(table_policy(["q"]), []).faults == ("no table",)
    assert not verify({"kind": "graph", "guarantees": []}, []).holds


# parameters and models that cannot be judged


@pytest.mark.parametrize(
    "guarantee",
    [
        {"model": "t_closeness", "t": 0.2, "attribute": "s"},
        {"model": "k_degree_anonymity", "k": 2},
        {"model": "k_anonymity"},
        {"model": "k_anonymity", "k": 1},
        {"model": "k_anonymity", "k": "2"},
        {"model": "k_anonymity", "k": True},
        {"model": "l_diversity", "variant": "average", "l": 2, "attribute": "s"},
        {"model": "l_diversity", "l": 2, "attribute": "q"},
        {"model": "l_diversity", "l": 2, "attribute": "absent"},
        {"model": "l_diversity", "l": float("nan"), "attribute": "s"},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "attribute": "s"},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 0, "attribute": "s"},
    ],
)
def test_what_the_verifier_cannot_judge_does_not_hold(write: Write, guarantee: dict[str, Any]) -> None:
    rows = [("x", "a"), ("x", "b"), ("x", "c")]
    verdict = verify(table_policy(["q"], guarantee, sensitive="s"), [write("csv", ("q", "s"), rows)])
    (finding,) = verdict.findings
    assert not finding.holds
    assert finding.detail
    assert not verdict.holds


def test_an_unknown_model_has_no_verifier(write: Write) -> None:
    (finding,) = verify(table_policy(["q"], {"model": "m_invariance", "m": 3}), [write("csv", ["q"], [["a"]])]).findings
    assert (finding.model, finding.required, finding.detail) == ("m_invariance", {"m": 3}, "no verifier")


def test_an_unknown_kind_of_dataset_is_refused(write: Write) -> None:
    verdict = verify({"kind": "hypergraph", "guarantees": [k_anonymity(2)]}, [write("csv", ["q"], [["a"]] * 2)])
    assert verdict.faults
    assert not verdict.findings[0].holds


def test_a_policy_without_guarantees_is_judged_by_its_form_alone(write: Write) -> None:
    assert verify(table_policy(["q"]), [write("csv", ["q"], [["a"]])]).holds
