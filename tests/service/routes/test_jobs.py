"""Jobs: submitted, followed, cancelled."""

import json
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import redis
from sqlalchemy import text

from storage.datasets import datasets
from storage.jobs import jobs
from storage.jobs.protocol import TASK
from storage.releases import reports
from storage.releases.reports import ReportDraft
from tests.patience import wait_for
from tests.service.samples import full_report, table_policy


@pytest.fixture(scope="module")
def dataset_id(api) -> str:
    return str(api.upload().json()["id"])


def submit(api, dataset_id: str) -> str:
    with api.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": table_policy()})
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/v1/jobs/{answer.json()['id']}"
    return str(answer.json()["id"])


def beat(api, claimed: jobs.Claim, stage: str, progress: float) -> None:
    with api.worker.begin() as connection:
        assert jobs.beat(connection, claimed.job.id, claimed.fence, 60, stage, progress).held


def later(action, seconds: float = 0.3) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_a_submitted_job_has_the_documented_shape(api, dataset_id):
    job_id = submit(api, dataset_id)
    with api.client() as steward:
        job = steward.get(f"/v1/jobs/{job_id}").json()
    assert job["status"] == "queued"
    assert set(job) == {
        "id",
        "dataset_id",
        "trial",
        "comparison",
        "status",
        "stage",
        "progress",
        "release_id",
        "refusal",
        "error",
        "created_at",
        "started_at",
        "finished_at",
    }


def test_the_broker_is_told_the_id_and_nothing_else(api, redis_server, dataset_id):
    job_id = submit(api, dataset_id)
    with redis.Redis.from_url(redis_server.url) as client:

        def mine() -> list[dict[str, Any]]:
            messages = [json.loads(message) for message in client.lrange("small", 0, -1)]
            return [message for message in messages if job_id in json.dumps(message["headers"])]

        wait_for(lambda: bool(mine()), "the message")
        assert [message["headers"]["task"] for message in mine()] == [TASK]
    with api.owner.connect() as connection:
        waiting = text("SELECT count(*) FROM outbox WHERE job_id = :id")
        wait_for(lambda: connection.execute(waiting, {"id": job_id}).scalar_one() == 0, "an empty outbox")


def test_waiting_answers_as_soon_as_the_job_changes(api, dataset_id):
    job_id = submit(api, dataset_id)
    timer = later(lambda: api.claim(job_id))
    with api.client() as steward:
        job = steward.get(f"/v1/jobs/{job_id}", params={"wait": 60}).json()
    timer.join()
    assert job["status"] == "running"


def test_waiting_answers_when_the_time_is_over(api, dataset_id):
    job_id = submit(api, dataset_id)
    with api.client() as steward:
        assert steward.get(f"/v1/jobs/{job_id}", params={"wait": 0.2}).json()["status"] == "queued"
        assert steward.get(f"/v1/jobs/{job_id}", params={"wait": 61}).status_code == 422


def test_an_etag_saves_the_body_until_something_changes(api, dataset_id):
    job_id = submit(api, dataset_id)
    with api.client() as steward:
        first = steward.get(f"/v1/jobs/{job_id}")
        known = {"If-None-Match": first.headers["ETag"]}
        assert steward.get(f"/v1/jobs/{job_id}", headers=known).status_code == 304
        api.claim(job_id)
        assert steward.get(f"/v1/jobs/{job_id}", headers=known, params={"wait": 60}).json()["status"] == "running"


def test_events_tell_every_change_and_end_with_the_job(api, dataset_id):
    """Each change is made after the previous one was received, so that no two merge, however slow the machine is."""
    job_id = submit(api, dataset_id)

    def work() -> Iterator[None]:
        claimed = api.claim(job_id)
        yield
        beat(api, claimed, "protect", 0.5)
        yield
        with api.worker.begin() as connection:
            refusal = {"reasons": [{"rule": "max_suppressed", "limit": 0.05, "measured": 0.11}]}
            assert jobs.finish(connection, UUID(job_id), claimed.fence, "refused", refusal=refusal)

    changes, seen = work(), []
    with api.client() as steward, steward.stream("GET", f"/v1/jobs/{job_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                next(changes, None)
    assert seen[0]["status"] == "queued"
    assert ("running", "protect", 0.5) in [(job["status"], job["stage"], job["progress"]) for job in seen]
    assert seen[-1]["status"] == "refused"
    assert seen[-1]["refusal"]["reasons"][0]["rule"] == "max_suppressed"


def test_events_go_on_from_the_last_that_came_and_repeat_nothing(api, dataset_id):
    job_id = submit(api, dataset_id)
    path = f"/v1/jobs/{job_id}/events"

    def first(known: str | None = None, after: Any = lambda: None) -> tuple[str, dict[str, Any]]:
        """The id and the content of the first event of a stream; something is done once the stream has begun."""
        headers = {} if known is None else {"Last-Event-ID": known}
        mark, waiting = "", [after]
        with api.client() as steward, steward.stream("GET", path, headers=headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("retry: ") and known is not None and waiting:
                    waiting.pop()()
                if line.startswith("id: "):
                    mark = line.removeprefix("id: ")
                if line.startswith("data: "):
                    return mark, json.loads(line.removeprefix("data: "))
        raise AssertionError("the stream ended without an event")

    queued, seen = first()
    assert seen["status"] == "queued"
    running, seen = first(queued, lambda: api.claim(job_id))
    assert seen["status"] == "running"
    missed, seen = first(queued)
    assert (missed, seen["status"]) == (running, "running")
    with api.client() as steward:
        fence = api.owner.connect().execute(text("SELECT fence FROM jobs WHERE id = :id"), {"id": job_id}).scalar_one()
        with api.worker.begin() as connection:
            assert jobs.finish(connection, UUID(job_id), fence, "failed", error={})
        ended, seen = first(running)
        assert seen["status"] == "failed"
        assert steward.get(path, headers={"Last-Event-ID": ended}).status_code == 204


def test_a_queued_job_is_cancelled_at_once_and_a_running_one_is_asked_to_stop(api, dataset_id):
    queued, running = submit(api, dataset_id), submit(api, dataset_id)
    claimed = api.claim(running)
    with api.client() as steward:
        assert steward.post(f"/v1/jobs/{queued}/cancel").json()["status"] == "cancelled"
        assert steward.post(f"/v1/jobs/{queued}/cancel").json()["status"] == "cancelled"
        assert steward.post(f"/v1/jobs/{running}/cancel").json()["status"] == "running"
    with api.worker.begin() as connection:
        assert jobs.beat(connection, claimed.job.id, claimed.fence, 60, "protect", 0.1).cancel_requested


def test_jobs_are_listed_by_status_and_dataset(api):
    answer = api.upload(policy=table_policy(), tenant="lister").json()
    job_id, dataset_id = answer["job"]["id"], answer["dataset"]["id"]
    with api.client("steward", "lister") as steward:

        def listed(**query: str) -> list[str]:
            return [item["id"] for item in steward.get("/v1/jobs", params=query).json()["items"]]

        assert listed() == listed(status="queued") == listed(dataset_id=dataset_id) == [job_id]
        assert listed(status="released") == listed(dataset_id=job_id) == listed(dataset_id="nonsense") == []
        assert steward.get("/v1/jobs", params={"status": "nonsense"}).status_code == 422


def test_a_stored_policy_can_be_run(api, dataset_id):
    with api.client() as steward:
        policy = steward.post("/v1/policies", json={"name": "stored", "policy": table_policy()}).json()
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy_id": policy["id"]})
        assert answer.status_code == 202
        both = {"dataset_id": dataset_id, "policy_id": policy["id"], "policy": table_policy()}
        assert steward.post("/v1/jobs", json=both).status_code == 422
        narrow = api.upload(b"name,age\nx,1\ny,2\n").json()
        missing = steward.post("/v1/jobs", json={"dataset_id": narrow["id"], "policy_id": policy["id"]})
        assert [fault["detail"] for fault in missing.json()["errors"]] == [
            'there is no column "zip"',
            'there is no column "disease"',
        ]
        graph = api.upload(b"a b\nb c\n", kind="graph", file_name="g.edges").json()
        other = steward.post("/v1/jobs", json={"dataset_id": graph["id"], "policy_id": policy["id"]})
        assert other.json()["errors"][0]["pointer"] == "/policy_id"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"dataset_id": "nonsense", "policy": {}}, 404),
        ({"dataset_id": "00000000-0000-0000-0000-000000000000", "policy": {}}, 404),
        ({"dataset_id": "00000000-0000-0000-0000-000000000000"}, 422),
        ({"dataset_id": "a b", "policy": {}}, 422),
        ([], 422),
        (None, 422),
    ],
)
def test_a_wrong_submission_is_refused(api, body, status):
    with api.client() as steward:
        answer = steward.post("/v1/jobs", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_policy_is_checked_against_the_datasets_columns(api, dataset_id):
    attributes = {name: role for name, role in table_policy()["attributes"].items() if name != "zip"}
    with api.client() as steward:
        body = {"dataset_id": dataset_id, "policy": table_policy(attributes=attributes)}
        for path in ("/v1/jobs", "/v1/policies/validate"):
            answer = steward.post(path, json=body)
            assert answer.status_code == 422
            assert "zip" in answer.json()["errors"][0]["detail"]


def test_an_invalid_dataset_cannot_be_run(api):
    dataset_id = api.upload().json()["id"]
    with api.worker.begin() as connection:
        datasets.mark_invalid(connection, UUID(dataset_id), {"type": "urn:antifaz:problem:ragged-row", "status": 422})
    with api.client() as steward:
        assert steward.get(f"/v1/datasets/{dataset_id}").json()["status"] == "invalid"
        answer = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": table_policy()})
    assert answer.status_code == 409


def test_the_report_of_a_refused_job_is_readable(api, dataset_id):
    job_id = submit(api, dataset_id)
    with api.client("auditor") as auditor:
        assert auditor.get(f"/v1/jobs/{job_id}/report").status_code == 404
    claimed = api.claim(job_id)
    with api.worker.begin() as connection:
        job = claimed.job
        content = full_report(job_id, None, dataset_id, "0" * 64) | {"artifacts": []}
        reports.save_report(
            connection,
            api.release_key,
            ReportDraft(
                job_id=job.id,
                tenant_id=job.tenant_id,
                dataset_id=job.dataset_id,
                status="refused",
                method="mondrian",
                guarantees=["k_anonymity"],
                content=content,
            ),
        )
        assert jobs.finish(connection, job.id, claimed.fence, "refused", refusal={"reasons": []})
    for role in ("auditor", "steward"):
        with api.client(role) as client:
            assert client.get(f"/v1/jobs/{job_id}/report").json()["transformation"]["rows_in"] == 60


def test_internal_tasks_are_not_shown_as_jobs(api):
    dataset_id = api.upload(tenant="quiet").json()["id"]
    with api.owner.connect() as connection:
        job_id = connection.exec_driver_sql("SELECT id FROM jobs WHERE dataset_id = %s", (dataset_id,)).scalar_one()
    with api.client("steward", "quiet") as steward:
        assert steward.get(f"/v1/jobs/{job_id}").status_code == 404
        assert steward.get("/v1/jobs").json()["items"] == []
