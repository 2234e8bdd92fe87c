"""Tasks other than publishing, jobs that were tampered with, and work that does not stop when it is cancelled."""

import json
import threading
import time
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from antifaz.errors import Cancelled
from storage.datasets import hierarchies
from storage.jobs import jobs
from tests.patience import patience
from tests.system.samples import patients, table_policy
from tests.workers.conftest import Steward
from tests.workers.task_samples import CONTENT, INTERNAL, raised, told
from workers.process import tasks
from workers.process.tasks import run_job


def test_a_hierarchy_that_cannot_be_generated_is_in_the_trail_as_a_failed_job(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setitem(tasks._TASKS, "hierarchy", work)
    dataset = steward.upload(CONTENT)
    draft = hierarchies.HierarchyDraft(
        tenant_id=steward.tenant_id, name="h", kind="levels", blob_id=steward.store(b"{}"), status="generating"
    )
    with steward.main.begin() as connection:
        hierarchies.create_hierarchy(connection, steward.context.release_key, draft)
    job_id = steward.submit(dataset, None, task="hierarchy", hierarchy_id=draft.id)
    run_job(steward.context, job_id)
    assert steward.job(job_id).status == "failed"
    with steward.main.connect() as connection:
        found = hierarchies.get_hierarchy(connection, steward.tenant_id, draft.id)
    assert found is not None
    assert (found.status, found.problem) == ("failed", INTERNAL)
    assert told(steward) == [("worker", "job.fail", str(job_id), {"problem": INTERNAL["type"]})]


def test_a_cancelled_hierarchy_is_not_called_failed(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: Any) -> None:
        raise Cancelled("the job was cancelled")

    monkeypatch.setitem(tasks._TASKS, "hierarchy", work)
    draft = hierarchies.HierarchyDraft(
        tenant_id=steward.tenant_id, name="h", kind="levels", blob_id=steward.store(b"{}"), status="generating"
    )
    with steward.main.begin() as connection:
        hierarchies.create_hierarchy(connection, steward.context.release_key, draft)
    job_id = steward.submit(steward.upload(CONTENT), None, task="hierarchy", hierarchy_id=draft.id)
    run_job(steward.context, job_id)
    assert steward.job(job_id).status == "cancelled"
    with steward.main.connect() as connection:
        found = hierarchies.get_hierarchy(connection, steward.tenant_id, draft.id)
    assert found is not None
    assert found.status == "generating"


def test_a_profile_is_done_and_says_how_large_the_dataset_is(steward: Steward) -> None:
    dataset = steward.upload(CONTENT)
    job_id = steward.submit(dataset, None, task="profile")
    run_job(steward.context, job_id)
    assert (steward.job(job_id).status, steward.job(job_id).progress) == ("done", 1.0)
    profiled = steward.dataset(dataset.id)
    assert (profiled.status, (profiled.counts or {})["rows"]) == ("ready", 1)
    assert told(steward) == []


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (raised("operational", psycopg.OperationalError()), True),
        (raised("operational", psycopg.errors.DiskFull()), False),
        (raised("any", psycopg.InterfaceError(), connection_invalidated=True), True),
        (raised("any", psycopg.InterfaceError()), False),
        (raised("integrity", psycopg.IntegrityError()), False),
        (psycopg.OperationalError(), True),
        (psycopg.errors.DiskFull(), False),
        (psycopg.IntegrityError(), False),
    ],
    ids=repr,
)
def test_what_may_pass_is_tried_again(error: Any, passes: bool) -> None:
    assert tasks._will_pass(error) is passes


REDIRECTED = {
    "the dataset": "UPDATE jobs SET dataset_id = :other WHERE id = :id RETURNING 1",
    "the policy": "UPDATE jobs SET policy_blob_id = :blob WHERE id = :id RETURNING 1",
    "the file of the dataset": """
        UPDATE datasets SET blob_id = (SELECT blob_id FROM datasets WHERE id = :other)
        WHERE id = (SELECT dataset_id FROM jobs WHERE id = :id) RETURNING 1""",
    "the lineage of the dataset": """
        UPDATE datasets SET lineage_id = :other WHERE id = (SELECT dataset_id FROM jobs WHERE id = :id) RETURNING 1""",
}


@pytest.mark.parametrize("what", REDIRECTED)
def test_a_job_that_was_given_something_else_to_do_does_nothing(steward: Steward, what: str) -> None:
    policy = table_policy(3, formats=["csv"])
    weak = table_policy(2, formats=["csv"])
    job_id = steward.submit(steward.upload(patients(60)), policy)
    other, blob = steward.upload(patients(60)), steward.store(json.dumps(weak).encode())
    given = {"other": other.id, "blob": blob} if what == "the policy" else {"other": other.id}
    assert steward.ask(REDIRECTED[what], id=job_id, **given) == 1
    run_job(steward.context, job_id)
    job = steward.job(job_id)
    assert (job.status, job.release_id) == ("failed", None)
    assert job.error is not None
    assert (job.error["rule"], job.error["title"]) == ("storage", "Stored data was changed")


def impatient(steward: Steward, seconds: float = 0.5) -> Any:
    """The steward's context with a watch that soon gives up on work that does not call it."""
    quick = steward.context.settings.model_copy(update={"beat_seconds": 0.05, "unheard_seconds": seconds})
    return replace(steward.context, settings=quick)


def test_work_that_never_looks_at_its_watch_is_left_once_it_is_cancelled(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = threading.Event()

    def work(ctx: Any, job: jobs.JobRecord, watch: Any) -> None:
        with steward.main.begin() as connection:
            jobs.request_cancel(connection, steward.tenant_id, job.id)
        assert left.wait(patience())

    monkeypatch.setitem(tasks._TASKS, "publish", work)
    job_id = steward.submit(steward.upload(CONTENT), None)
    run_job(impatient(steward), job_id, left.set)
    assert (steward.job(job_id).status, steward.job(job_id).error) == ("cancelled", None)
    assert told(steward) == [("worker", "job.cancelled", str(job_id), {})]


@pytest.mark.parametrize("wanted", [True, False])
def test_work_that_is_wanted_or_looks_at_its_watch_is_not_left(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    """Work that is not cancelled may take four times the waiting time; work that calls its watch gets a minute."""
    left: list[None] = []

    def work(ctx: Any, job: jobs.JobRecord, watch: Any) -> None:
        if not wanted:
            with steward.main.begin() as connection:
                jobs.request_cancel(connection, steward.tenant_id, job.id)
        for _ in range(1 if wanted else 12_000):
            time.sleep(2.0 if wanted else 0.05)
            watch(0.5)
        raise RuntimeError("any")

    monkeypatch.setitem(tasks._TASKS, "publish", work)
    job_id = steward.submit(steward.upload(CONTENT), None)
    run_job(impatient(steward, 0.5 if wanted else 60.0), job_id, lambda: left.append(None))
    assert left == []
    assert steward.job(job_id).status == ("failed" if wanted else "cancelled")
