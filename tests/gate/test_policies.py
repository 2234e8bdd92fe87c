"""G7 to G9 through the API: repeated releases, columns that no policy names, and waivers that everyone sees."""

import copy
import json
from typing import Any

import pytest

import verifier
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy


def run(stack: Stack, dataset_id: str, policy: dict[str, Any]) -> dict[str, Any]:
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy})
    assert answer.status_code == 202, answer.text
    return stack.finish(answer.json()["id"])


SHOWN = [{"rule": "as_it_is", "column": "age", "reason": "few people have the same age in so small a table"}]


def with_roles(policy: dict[str, Any], **roles: str) -> dict[str, Any]:
    changed = copy.deepcopy(policy)
    changed["attributes"] |= {name: {"role": role} for name, role in roles.items()}
    return changed


@pytest.fixture(scope="module")
def first(stack: Stack) -> dict[str, Any]:
    """The first release of a dataset."""
    job = stack.publish(patients(200), table_policy(5))
    assert job["status"] == "released", job
    return job


# G7


def test_a_second_release_with_other_quasi_identifiers_is_refused(stack: Stack, first: dict[str, Any]) -> None:
    policy = with_roles(table_policy(5), age="identifier")
    job = run(stack, first["dataset_id"], policy)
    assert job["status"] == "refused"
    reasons = job["refusal"]["reasons"]
    assert {reason["rule"] for reason in reasons} == {"composition"}
    assert reasons[0]["limit"] == 5
    assert reasons[0]["measured"] < 5


def test_a_second_release_may_not_show_what_the_first_had_to_generalize(stack: Stack, first: dict[str, Any]) -> None:
    for role in ("insensitive", "sensitive"):
        job = run(stack, first["dataset_id"], with_roles(table_policy(5, waivers=SHOWN), age=role))
        assert job["status"] == "refused", job
        assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["composition"]


def test_a_second_release_may_not_generalize_what_the_first_showed(stack: Stack) -> None:
    shown = stack.publish(patients(200, seed=5), with_roles(table_policy(5, waivers=SHOWN), age="insensitive"))
    assert shown["status"] == "released", shown
    job = run(stack, shown["dataset_id"], table_policy(5))
    assert job["status"] == "refused"
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["composition"]


def test_the_same_policy_may_be_released_again(stack: Stack, first: dict[str, Any]) -> None:
    job = run(stack, first["dataset_id"], table_policy(5))
    assert job["status"] == "released", job
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
    joint = next(finding for finding in report["guarantees"] if finding["model"] == "joint_releases")
    assert joint["holds"]
    assert joint["evidence"] == "bytes+sealed_map"


# G8


def test_a_column_that_nobody_named_is_a_422(stack: Stack) -> None:
    policy = table_policy(3)
    del policy["attributes"]["sex"]
    answer = stack.upload(patients(40), policy)
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"pointer": "/policy/attributes", "detail": 'column "sex" has no role'}]


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_text_that_is_different_in_every_row_is_not_released_by_accident(stack: Stack, role: str) -> None:
    job = stack.publish(patients(40), with_roles(table_policy(3), name=role))
    assert job["status"] == "failed"
    assert (job["error"]["rule"], job["error"]["column"]) == ("free_text", "name")


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_numbers_that_are_different_in_every_row_are_not_released_by_accident(stack: Stack, role: str) -> None:
    header, *rows = patients(40).decode().splitlines()
    numbered = "\n".join([f"{header},ssn", *(f"{row},{100_000_000 + 7919 * place}" for place, row in enumerate(rows))])
    policy = with_roles(table_policy(3), ssn=role)
    job = stack.publish(numbered.encode(), policy)
    assert job["status"] == "failed"
    assert (job["error"]["rule"], job["error"]["column"]) == ("free_text", "ssn")
    assert "100000000" not in json.dumps(job["error"])
    waived = stack.publish(numbered.encode(), policy | {"waivers": [{"rule": "free_text", "reason": "invented"}]})
    assert waived["status"] == "released", waived


# G9


def test_a_waiver_stands_in_the_public_report_and_in_the_audit_trail(stack: Stack, first: dict[str, Any]) -> None:
    reason = "the board decided on 3 March that both tables may be out"
    policy = with_roles(table_policy(5), age="identifier") | {"waivers": [{"rule": "composition", "reason": reason}]}
    job = run(stack, first["dataset_id"], policy)
    assert job["status"] == "released", job
    with stack.client("consumer") as consumer, stack.client("auditor") as auditor:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
        page = consumer.get(f"/v1/releases/{job['release_id']}/report.html").text
        events = auditor.get("/v1/audit-events", params={"limit": 100}).json()["items"]
    assert report["waivers"] == [{"rule": "composition", "reason": reason}]
    assert reason in page
    submitted = next(e for e in events if e["action"] == "job.submit" and e["subject"] == job["id"])
    published = next(e for e in events if e["action"] == "release.publish" and e["subject"] == job["release_id"])
    assert reason in json.dumps(submitted["details"])
    assert published["details"]["waivers"] == ["composition"]


# The verifier on a consumer's download.


def test_downloaded_bytes_pass_the_promised_k_and_fail_a_larger_one(stack: Stack, first: dict[str, Any]) -> None:
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{first['release_id']}/report").json()
    artifacts = [
        verifier.Artifact(form, "table", stack.data(first["release_id"], format=form)) for form in ("csv", "parquet")
    ]
    assert verifier.verify(report["policy"], artifacts).holds
    asked = copy.deepcopy(report["policy"])
    asked["guarantees"][0]["k"] = report["guarantees"][0]["achieved"]["k"] + 1
    assert not verifier.verify(asked, artifacts).holds
