"""Duplicates, double submissions, cancellations, clocks: in any order, everything happens once."""

import json
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import create_engine

from storage.blobs.intake import store_original
from storage.blobs.keyring import store_sealed
from storage.crypto.keys import load_public_key, load_release_key
from storage.jobs import jobs
from storage.jobs.jobs import JobDraft
from storage.jobs.protocol import TASK
from storage.settings import Settings
from tests.faults.harness import World, wake
from tests.patience import RECOVERY, patience, wait_for
from workers.process.app import create_celery

long = pytest.mark.long
PLACES = ("claimed", "decrypted", "protected", "sealing", "verified", "publishing", "published")
SKEW = """
import os, time
_shift = float(os.environ["FAULT_CLOCK_SKEW"])
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + _shift
time.time_ns = lambda: _time_ns() + int(_shift * 1e9)
"""


@pytest.mark.parametrize("moment", ["before", pytest.param("during", marks=long), pytest.param("after", marks=long)])
def test_a_message_delivered_twenty_times(rig: World, moment: str) -> None:
    """One attempt, one release."""
    if moment == "during":
        rig.arm("protected:sleep=3")
    job_id = rig.submit()
    if moment == "during":
        rig.fired()
    if moment == "after":
        assert rig.end_of(job_id) == "released"
    celery = create_celery(Settings(broker_url=rig.redis.url))
    for _ in range(20):
        celery.send_task(TASK, args=[job_id], queue="small")
    celery.close()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 1


@pytest.mark.parametrize("times", [10, pytest.param(50, marks=long)])
def test_submissions_with_one_key_at_one_time(rig: World, times: int) -> None:
    """One job, and every request gets the same answer."""
    request = rig.request()
    answers: list[str] = []
    together([lambda: answers.append(rig.insist(request))] * times)
    assert len(answers) == times
    assert len(set(answers)) == 1
    assert rig.end_of(answers[0]) == "released"


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "publishing" else long) for p in PLACES])
def test_a_job_cancelled_while_its_worker_is_at(rig: World, place: str) -> None:
    """Either cancelled or released: cancelled as long as the release is not being written."""
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    worker = rig.fired()
    statuses: list[int] = []
    cancelling = threading.Thread(target=lambda: statuses.append(cancel(rig, job_id)))
    cancelling.start()
    time.sleep(0.5)
    wake(worker)
    cancelling.join(patience(RECOVERY))
    assert statuses == [200]
    assert rig.end_of(job_id) == ("released" if place in ("publishing", "published") else "cancelled")


def test_a_cancelled_job_whose_work_does_not_look_at_its_watch(rig: World) -> None:
    """The process that does the work is ended, the job is cancelled, and the worker takes the next job."""
    for name in ("worker", "worker-second"):
        rig.stack.kill(name)
    rig.stack.start("worker", ANTIFAZ_UNHEARD_SECONDS="1")
    rig.arm("decrypted:sleep=3600")
    job_id = rig.submit()
    deaf = rig.fired()
    assert cancel(rig, job_id) == 200
    assert rig.end_of(job_id) == "cancelled"
    wait_for(lambda: not Path(f"/proc/{deaf}").exists(), "the end of the process", RECOVERY)
    assert rig.said_so_often("the work was left") == 1
    assert rig.end_of(rig.submit()) == "released"
    rig.stack.kill("worker")


@pytest.mark.long
def test_jobs_cancelled_at_any_moment(rig: World) -> None:
    """Each ends either cancelled or released."""
    job_ids = [rig.submit() for _ in range(12)]

    def later(number: int) -> Callable[[], None]:
        def act() -> None:
            time.sleep(number * 0.15)
            assert cancel(rig, job_ids[number]) == 200

        return act

    together([later(number) for number in range(12)])
    assert {rig.end_of(job_id) for job_id in job_ids} <= {"cancelled", "released"}


@pytest.mark.long
def test_a_job_submitted_while_its_dataset_is_deleted(rig: World) -> None:
    """It fails, and its policy, which lists values, is destroyed too."""
    request = rig.request()
    assert rig.end_of(rig.insist(request)) == "released"
    [(tenant_id, dataset_id)] = rig.ask("SELECT tenant_id, id FROM datasets WHERE name = %s", request.name)
    with rig.stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{dataset_id}").status_code == 204
    job_id, blob_id = submit_late(rig, tenant_id, dataset_id, request.policy)
    assert rig.end_of(job_id) == "failed"
    assert rig.job(job_id)["error"]["rule"] == "deleted"
    assert rig.ask("SELECT 1 FROM sealed_keys WHERE blob_id = %s", blob_id, keyring=True) == []
    assert rig.ask("SELECT 1 FROM original_chunks WHERE blob_id = %s", blob_id) == []


@pytest.mark.long
@pytest.mark.parametrize("hours", [1, -1])
def test_clocks_that_are_wrong_by_hours(rig: World, tmp_path: Path, hours: int) -> None:
    """Leases use the database's clock: no worker takes a job that another one is working on."""
    (tmp_path / "sitecustomize.py").write_text(SKEW)
    skewed = {"PYTHONPATH": str(tmp_path), "FAULT_CLOCK_SKEW": str(hours * 3600)}
    for name in ("worker", "sweeper", "api"):
        rig.restart(name, **skewed)
    rig.arm("protected:sleep=7")
    job_id = rig.insist(rig.request())
    assert abs(shift(rig.stack.logs / "api.log") - hours * 3600) < 60, "the clock was not shifted"
    rig.fired()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 1
    rig.arm("protected:kill")
    job_id = rig.submit()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 2
    for name in ("worker", "sweeper", "api"):
        rig.restart(name)


def submit_late(rig: World, tenant_id: UUID, dataset_id: UUID, policy: dict[str, Any]) -> tuple[str, UUID]:
    """Commit a job like a request that read the dataset just before it was deleted."""
    public_key = load_public_key(Path(rig.stack.api_environment["ANTIFAZ_WORKER_PUBLIC_KEY_FILE"]))
    main, keys = create_engine(rig.databases.url), create_engine(rig.databases.keyring_url)
    with main.begin() as connection, keys.begin() as keyring:
        stored = store_original(connection, public_key, tenant_id, json.dumps(policy).encode())
        store_sealed(keyring, stored.blob_id, stored.sealed)
        draft = JobDraft(tenant_id=tenant_id, dataset_id=dataset_id, policy={}, policy_blob_id=stored.blob_id)
        key = load_release_key(Path(rig.stack.api_environment["ANTIFAZ_RELEASE_KEY_FILE"]))
        job = jobs.submit(connection, jobs.bind(key, draft))
    main.dispose()
    keys.dispose()
    return str(job.id), stored.blob_id


def shift(log: Path) -> float:
    """By how many seconds a process's clock is wrong, according to the last line of its log."""
    noted = json.loads(log.read_text().splitlines()[-1])["at"]
    return datetime.fromisoformat(noted).timestamp() - time.time()


def cancel(rig: World, job_id: str) -> int:
    """Request a cancellation; returns the answer's status."""
    with rig.stack.client() as steward:
        return steward.post(f"/v1/jobs/{job_id}/cancel").status_code


def together(actions: list[Any]) -> None:
    """Run all at the same time, and fail if one of them fails."""
    failures: list[BaseException] = []

    def guarded(action: Any) -> None:
        try:
            action()
        except BaseException as failure:  # noqa: BLE001 - reported below, in the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience(RECOVERY))
    assert not failures, failures[0]
