"""Jobs: submitted, claimed, held, ended and cancelled, each exactly once."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, delete
from sqlalchemy.exc import IntegrityError

from api_schemas.data.jobs import JobStatus
from storage.database.session import async_main_engine
from storage.errors import Forged
from storage.jobs.jobs import (
    JobDraft,
    JobRecord,
    beat,
    bind,
    cancel_jobs_of_dataset,
    claim,
    finish,
    get_job,
    list_jobs,
    release_lease,
    request_cancel,
    require_bound,
    submit,
)
from storage.jobs.protocol import HELD, STATES, TERMINAL
from storage.orm import Outbox
from storage.settings import Settings
from storage.tenancy.tenants import create_tenant
from tests.patience import patience
from tests.storage.job_samples import ATTEMPTS, KEY, LEASE, lapse, listening, messages, stored


def test_a_submitted_job_waits_with_its_message(owner: Any, job: JobRecord) -> None:
    assert (job.status, job.task, job.attempt, job.policy) == ("queued", "publish", 0, {"kind": "table"})
    assert stored(owner, job) == job
    with owner.main.connect() as connection:
        assert messages(connection, job.id) == 1


def test_job_and_message_are_rolled_back_together(service: Any, owner: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    with service.main.connect() as connection:
        lost = submit(connection, JobDraft(tenant_id, dataset_id))
        connection.rollback()
    with owner.main.connect() as connection:
        assert get_job(connection, tenant_id, lost.id) is None
        assert messages(connection, lost.id) == 0


def test_a_foreign_job_is_like_an_unknown_one(c: Connection, job: JobRecord) -> None:
    stranger = create_tenant(c, "stranger").id
    assert get_job(c, stranger, job.id) is None
    assert request_cancel(c, stranger, job.id) is None
    assert get_job(c, job.tenant_id, uuid4()) is None
    found = get_job(c, job.tenant_id, job.id)
    assert found is not None
    assert not found.cancel_requested


def test_twenty_claims_at_once_give_the_job_to_one(worker: Any, job: JobRecord) -> None:
    def try_claim(_: int) -> bool:
        with worker.main.begin() as connection:
            return claim(connection, job.id, LEASE, ATTEMPTS) is not None

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(try_claim, range(20))) == 1
    now = stored(worker, job)
    assert (now.status, now.attempt, now.fence) == ("running", 1, 1)
    assert now.started_at is not None


def test_a_lapsed_lease_goes_to_the_next_worker_with_a_higher_fence(worker: Any, job: JobRecord, fence: int) -> None:
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        second = claim(connection, job.id, LEASE, ATTEMPTS)
    assert second is not None
    assert second.fence > fence
    assert second.job.attempt == 2
    with worker.main.begin() as connection:
        assert not beat(connection, job.id, fence, LEASE, "protect", 0.9).held
        assert not finish(connection, job.id, fence, "released", release_id=uuid4())
        assert not finish(connection, job.id, fence, "failed", error={})
        assert not release_lease(connection, job.id, fence)
    with worker.main.begin() as connection:
        assert finish(connection, job.id, second.fence, "refused", refusal={"reasons": []})


def test_a_lease_that_lasts_is_nobody_elses(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        assert claim(connection, job.id, LEASE, ATTEMPTS) is None


def test_a_beat_extends_the_lease(worker: Any, job: JobRecord, fence: int) -> None:
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert beat(connection, job.id, fence, LEASE, "protect", 0.25) == (True, False)
    with worker.main.begin() as connection:
        assert claim(connection, job.id, LEASE, ATTEMPTS) is None
        assert beat(connection, job.id, fence, LEASE, "verify", 0.75, "verifying").held
    now = stored(worker, job)
    assert (now.status, now.stage, now.progress) == ("verifying", "verify", 0.75)


def test_a_job_is_not_claimed_more_often_than_allowed(worker: Any, job: JobRecord) -> None:
    for attempt in range(ATTEMPTS):
        with worker.main.begin() as connection:
            claimed = claim(connection, job.id, LEASE, ATTEMPTS)
        assert claimed is not None
        assert claimed.job.attempt == attempt + 1
        lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert claim(connection, job.id, LEASE, ATTEMPTS) is None


def test_a_second_attempt_keeps_when_the_job_began(worker: Any, job: JobRecord, fence: int) -> None:
    began = stored(worker, job).started_at
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        again = claim(connection, job.id, LEASE, ATTEMPTS)
    assert again is not None
    assert (again.job.started_at, again.job.progress, again.job.stage) == (began, 0.0, None)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("released", {"release_id": uuid4()}),
        ("refused", {"refusal": {"reasons": [{"rule": "max_suppressed"}]}}),
        ("failed", {"error": {"title": "broken"}}),
        ("cancelled", {}),
        ("done", {}),
    ],
)
def test_a_job_ends_once(worker: Any, job: JobRecord, fence: int, status: str, outcome: dict[str, Any]) -> None:
    with worker.main.begin() as connection:
        assert finish(connection, job.id, fence, status, **outcome)
    with worker.main.begin() as connection:
        assert not finish(connection, job.id, fence, "failed", error={})
        assert not beat(connection, job.id, fence, LEASE, None, 0.0).held
        assert claim(connection, job.id, LEASE, ATTEMPTS) is None
        assert request_cancel(connection, job.tenant_id, job.id) == stored(worker, job)
    now = stored(worker, job)
    assert now.status == status
    assert now.finished_at is not None
    assert {name: getattr(now, name) for name in outcome} == outcome


@pytest.mark.parametrize(
    ("status", "outcome", "progress"),
    [
        ("refused", {"refusal": {"reasons": []}}, 1.0),
        ("done", {}, 1.0),
        ("failed", {"error": {}}, 0.5),
        ("cancelled", {}, 0.5),
    ],
)
def test_only_a_job_that_was_carried_out_ends_with_all_its_progress(
    worker: Any, job: JobRecord, fence: int, status: str, outcome: dict[str, Any], progress: float
) -> None:
    with worker.main.begin() as connection:
        assert beat(connection, job.id, fence, LEASE, "protect", 0.5).held
        assert finish(connection, job.id, fence, status, **outcome)
    assert stored(worker, job).progress == progress


def test_a_job_is_not_released_without_a_release(worker: Any, job: JobRecord, fence: int) -> None:
    with pytest.raises(IntegrityError), worker.main.begin() as connection:
        finish(connection, job.id, fence, "released")


def test_only_known_states_are_written(c: Connection, job: JobRecord) -> None:
    with pytest.raises(ValueError, match="running"):
        beat(c, job.id, 1, LEASE, None, 0.0, "queued")
    with pytest.raises(ValueError, match="released"):
        finish(c, job.id, 1, "running")
    assert not set(HELD) & set(TERMINAL)
    assert {*get_args(JobStatus), "done"} == set(STATES)


def test_a_queued_job_is_cancelled_at_once(service: Any, worker: Any, job: JobRecord) -> None:
    with service.main.begin() as connection:
        cancelled = request_cancel(connection, job.tenant_id, job.id)
    assert cancelled is not None
    assert cancelled.status == "cancelled"
    assert cancelled.finished_at is not None
    with worker.main.begin() as connection:
        assert claim(connection, job.id, LEASE, ATTEMPTS) is None


def test_a_running_job_is_asked_to_stop_and_cannot_be_released(
    service: Any, worker: Any, job: JobRecord, fence: int
) -> None:
    with service.main.begin() as connection:
        asked = request_cancel(connection, job.tenant_id, job.id)
    assert asked is not None
    assert (asked.status, asked.cancel_requested, asked.finished_at) == ("running", True, None)
    with worker.main.begin() as connection:
        assert beat(connection, job.id, fence, LEASE, "protect", 0.5) == (True, True)
        assert not finish(connection, job.id, fence, "released", release_id=uuid4())
        assert finish(connection, job.id, fence, "cancelled")


def test_of_a_release_and_a_cancellation_at_once_one_wins(
    service: Any, worker: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    """Both orders are forced: the first to hold the row decides, and the other sees it."""

    def run(cancel_first: bool) -> tuple[bool, str]:
        with service.main.begin() as connection:
            job = submit(connection, JobDraft(tenant_id, dataset_id))
        with worker.main.begin() as connection:
            claimed = claim(connection, job.id, LEASE, ATTEMPTS)
            assert claimed is not None

        holds_the_row = threading.Event()

        def release() -> bool:
            with worker.main.begin() as connection:
                ended = finish(connection, job.id, claimed.fence, "released", release_id=uuid4())
                hold()
                return ended

        def cancel() -> None:
            with service.main.begin() as connection:
                request_cancel(connection, tenant_id, job.id)
                hold()

        def hold() -> None:
            if not holds_the_row.is_set():
                holds_the_row.set()
                time.sleep(0.2)

        with ThreadPoolExecutor(2) as pool:
            first, second = (cancel, release) if cancel_first else (release, cancel)
            leading = pool.submit(first)
            assert holds_the_row.wait(patience())
            following = pool.submit(second)
            results = (leading.result(), following.result())
        released = bool(results[1] if cancel_first else results[0])
        if not released:
            with worker.main.begin() as connection:
                assert finish(connection, job.id, claimed.fence, "cancelled")
        return released, stored(worker, job).status

    assert run(cancel_first=True) == (False, "cancelled")
    assert run(cancel_first=False) == (True, "released")


def test_deleting_a_dataset_cancels_its_jobs(service: Any, worker: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    with service.main.begin() as connection:
        queued, running, ended = (submit(connection, JobDraft(tenant_id, dataset_id)) for _ in range(3))
    with worker.main.begin() as connection:
        assert claim(connection, running.id, LEASE, ATTEMPTS) is not None
        claimed = claim(connection, ended.id, LEASE, ATTEMPTS)
        assert claimed is not None
        assert finish(connection, ended.id, claimed.fence, "done")
    with service.main.begin() as connection:
        assert sorted(cancel_jobs_of_dataset(connection, dataset_id)) == sorted([queued.id, running.id])
    assert stored(worker, queued).status == "cancelled"
    assert stored(worker, running).cancel_requested
    assert stored(worker, ended).status == "done"


def test_a_draining_worker_gives_the_job_back_without_losing_an_attempt(
    worker: Any, job: JobRecord, fence: int
) -> None:
    with worker.main.begin() as connection:
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert release_lease(connection, job.id, fence) == "queued"
        assert messages(connection, job.id) == 1
    now = stored(worker, job)
    assert (now.status, now.attempt, now.progress) == ("queued", 0, 0.0)
    with worker.main.begin() as connection:
        again = claim(connection, job.id, LEASE, ATTEMPTS)
    assert again is not None
    assert again.fence > fence


def test_a_draining_worker_ends_a_job_that_was_to_be_cancelled(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        request_cancel(connection, job.tenant_id, job.id)
        assert release_lease(connection, job.id, fence) == "cancelled"
        assert release_lease(connection, job.id, fence) is None
    assert stored(worker, job).status == "cancelled"


def test_the_list_shows_publishing_jobs_by_state_and_dataset(
    c: Connection, tenant_id: UUID, dataset_id: UUID, store: Any
) -> None:
    queued = submit(c, JobDraft(tenant_id, dataset_id))
    cancelled = submit(c, JobDraft(tenant_id, dataset_id))
    submit(c, JobDraft(tenant_id, dataset_id, task="profile"))
    request_cancel(c, tenant_id, cancelled.id)
    assert {job.id for job in list_jobs(c, tenant_id, 10).items} == {queued.id, cancelled.id}
    assert [job.id for job in list_jobs(c, tenant_id, 10, status="queued").items] == [queued.id]
    assert [job.id for job in list_jobs(c, tenant_id, 10, status="cancelled").items] == [cancelled.id]
    assert len(list_jobs(c, tenant_id, 10, dataset_id=dataset_id).items) == 2
    assert list_jobs(c, tenant_id, 10, dataset_id=uuid4()).items == []


def test_every_change_is_notified_and_nothing_else(databases: Any, worker: Any, job: JobRecord) -> None:
    with listening(databases) as heard:
        with worker.main.begin() as connection:
            claimed = claim(connection, job.id, LEASE, ATTEMPTS)
            assert claimed is not None
        assert heard() == [str(job.id)]
        for progress, expected in ((0.5, 1), (0.5, 0), (0.6, 1)):
            with worker.main.begin() as connection:
                beat(connection, job.id, claimed.fence, LEASE, "protect", progress)
            assert heard() == [str(job.id)] * expected
        with worker.main.begin() as connection:
            finish(connection, job.id, claimed.fence, "done")
        assert heard() == [str(job.id)]


def test_the_service_submits_through_its_asynchronous_connection(
    service_settings: Settings, owner: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    async def work() -> JobRecord:
        engine = async_main_engine(service_settings, "test")
        async with engine.begin() as connection:
            made = await connection.run_sync(submit, JobDraft(tenant_id, dataset_id))
        await engine.dispose()
        return made

    assert stored(owner, asyncio.run(work())).status == "queued"


def test_a_job_is_carried_out_as_it_was_submitted_or_not_at_all(
    c: Connection, tenant_id: UUID, dataset_id: UUID
) -> None:
    draft = bind(KEY, JobDraft(tenant_id, dataset_id, policy={"kind": "table", "k": 5.0}, created_by=uuid4()))
    made = submit(c, draft)
    found = get_job(c, tenant_id, made.id)
    assert found is not None
    require_bound(KEY, found)
    changes: list[dict[str, Any]] = [
        {"dataset_id": uuid4()},
        {"policy": {"kind": "table", "k": 2.0}},
        {"policy_blob_id": uuid4()},
        {"policy_id": uuid4()},
        {"task": "profile"},
        {"tenant_id": uuid4()},
        {"hierarchy_id": uuid4()},
        {"fingerprint": b"x"},
        {"created_by": None},
        {"id": uuid4()},
        {"mac": b""},
    ]
    for change in changes:
        with pytest.raises(Forged):
            require_bound(KEY, replace(found, **change))
