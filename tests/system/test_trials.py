"""Trials through the API: everything is done except publishing, and nothing of the result is kept."""

from typing import Any

from sqlalchemy import create_engine, text

from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy


def stored(stack: Stack, content: bytes) -> str:
    """A dataset uploaded without a policy."""
    answer = stack.upload(content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def submitted(stack: Stack, dataset_id: str, policy: dict[str, Any], **more: Any) -> dict[str, Any]:
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy, **more})
    assert answer.status_code == 202, answer.text
    return stack.finish(answer.json()["id"])


def files_of_releases(stack: Stack) -> int:
    """Rendered files in the store, published or not."""
    engine = create_engine(stack.database_url)
    with engine.connect() as connection:
        found = int(connection.execute(text("SELECT count(*) FROM blobs WHERE purpose = 'release'")).scalar_one())
    engine.dispose()
    return found


def choices() -> list[dict[str, Any]]:
    """Eleven policies of which a steward would choose one; as releases, most would conflict with the others."""
    by_k = [table_policy(k, None) for k in (2, 3, 5, 8, 10)]
    by_l = [table_policy(5, l_value) for l_value in (2, 3)]
    cuts = [table_policy(5, None, method={"name": "mondrian", "cut": cut}) for cut in ("range", "loss")]
    others = [table_policy(5, None, method={"name": name}) for name in ("datafly", "microaggregation")]
    return [*by_k, *by_l, *cuts, *others]


def test_eleven_policies_are_tried_on_one_dataset_and_one_of_them_is_released(stack: Stack) -> None:
    dataset_id, before = stored(stack, patients(120)), files_of_releases(stack)
    policies = choices()
    trials = [submitted(stack, dataset_id, policy, trial=True) for policy in policies]
    assert [trial["status"] for trial in trials] == ["assessed"] * 11
    assert all(trial["trial"] and trial["release_id"] is None for trial in trials)
    assert files_of_releases(stack) == before
    with stack.client("auditor") as auditor:
        for trial in trials:
            report = auditor.get(f"/v1/jobs/{trial['id']}/report").json()
            assert (report["status"], report["artifacts"], report["release_id"]) == ("assessed", [], None)
            assert all(guarantee["holds"] for guarantee in report["guarantees"])
            assert report["utility"]
            assert report["risk"]["attacks"]
            assert report["release"]["classes"]
        listed = auditor.get("/v1/reports", params={"status": "assessed", "dataset_id": dataset_id}).json()["items"]
        assert {item["job_id"] for item in listed} == {trial["id"] for trial in trials}
        events = auditor.get("/v1/audit-events", params={"action": "trial.assess"}).json()["items"]
        assert {trial["id"] for trial in trials} <= {event["subject"] for event in events}
    chosen = submitted(stack, dataset_id, policies[2])
    assert (chosen["status"], chosen["trial"]) == ("released", False)
    assert stack.data(chosen["release_id"])


def test_no_role_gets_a_byte_of_a_trial(stack: Stack) -> None:
    trial = submitted(stack, stored(stack, patients(60)), table_policy(3, None), trial=True)
    with stack.client("consumer") as consumer:
        assert consumer.get(f"/v1/jobs/{trial['id']}/report").status_code == 403
        releases = consumer.get("/v1/releases", params={"limit": 100}).json()["items"]
        assert trial["id"] not in [release["job_id"] for release in releases]


def test_a_trial_that_would_be_refused_is_refused(stack: Stack) -> None:
    policy = table_policy(5, None, gate={"max_loss": 0.0001})
    trial = submitted(stack, stored(stack, patients(60)), policy, trial=True)
    assert trial["status"] == "refused"
    assert [reason["rule"] for reason in trial["refusal"]["reasons"]] == ["max_loss"]


def test_a_mechanism_cannot_be_tried(stack: Stack) -> None:
    policy = table_policy(2, None)
    policy |= {
        "guarantees": [{"model": "local_differential_privacy", "epsilon": 1.0}],
        "method": {"name": "randomized_response", "values": {"disease": ["asthma", "cancer", "flu", "hepatitis"]}},
        "attributes": {
            **{name: {"role": "identifier"} for name in ("name", "age", "zip", "sex")},
            "disease": {"role": "sensitive"},
        },
    }
    dataset_id = stored(stack, patients(60))
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy, "trial": True})
    assert answer.status_code == 422, answer.text
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/trial"]
