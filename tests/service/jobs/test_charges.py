"""Charges: the cost of differentially private jobs for their lineage, from the upload's budget to the last entry."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text

from storage.jobs import jobs
from storage.releases import releases
from tests.service.conftest import Api
from tests.service.samples import table_policy

NOTHING = {
    "measure": "pure",
    "epsilon": None,
    "spent": 0.0,
    "remaining": None,
    "delta": None,
    "delta_spent": 0.0,
    "epsilon_at_delta": None,
    "entries": [],
}


def private_policy(epsilon: float = 0.5, **changes: Any) -> dict[str, Any]:
    """A policy that promises local differential privacy of `TABLE`."""
    policy = table_policy(
        guarantees=[{"model": "local_differential_privacy", "epsilon": epsilon}],
        method={"name": "randomized_response", "values": {"disease": ["asthma", "cancer", "flu", "hepatitis"]}},
    )
    policy["attributes"] = {name: {"role": "identifier"} for name in ("name", "age", "zip")} | {
        "disease": {"role": "sensitive"}
    }
    return policy | changes


def other_policy(number: int, epsilon: float = 0.5) -> dict[str, Any]:
    """The same promise in other words, so that it is another request."""
    return private_policy(epsilon, waivers=[{"rule": "composition", "reason": f"try {number}"}])


def uploaded(api: Api, epsilon: float | None = 2.0, **metadata: Any) -> str:
    """A dataset, with a budget."""
    budget = {} if epsilon is None else {"budget": {"epsilon": epsilon}}
    answer = api.upload(**budget, **metadata)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def budget_of(api: Api, dataset_id: str) -> dict[str, Any]:
    with api.client("auditor") as auditor:
        answer = auditor.get(f"/v1/datasets/{dataset_id}/budget")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def run(api: Api, dataset_id: str, policy: dict[str, Any], **headers: str) -> httpx.Response:
    with api.client() as steward:
        return steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": policy}, headers=headers)


def end(api: Api, job_id: str, status: str) -> None:
    """End a job as a worker does."""
    claimed, release_id = api.claim(job_id), uuid4()
    job = claimed.job
    with api.worker.begin() as connection:
        if status == "released":
            draft = releases.ReleaseDraft(
                id=release_id, job_id=job.id, tenant_id=job.tenant_id, dataset_id=job.dataset_id,
                lineage_id=job.dataset_id, kind="table", name="x", shape={}, guarantees=[], dictionary=[], artifacts=[],
            )  # fmt: skip
            releases.publish(connection, api.release_key, draft)
            assert jobs.finish(connection, job.id, claimed.fence, status, release_id=release_id)
        else:
            assert jobs.finish(connection, job.id, claimed.fence, status)


def test_a_job_is_charged_when_it_is_submitted_and_the_trail_says_so(api: Api) -> None:
    dataset_id = uploaded(api)
    assert budget_of(api, dataset_id) == NOTHING | {"epsilon": 2.0, "remaining": 2.0}
    job = run(api, dataset_id, private_policy(0.7)).json()
    account = budget_of(api, dataset_id)
    assert (account["spent"], account["remaining"]) == (0.7, 1.3)
    [entry] = account["entries"]
    assert (entry["job_id"], entry["epsilon"]) == (job["id"], 0.7)
    with api.client("auditor") as auditor:
        told = {event["action"]: event for event in auditor.get("/v1/audit-events?limit=200").json()["items"]}
    assert told["budget.charge"]["subject"] == dataset_id
    assert told["budget.charge"]["details"] == {"job": job["id"], "micro_epsilon": 700_000}
    assert told["budget.open"]["details"] == {"micro_epsilon": 2_000_000}


def test_an_upload_with_its_policy_is_charged_too(api: Api) -> None:
    answer = api.upload(policy=private_policy(0.5), budget={"epsilon": 0.5})
    assert answer.status_code == 202, answer.text
    account = budget_of(api, answer.json()["dataset"]["id"])
    assert (account["spent"], account["remaining"]) == (0.5, 0.0)
    assert account["entries"][0]["job_id"] == answer.json()["job"]["id"]


def test_an_upload_that_its_budget_does_not_allow_stores_nothing(api: Api) -> None:
    before = api.count("datasets"), api.count("jobs"), api.count("budgets")
    answer = api.upload(policy=private_policy(0.6), budget={"epsilon": 0.5})
    assert answer.status_code == 409, answer.text
    assert (api.count("datasets"), api.count("jobs"), api.count("budgets")) == before


def test_an_exhausted_budget_is_a_409_and_no_worker_gets_to_see_the_job(api: Api) -> None:
    dataset_id = uploaded(api, 1.0)
    assert run(api, dataset_id, other_policy(1, 0.75)).status_code == 202
    before = api.count("jobs"), api.count("outbox"), api.count("blobs")
    answer = run(api, dataset_id, other_policy(2, 0.3))
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:antifaz:problem:budget-exhausted"
    assert (problem["needed"], problem["remaining"]) == (0.3, 0.25)
    assert (api.count("jobs"), api.count("blobs")) == (before[0], before[2])
    assert budget_of(api, dataset_id)["spent"] == 0.75
    assert run(api, dataset_id, other_policy(3, 0.25)).status_code == 202
    assert budget_of(api, dataset_id)["remaining"] == 0.0


def test_a_budget_of_nothing_allows_nothing_but_what_costs_nothing(api: Api) -> None:
    dataset_id = uploaded(api, 0)
    assert run(api, dataset_id, private_policy(0.0001)).status_code == 409
    assert run(api, dataset_id, table_policy()).status_code == 202
    assert budget_of(api, dataset_id) == NOTHING | {"epsilon": 0.0, "remaining": 0.0}


def test_without_a_budget_nothing_is_charged(api: Api) -> None:
    dataset_id = uploaded(api, None)
    assert run(api, dataset_id, private_policy()).status_code == 202
    assert budget_of(api, dataset_id) == NOTHING


def test_many_requests_at_once_are_granted_exactly_what_there_is(api: Api) -> None:
    dataset_id = uploaded(api, 1.0)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: run(api, dataset_id, other_policy(n, 0.05)).status_code, range(40)))
    assert sorted(answers) == [202] * 20 + [409] * 20
    account = budget_of(api, dataset_id)
    assert (account["spent"], account["remaining"], len(account["entries"])) == (1.0, 0.0, 20)


def test_the_same_request_is_the_same_job_and_one_charge(api: Api) -> None:
    dataset_id = uploaded(api)
    policy = private_policy(1)
    first = run(api, dataset_id, policy)
    reordered = json.loads(json.dumps(dict(reversed(list(policy.items())))))
    reordered["guarantees"][0]["epsilon"] = 1.0
    reordered["gate"] = {}
    again = run(api, dataset_id, reordered)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["location"] == first.headers["location"]
    with api.client() as steward:
        kept = steward.post("/v1/policies", json={"name": "noisy", "policy": policy}).json()
        stored = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy_id": kept["id"]})
    assert stored.json()["id"] == first.json()["id"]
    end(api, first.json()["id"], "released")
    last = run(api, dataset_id, policy)
    assert (last.status_code, last.json()["id"], last.json()["status"]) == (200, first.json()["id"], "released")
    assert budget_of(api, dataset_id)["spent"] == 1.0


def test_the_same_graph_asked_for_twice_is_one_release_and_one_charge(api: Api) -> None:
    answer = api.upload(b"a b\nb c\nc d\n", file_name="g.edges", kind="graph", budget={"epsilon": 5.0})
    dataset_id = answer.json()["id"]
    guarantee = {"model": "edge_local_dp", "epsilon": 3.0, "density": {"declared": 0.5}}
    policy = {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}}
    first, again = (run(api, dataset_id, policy).json() for _ in range(2))
    assert first["id"] == again["id"]
    assert budget_of(api, dataset_id)["remaining"] == 2.0
    guarantee["density"] = {"noisy": {"share": 0.1}}
    assert run(api, dataset_id, policy).status_code == 409


def test_twenty_of_the_same_request_at_once_are_one_job_and_one_charge(api: Api) -> None:
    dataset_id = uploaded(api)
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: run(api, dataset_id, private_policy()), range(20)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len(budget_of(api, dataset_id)["entries"]) == 1


@pytest.mark.parametrize("status", ["refused", "failed"])
def test_a_request_after_an_end_without_a_release_costs_again(api: Api, status: str) -> None:
    dataset_id = uploaded(api)
    seen = set()
    for _ in range(3):
        answer = run(api, dataset_id, private_policy())
        assert answer.status_code == 202
        seen.add(answer.json()["id"])
        end(api, answer.json()["id"], status)
    assert len(seen) == 3
    assert budget_of(api, dataset_id)["spent"] == 1.5


def test_what_a_cancelled_job_cost_stays_spent(api: Api) -> None:
    dataset_id = uploaded(api)
    job = run(api, dataset_id, private_policy()).json()
    with api.client() as steward:
        assert steward.post(f"/v1/jobs/{job['id']}/cancel").json()["status"] == "cancelled"
    assert budget_of(api, dataset_id)["spent"] == 0.5
    assert run(api, dataset_id, private_policy()).json()["id"] != job["id"]
    assert budget_of(api, dataset_id)["spent"] == 1.0


def test_a_withdrawn_release_answers_nobody(api: Api) -> None:
    dataset_id = uploaded(api)
    job = run(api, dataset_id, private_policy()).json()
    end(api, job["id"], "released")
    with api.client() as steward:
        release_id = steward.get(f"/v1/jobs/{job['id']}").json()["release_id"]
        assert steward.post(f"/v1/releases/{release_id}/withdraw", json={"reason": "x"}).status_code == 200
    assert run(api, dataset_id, private_policy()).json()["id"] != job["id"]


def test_the_same_key_is_charged_once(api: Api) -> None:
    dataset_id = uploaded(api)
    key = {"Idempotency-Key": uuid4().hex}
    first, again = (run(api, dataset_id, private_policy(), **key) for _ in range(2))
    assert first.json() == again.json()
    assert len(budget_of(api, dataset_id)["entries"]) == 1


def test_versions_share_the_budget_of_the_first_and_deletion_does_not_reset_it(api: Api) -> None:
    first = uploaded(api, 1.0)
    assert run(api, first, private_policy(0.6)).status_code == 202
    second = uploaded(api, None, supersedes=first)
    third = uploaded(api, 1.0, supersedes=second)
    with api.client() as steward:
        assert steward.delete(f"/v1/datasets/{first}").status_code == 204
        assert steward.get(f"/v1/datasets/{first}/budget").status_code == 404
    for version in (second, third):
        assert budget_of(api, version)["remaining"] == 0.4
        assert run(api, version, private_policy(0.6)).status_code == 409
    assert run(api, second, private_policy(0.4)).status_code == 202
    assert budget_of(api, third)["remaining"] == 0.0


@pytest.mark.parametrize("first", [None, 1.0])
def test_a_later_version_cannot_bring_another_budget(api: Api, first: float | None) -> None:
    answer = api.upload(supersedes=uploaded(api, first), budget={"epsilon": 5.0})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/metadata/budget"


@pytest.mark.parametrize("budget", [{"epsilon": -1}, {"epsilon": "1"}, {"epsilon": 1_000_001}, {}, 2.0, {"delta": 1}])
def test_a_budget_that_makes_no_sense_is_a_422(api: Api, budget: Any) -> None:
    answer = api.upload(budget=budget)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith("/metadata/budget")


def test_a_budget_is_kept_in_millionths_rounded_down(api: Api) -> None:
    assert budget_of(api, uploaded(api, 0.1234567))["epsilon"] == 0.123456


def test_entries_and_accounts_agree(api: Api) -> None:
    with api.owner.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT b.lineage_id FROM budgets b LEFT JOIN charges c USING (lineage_id)"
                " GROUP BY b.lineage_id, b.spent HAVING b.spent <> coalesce(sum(c.units), 0)"
            )
        )
        assert [UUID(str(row[0])) for row in rows] == []


class Spending(RuleBasedStateMachine):
    """Uploads, versions, requests, ends and deletions in any order, and the expected state of the ledger."""

    api: ClassVar[Api]
    datasets = Bundle("datasets")
    jobs = Bundle("jobs")

    def __init__(self) -> None:
        super().__init__()
        self.total: dict[str, int] = {}
        self.spent: dict[str, int] = {}
        self.lineage: dict[str, str] = {}
        self.standing: dict[tuple[str, int], str] = {}
        self.running: dict[str, tuple[str, int]] = {}
        self.gone: set[str] = set()

    @rule(target=datasets, tenths=st.integers(0, 15))
    def upload(self, tenths: int) -> str:
        made = uploaded(self.api, tenths / 10)
        self.lineage[made] = made
        self.total[made], self.spent[made] = tenths, 0
        return made

    @rule(target=datasets, earlier=datasets)
    def upload_a_version(self, earlier: str) -> str:
        made = uploaded(self.api, None, supersedes=earlier)
        self.lineage[made] = self.lineage[earlier]
        return made

    @rule(target=jobs, dataset=datasets, tenths=st.integers(1, 6))
    def submit(self, dataset: str, tenths: int) -> Any:
        answer = run(self.api, dataset, private_policy(tenths / 10))
        lineage, request = self.lineage[dataset], (dataset, tenths)
        if dataset in self.gone:
            assert answer.status_code == 404
        elif request in self.standing:
            assert answer.json()["id"] == self.standing[request]
        elif self.spent[lineage] + tenths > self.total[lineage]:
            assert answer.status_code == 409
        else:
            assert answer.status_code == 202
            self.spent[lineage] += tenths
            job_id = str(answer.json()["id"])
            self.standing[request], self.running[job_id] = job_id, request
            return job_id
        return multiple()

    @rule(job=consumes(jobs), status=st.sampled_from(["released", "refused", "failed", "cancelled"]))
    def end(self, job: str, status: str) -> None:
        request = self.running.pop(job)
        if request[0] in self.gone:
            return
        if status == "cancelled":
            with self.api.client() as steward:
                assert steward.post(f"/v1/jobs/{job}/cancel").status_code == 200
        else:
            end(self.api, job, status)
        if status != "released":
            del self.standing[request]

    @rule(dataset=datasets)
    def delete(self, dataset: str) -> None:
        with self.api.client() as steward:
            assert steward.delete(f"/v1/datasets/{dataset}").status_code == (404 if dataset in self.gone else 204)
        self.gone.add(dataset)

    @invariant()
    def the_ledger_says_what_was_spent(self) -> None:
        for dataset in set(self.lineage) - self.gone:
            account, lineage = budget_of(self.api, dataset), self.lineage[dataset]
            assert round(account["spent"] * 10) == self.spent[lineage] <= self.total[lineage]
            assert round(account["remaining"] * 10) == self.total[lineage] - self.spent[lineage]


@pytest.mark.long
def test_whatever_happens_in_whatever_order_the_ledger_agrees_with_a_simple_model(api: Api) -> None:
    Spending.api = api
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    about = settings(max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=checks)
    run_state_machine_as_test(Spending, settings=about)


@pytest.mark.parametrize("change", ["UPDATE budgets SET spent = 0", "UPDATE charges SET units = 1"])
def test_a_ledger_that_was_lowered_behind_our_back_is_contradicted_by_the_trail(api: Api, change: str) -> None:
    dataset_id = uploaded(api)
    run(api, dataset_id, private_policy(0.7))
    with api.client("auditor") as auditor:
        assert auditor.get("/v1/audit-events/verify").json()["contradicted"] == []
        charged = auditor.get("/v1/audit-events", params={"action": "budget.charge"}).json()["items"][0]
    assert charged["subject"] == dataset_id
    with api.owner.connect() as connection, connection.begin() as transaction:
        connection.exec_driver_sql("ALTER TABLE budgets DISABLE TRIGGER budgets_only_grow")
        assert connection.execute(text(f"{change} WHERE lineage_id = :id"), {"id": dataset_id}).rowcount == 1
        connection.exec_driver_sql("ALTER TABLE budgets ENABLE TRIGGER budgets_only_grow")
        transaction.commit()
    with api.client("auditor") as auditor:
        assert auditor.get("/v1/audit-events/verify").json()["contradicted"] == [charged["number"]]
    with api.owner.connect() as connection, connection.begin():
        connection.execute(text("UPDATE budgets SET spent = 700000 WHERE lineage_id = :id"), {"id": dataset_id})
        connection.execute(text("UPDATE charges SET units = 700000 WHERE lineage_id = :id"), {"id": dataset_id})
