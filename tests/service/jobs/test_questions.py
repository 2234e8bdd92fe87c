"""Questions beside releases, the limits of budgets and deltas, and numbers that are none."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from storage.audit import history
from storage.datasets import datasets
from tests.service.conftest import Api
from tests.service.jobs.test_charges import private_policy, run
from tests.service.samples import DECLARATIONS, QUESTION

WAIVERS = [{"rule": "composition", "reason": "the release was for us alone"}]


def stored(api: Api, **metadata: Any) -> str:
    answer = api.upload(**metadata)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ask(api: Api, dataset_id: str, **changes: Any) -> Any:
    return api.client().post(f"/v1/datasets/{dataset_id}/queries", json=QUESTION | changes)


def spent(api: Api, dataset_id: str) -> float:
    return float(api.client("auditor").get(f"/v1/datasets/{dataset_id}/budget").json()["spent"])


def assert_needs_the_waiver(answer: Any) -> None:
    assert answer.status_code == 409, answer.text
    assert answer.json()["type"] == "urn:antifaz:problem:composition"
    assert "waiver" in answer.json()["detail"]


# --- releases --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("withdrawn", [False, True])
def test_after_another_release_declaring_needs_the_waiver_and_the_trail_has_its_reason(
    api: Api, withdrawn: bool
) -> None:
    made = api.publish()
    if withdrawn:
        steward = api.client()
        assert steward.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "x"}).status_code == 200
    assert_needs_the_waiver(api.declare(made.dataset_id))
    assert api.declare(made.dataset_id, waivers=WAIVERS).status_code == 200
    assert ask(api, made.dataset_id).status_code == 202
    events = api.client("auditor").get("/v1/audit-events", params={"action": "declarations.put"}).json()["items"]
    noted = next(event for event in events if event["subject"] == made.dataset_id)
    assert noted["details"]["waivers"] == WAIVERS
    shown = api.client().get(f"/v1/datasets/{made.dataset_id}/declarations").json()["declarations"]
    assert shown["waivers"] == WAIVERS


def test_a_release_of_an_earlier_version_counts_for_questions_about_a_newer(api: Api) -> None:
    made = api.publish()
    newer = stored(api, supersedes=made.dataset_id)
    assert_needs_the_waiver(api.declare(newer))
    assert api.client().delete(f"/v1/datasets/{made.dataset_id}").status_code == 204
    assert_needs_the_waiver(api.declare(newer))


def test_a_release_published_after_the_declaration_stops_further_questions(api: Api) -> None:
    """Nothing was answered when it was published, so it needed no waiver; the first question does."""
    answer = api.upload(policy={**TABLE_POLICY})
    dataset_id, job_id = answer.json()["dataset"]["id"], answer.json()["job"]["id"]
    assert api.declare(dataset_id).status_code == 200
    claimed = api.claim(job_id)
    with api.worker.begin() as connection:
        api.release_as(connection, claimed, UUID(int=claimed.job.id.int ^ 1), "tenant")
    assert_needs_the_waiver(ask(api, dataset_id))
    assert spent(api, dataset_id) == 0.0
    assert api.declare(dataset_id, waivers=WAIVERS).status_code == 200
    assert ask(api, dataset_id).status_code == 202


def test_an_answer_that_was_paid_for_stays_free_after_a_release(api: Api) -> None:
    answer = api.upload(policy={**TABLE_POLICY})
    dataset_id, job_id = answer.json()["dataset"]["id"], answer.json()["job"]["id"]
    api.declare(dataset_id)
    first = ask(api, dataset_id)
    assert first.status_code == 202
    claimed = api.claim(job_id)
    with api.worker.begin() as connection:
        api.release_as(connection, claimed, UUID(int=claimed.job.id.int ^ 1), "tenant")
    assert ask(api, dataset_id).json()["id"] == first.json()["id"]
    assert_needs_the_waiver(ask(api, dataset_id, epsilon=0.2))


def test_a_charged_release_with_differential_privacy_needs_no_waiver(api: Api) -> None:
    dataset_id = stored(api, budget={"epsilon": 3})
    assert run(api, dataset_id, private_policy(0.5)).status_code == 202
    assert api.declare(dataset_id).status_code == 200
    assert ask(api, dataset_id).status_code == 202


@pytest.mark.parametrize(
    ("model", "outside"), [("differential_privacy", 0), ("local_differential_privacy", 1), ("k_anonymity", 1)]
)
def test_only_a_charged_release_that_protects_whole_records_adds_up_with_answers(
    api: Api, model: str, outside: int
) -> None:
    """Randomized values are released next to columns that are unchanged."""
    dataset_id = stored(api, budget={"epsilon": 3})
    job = run(api, dataset_id, private_policy(0.5)).json()
    promised = SimpleNamespace(job_id=UUID(job["id"]), guarantees=[{"model": model, "evidence": "mechanism"}])
    with api.worker.connect() as connection:
        found = history.outside_the_account(connection, api.release_key, [promised])  # type: ignore[list-item]
    assert len(found) == outside


@pytest.mark.parametrize("waivers", [[], [{"rule": "no_guarantee", "reason": "x"}], [{"rule": "composition"}]])
def test_a_waiver_of_declarations_is_named_and_has_a_reason(api: Api, waivers: Any) -> None:
    assert api.declare(stored(api), waivers=waivers).status_code == 422


# --- budgets and deltas ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [{"budget": {"epsilon": 5}}, {"measure": "zcdp", "budget": {"rho": 0.001}}])
def test_a_budget_set_with_the_upload_is_not_raised_before_its_first_charge(api: Api, change: Any) -> None:
    dataset_id = stored(api, budget={"epsilon": 3})
    assert api.declare(dataset_id, **change).status_code == 409
    assert api.declare(dataset_id, budget={"epsilon": 2}).status_code == 200
    for raised in (2.5, 3):
        assert api.declare(dataset_id, budget={"epsilon": raised}).status_code == 409
    newer = stored(api, supersedes=dataset_id)
    assert api.declare(newer, budget={"epsilon": 2.5}).status_code == 409


@pytest.mark.parametrize(("rows", "delta", "accepted"), [(1_000, 1e-5, 200), (1_001, 1e-5, 422), (1_001, 1e-6, 200)])
def test_a_delta_is_far_below_one_by_the_rows(api: Api, rows: int, delta: float, accepted: int) -> None:
    dataset_id = stored(api)
    with api.worker.begin() as connection:
        datasets.mark_profiled(connection, UUID(dataset_id), [{"name": "age"}, {"name": "zip"}], {"rows": rows})
    body = DECLARATIONS | {"delta": delta}
    answer = api.client().put(f"/v1/datasets/{dataset_id}/declarations", json=body)
    assert answer.status_code == accepted, answer.text


def test_a_larger_version_does_not_inherit_too_large_a_delta(api: Api) -> None:
    first = stored(api)
    assert api.declare(first, delta=1e-5).status_code == 200
    newer = stored(api, supersedes=first)
    with api.worker.begin() as connection:
        datasets.mark_profiled(connection, UUID(newer), [{"name": "age"}, {"name": "zip"}], {"rows": 10**6})
    thresholded = {"keys": "threshold", "group_by": ["zip"], "delta": 1e-9}
    assert ask(api, first, **thresholded).status_code == 202
    assert ask(api, newer, **thresholded).status_code == 409
    assert ask(api, newer).status_code == 202


@pytest.mark.parametrize("delta", [0.01, 1e-3, 1.1e-5])
def test_no_question_and_no_declaration_states_a_delta_above_that_of_policies(api: Api, delta: float) -> None:
    dataset_id = stored(api)
    assert api.declare(dataset_id, delta=delta).status_code == 422
    assert api.declare(dataset_id, delta=1e-5).status_code == 200
    assert ask(api, dataset_id, keys="threshold", group_by=["zip"], delta=delta).status_code == 422


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cost", [True, False, "1", "0.5", None, [1], {"value": 1}])
def test_only_a_number_is_a_cost(api: Api, cost: Any) -> None:
    dataset_id = stored(api)
    api.declare(dataset_id)
    assert ask(api, dataset_id, epsilon=cost).status_code == 422
    assert spent(api, dataset_id) == 0.0
    assert api.declare(dataset_id, budget={"epsilon": cost}).status_code == 422
    assert api.upload(budget={"epsilon": cost}).status_code == 422


TABLE_POLICY = {
    "kind": "table",
    "attributes": {
        "name": {"role": "identifier"}, "age": {"role": "quasi_identifier"}, "zip": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 3}],
    "method": {"name": "mondrian"},
}  # fmt: skip
