"""The policy that readers of a release see: it names no column that is not released."""

import json
from typing import Any

import pytest

import verifier
from antifaz.policy.parse import parse_policy
from service.policies.published_policy import published_policy
from service.releases.views import view
from tests.service.samples import full_report

SECRET = "hiv_clinic_number"


def table(**more: Any) -> dict[str, Any]:
    document = {
        "kind": "table",
        "attributes": {
            SECRET: {"role": "identifier"},
            "patient": {"role": "identifier", "pseudonym": True},
            "age": {"role": "quasi_identifier"},
            "ill": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
        **more,
    }
    return parse_policy(document).public()


def test_a_column_that_is_not_released_has_no_name() -> None:
    shown = published_policy(table())
    assert list(shown["attributes"]) == ["patient", "age", "ill", "ward"]
    assert SECRET not in json.dumps(shown)


def test_that_people_were_counted_is_told_but_not_by_which_column() -> None:
    shown = published_policy(table(privacy_unit=SECRET))
    assert shown["privacy_unit"] is True
    assert SECRET not in json.dumps(shown)
    assert published_policy(table(privacy_unit="patient"))["privacy_unit"] == "patient"


def test_the_verifier_does_not_take_people_for_rows() -> None:
    """Without the sealed map people cannot be counted; a policy that hides the unit must not let rows pass for them."""
    content = b"patient,age,ill,ward\n" + b"p,30,flu,a\n" * 4
    artifact = verifier.Artifact("csv", "table", content)
    attributes = {name: role for name, role in table()["attributes"].items() if name != "patient"}
    attributes["patient"] = {"role": "insensitive"}
    counted = published_policy(table(attributes=attributes, privacy_unit=SECRET))
    plain = published_policy(table(attributes=attributes))
    (finding,) = verifier.verify(plain, [artifact]).findings
    assert finding.holds
    (finding,) = verifier.verify(counted, [artifact]).findings
    assert (finding.holds, finding.evidence) == (False, "bytes+sealed_map")


def test_a_policy_that_releases_everything_is_shown_as_it_is() -> None:
    attributes = {name: settings for name, settings in table()["attributes"].items() if name != SECRET}
    whole = table(attributes=attributes)
    assert published_policy(whole) == whole


def test_methods_do_not_name_what_is_not_released_either() -> None:
    step = {"name": "synthetic", "bounds": {SECRET: [0, 1], "age": [0, 120]}}
    waived = {"guarantees": [], "waivers": [{"rule": "no_guarantee", "reason": "a test"}]}
    attributes = {name: settings for name, settings in table()["attributes"].items() if name != "patient"}
    for method in (step, {"name": "pipeline", "steps": [step, {"name": "rounding", "bases": {"age": 5}}]}):
        shown = published_policy(table(attributes=attributes, method=method, **waived))
        assert SECRET not in json.dumps(shown)
        assert "age" in json.dumps(shown["method"])


def graph(method: str, guarantee: str, **more: Any) -> dict[str, Any]:
    document = {
        "kind": "graph",
        "attributes": {
            "mail": {"role": "identifier"},
            "age": {"role": "quasi_identifier"},
            "vote": {"role": "sensitive"},
        },
        "guarantees": [{"model": guarantee, "k": 3}, *more.pop("guarantees", [])],
        "method": {"name": method},
        **more,
    }
    return parse_policy(document).public()


def test_of_supernodes_only_what_is_generalized_is_named() -> None:
    measures = {"utility": [{"name": "node_classification", "attribute": "vote"}], "attacks": []}
    shown = published_policy(graph("supernodes", "supernode_size", report=measures))
    assert list(shown["attributes"]) == ["age"]
    assert [measure["name"] for measure in shown["report"]["utility"]] == ["node_classification"]
    assert "vote" not in json.dumps(shown)
    of_nodes = published_policy(graph("k_degree", "k_degree_anonymity", guarantees=[{"model": "k_anonymity", "k": 3}]))
    assert list(of_nodes["attributes"]) == ["age", "vote"]


@pytest.mark.parametrize(("role", "private", "told"), [
    ("consumer", False, False), (None, False, False), ("consumer", True, False),
    ("auditor", False, True), ("auditor", True, True), ("steward", True, True), ("admin", False, True),
])  # fmt: skip
def test_auditors_and_stewards_see_the_whole_policy(role: str | None, private: bool, told: bool) -> None:
    report = full_report("job", "release", "dataset", "0" * 64) | {"policy": table()}
    seen = view(report, role, private)
    assert (SECRET in json.dumps(seen)) is told
    assert (seen["policy"] == report["policy"]) is told
