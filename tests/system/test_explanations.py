"""Explanations for stewards: why a job was refused, what would have worked, and how a release was made."""

from typing import Any

from tests.system.samples import patients, table_policy


def report_of(stack: Any, job: dict[str, Any], role: str) -> dict[str, Any]:
    with stack.client(role) as client:
        answer = client.get(f"/v1/jobs/{job['id']}/report")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


def towns_policy(k: int, most_suppressed: float) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {"town": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "guarantees": [{"model": "k_anonymity", "k": k}],
        "method": {"name": "suppress"},
        "gate": {"max_suppressed": most_suppressed},
    }


def test_a_refused_job_names_settings_each_of_which_then_works(stack):
    rows = [f"{town},{number % 3}" for town, size in (("A", 60), ("B", 30), ("C", 10)) for number in range(size)]
    towns = "\n".join(["town,disease", *rows]).encode()
    job = stack.publish(towns, towns_policy(40, 0.1))
    assert job["status"] == "refused", (job, stack.said())
    assert job["refusal"]["reasons"] == [{"rule": "max_suppressed", "limit": 0.1, "measured": 0.4}]
    assert job["refusal"]["nearest"] == {"k": 30.0, "max_suppressed": 0.4}
    assert stack.publish(towns, towns_policy(31, 0.1))["status"] == "refused"
    assert stack.publish(towns, towns_policy(30, 0.1))["status"] == "released"
    assert stack.publish(towns, towns_policy(40, 0.4))["status"] == "released"


def test_a_release_explains_its_attributes_its_tight_classes_and_its_missing_rows(stack):
    job = stack.publish(patients(), table_policy(k=5, l_value=None, method={"name": "datafly", "suppression": 0.2}))
    assert job["status"] == "released", (job, stack.said())
    told = report_of(stack, job, "auditor")["explanation"]
    assert {attribute["name"] for attribute in told["attributes"]} == {"age", "zip", "sex"}
    assert all(0 <= attribute["exact"] <= 1 for attribute in told["attributes"])
    (line,) = told["limits"]
    assert (line["model"], line["limit"]) == ("k_anonymity", 5)
    assert set(told["suppressed"]) == {"missing_values", "method", "because"}
    with stack.client("consumer") as client:
        assert "explanation" not in client.get(f"/v1/releases/{job['release_id']}/report").json()
