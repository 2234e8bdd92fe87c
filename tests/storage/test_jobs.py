"""Jobs: one worker at a time, one end, nothing lost."""

import asyncio
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args
from uuid import UUID, uuid4

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from api_schemas.jobs import JobStatus
from storage import audit
from storage.datasets import DatasetDraft, create_dataset
from storage.errors import Forged
from storage.heads import HeadSigner
from storage.hierarchies import HierarchyDraft, create_hierarchy, get_hierarchy
from storage.job_protocol import CHANNEL, HELD, STATES, TERMINAL
from storage.jobs import (
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
from storage.orm import Job, Outbox
from storage.outbox import ring_again, take_bells
from storage.session import async_main_engine
from storage.settings import Settings
from storage.sweeping import sweep
from storage.tenants import create_tenant
from storage.turns import next_in_turn
from tests.patience import PATIENCE

SIGNER = HeadSigner([Ed25519PrivateKey.generate()])
KEY = secrets.token_bytes(32)
LEASE = 3600.0
ATTEMPTS = 3


def lapse(engines: Any, job_id: UUID) -> None:
    """Let a job's lease run out."""
    with engines.main.begin() as connection:
        over = func.now() - timedelta(seconds=1)
        connection.execute(update(Job).where(Job.id == job_id).values(lease_until=over))


def bells(c: Connection, job_id: UUID) -> int:
    return c.execute(select(func.count()).where(Outbox.job_id == job_id)).scalar_one()


def stored(engines: Any, job: JobRecord) -> JobRecord:
    with engines.main.connect() as connection:
        found = get_job(connection, job.tenant_id, job.id)
        assert found is not None
        return found


def told(engines: Any, job: JobRecord) -> list[tuple[str, str, dict[str, Any]]]:
    """What the audit trail says of a job."""
    with engines.main.connect() as connection:
        events = audit.list_events(connection, job.tenant_id, 100).items
    return [(event.actor, event.action, event.details) for event in events if event.subject == str(job.id)]


@pytest.fixture
def fence(worker: Any, job: JobRecord) -> int:
    """The job, claimed by a first worker."""
    with worker.main.begin() as connection:
        claimed = claim(connection, job.id, LEASE, ATTEMPTS)
        assert claimed is not None
        return claimed.fence


def test_a_submitted_job_waits_with_its_bell(owner: Any, job: JobRecord) -> None:
    assert (job.status, job.task, job.attempt, job.policy) == ("queued", "publish", 0, {"kind": "table"})
    assert stored(owner, job) == job
    with owner.main.connect() as connection:
        assert bells(connection, job.id) == 1


def test_job_and_bell_are_rolled_back_together(service: Any, owner: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    with service.main.connect() as connection:
        lost = submit(connection, JobDraft(tenant_id, dataset_id))
        connection.rollback()
    with owner.main.connect() as connection:
        assert get_job(connection, tenant_id, lost.id) is None
        assert bells(connection, lost.id) == 0


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
    """Both orders are forced: whoever holds the row first decides, and the other sees it."""

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
            assert holds_the_row.wait(PATIENCE)
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
        assert bells(connection, job.id) == 1
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


def test_bells_are_rung_in_order_and_then_gone(worker: Any, tenant_id: UUID, dataset_id: UUID, owner: Any) -> None:
    with owner.main.begin() as connection:
        first = submit(connection, JobDraft(tenant_id, dataset_id, queue="large"))
        second = submit(connection, JobDraft(tenant_id, dataset_id))
    with worker.main.begin() as connection:
        rings = [ring for ring in take_bells(connection, 1000) if ring.job_id in (first.id, second.id)]
        assert rings == [(first.id, "large"), (second.id, "small")]
        assert bells(connection, first.id) == bells(connection, second.id) == 0
        assert take_bells(connection, 1000) == []


def test_a_bell_that_could_not_be_rung_is_still_there(worker: Any, job: JobRecord) -> None:
    with worker.main.connect() as connection:
        assert job.id in [ring.job_id for ring in take_bells(connection, 1000)]
        connection.rollback()
        assert bells(connection, job.id) == 1


def test_no_more_bells_are_taken_than_asked_for(owner: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    with owner.main.connect() as connection:
        take_bells(connection, 1000)
        drafted = [submit(connection, JobDraft(tenant_id, dataset_id)).id for _ in range(3)]
        assert [ring.job_id for ring in take_bells(connection, 2)] == drafted[:2]
        assert [ring.job_id for ring in take_bells(connection, 2)] == drafted[2:]
        connection.rollback()


def test_two_ringers_do_not_ring_the_same_bell(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as first, worker.main.begin() as second:
        assert job.id in [ring.job_id for ring in take_bells(first, 1000)]
        assert job.id not in [ring.job_id for ring in take_bells(second, 1000)]


def test_the_sweep_requeues_what_lost_its_lease(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert job.id not in sweep(connection, ATTEMPTS).requeued
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).requeued == [job.id]
        assert bells(connection, job.id) == 1
        assert not beat(connection, job.id, fence, LEASE, "protect", 0.9).held
        assert not finish(connection, job.id, fence, "failed", error={})
    now = stored(worker, job)
    assert (now.status, now.stage, now.progress, now.finished_at) == ("queued", None, 0.0, None)


def test_the_sweep_fails_what_was_tried_too_often(worker: Any, job: JobRecord) -> None:
    for _ in range(ATTEMPTS):
        with worker.main.begin() as connection:
            assert claim(connection, job.id, LEASE, ATTEMPTS) is not None
        lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).failed == [job.id]
        assert sweep(connection, ATTEMPTS).failed == []
    now = stored(worker, job)
    assert now.status == "failed"
    assert now.error is not None
    assert now.error["type"] == "urn:antifaz:problem:attempts-exhausted"
    assert now.finished_at is not None
    assert told(worker, job) == [("sweeper", "job.fail", {"problem": "urn:antifaz:problem:attempts-exhausted"})]


def test_the_sweep_cancels_what_was_to_be_cancelled(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        request_cancel(connection, job.tenant_id, job.id)
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).cancelled == [job.id]
    now = stored(worker, job)
    assert (now.status, now.error) == ("cancelled", None)
    assert told(worker, job) == [("sweeper", "job.cancelled", {})]


def test_an_end_that_is_rolled_back_is_not_told(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        request_cancel(connection, job.tenant_id, job.id)
    lapse(worker, job.id)
    with worker.main.connect() as connection:
        assert sweep(connection, ATTEMPTS).cancelled == [job.id]
        connection.rollback()
    assert stored(worker, job).finished_at is None
    assert told(worker, job) == []


def test_sweepers_at_once_tell_of_every_end_once(owner: Any, worker: Any, store: Any) -> None:
    """Jobs of several tenants, each of which several sweepers would end: one event each, and no sweeper is stuck."""
    ended = []
    with owner.main.begin() as connection:
        for _ in range(6):
            tenant = create_tenant(connection, secrets.token_hex(8)).id
            blob_id = store(b"name,age\nx,1\n").blob_id
            draft = DatasetDraft(tenant_id=tenant, name="test", kind="table", format="csv", size=13, blob_id=blob_id)
            dataset = create_dataset(connection, KEY, draft).id
            for _ in range(3):
                made = submit(connection, JobDraft(tenant, dataset))
                connection.execute(update(Job).where(Job.id == made.id).values(attempt=ATTEMPTS))
                ended.append(made)

    def run(_: int) -> list[UUID]:
        with worker.main.begin() as connection:
            return sweep(connection, ATTEMPTS).failed

    with ThreadPoolExecutor(4) as pool:
        found = [job_id for failed in pool.map(run, range(8)) for job_id in failed]
    assert sorted(found) == sorted(made.id for made in ended)
    assert [[action for _, action, _ in told(worker, made)] for made in ended] == [["job.fail"]] * len(ended)
    with owner.main.connect() as connection, owner.keyring.connect() as keys:
        assert all(audit.verify(connection, keys, SIGNER, made.tenant_id).intact for made in ended)


def test_the_sweep_fails_a_hierarchy_that_nobody_will_generate(
    worker: Any, owner: Any, tenant_id: UUID, dataset_id: UUID, store: Any
) -> None:
    draft = HierarchyDraft(
        tenant_id=tenant_id,
        name="h",
        kind="levels",
        status="generating",
        dataset_id=dataset_id,
        blob_id=store(b"request").blob_id,
    )
    with owner.main.begin() as connection:
        hierarchy = create_hierarchy(connection, KEY, draft)
        job = submit(connection, JobDraft(tenant_id, dataset_id, "hierarchy", hierarchy_id=hierarchy.id))
        connection.execute(update(Job).where(Job.id == job.id).values(attempt=ATTEMPTS))
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).failed == [job.id]
        given_up = get_hierarchy(connection, tenant_id, hierarchy.id)
    assert given_up is not None
    assert given_up.status == "failed"


def test_a_queued_job_whose_message_was_lost_is_rung_again_but_not_all_the_time(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as connection:
        ring_again(connection, 20, {})
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert job.id not in ring_again(connection, 20, {})
        silent = update(Job).where(Job.id == job.id).values(rung_at=func.now() - timedelta(seconds=21))
        connection.execute(silent)
        assert job.id in ring_again(connection, 20, {})
        assert bells(connection, job.id) == 1
        assert job.id not in ring_again(connection, 20, {})
        assert bells(connection, job.id) == 1


def test_a_bell_that_still_waits_is_not_doubled(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as connection:
        silent = update(Job).where(Job.id == job.id).values(rung_at=func.now() - timedelta(hours=1))
        connection.execute(silent)
        assert job.id not in ring_again(connection, 20, {})
        assert bells(connection, job.id) == 1


def test_sweepers_at_once_requeue_a_job_once(worker: Any, job: JobRecord, fence: int) -> None:
    lapse(worker, job.id)

    def run(_: int) -> int:
        with worker.main.begin() as connection:
            return sweep(connection, ATTEMPTS).requeued.count(job.id)

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(run, range(6))) == 1


@pytest.fixture
def queue() -> str:
    """A queue of the test's own."""
    return f"turns-{secrets.token_hex(8)}"


def tenant_with_jobs(engines: Any, store: Any, queue: str, count: int) -> tuple[UUID, list[UUID]]:
    """A new tenant and its queued jobs, in order."""
    with engines.main.begin() as connection:
        tenant_id = create_tenant(connection, secrets.token_hex(8)).id
        draft = DatasetDraft(
            tenant_id=tenant_id, name="n", kind="table", format="csv", size=1, blob_id=store(b"x").blob_id
        )
        dataset_id = create_dataset(connection, KEY, draft).id
    made = []
    for _ in range(count):
        with engines.main.begin() as connection:
            made.append(submit(connection, JobDraft(tenant_id, dataset_id, queue=queue)).id)
    return tenant_id, made


def taken(engines: Any, rung_id: UUID) -> UUID | None:
    """The job that a worker claims when a bell rings."""
    with engines.main.begin() as connection:
        job_id = next_in_turn(connection, rung_id, ATTEMPTS)
        if job_id is not None:
            assert claim(connection, job_id, LEASE, ATTEMPTS) is not None
    return job_id


def ended(engines: Any, job_id: UUID) -> None:
    with engines.main.begin() as connection:
        connection.execute(update(Job).where(Job.id == job_id).values(status="cancelled", finished_at=func.now()))


@pytest.mark.parametrize("at_once", [1, 3])
def test_one_tenants_many_jobs_do_not_keep_anothers_waiting(owner: Any, store: Any, queue: str, at_once: int) -> None:
    _, many = tenant_with_jobs(owner, store, queue, 50)
    for job_id in [taken(owner, many[0]) for _ in range(at_once)]:
        ended(owner, job_id)
    _, [single] = tenant_with_jobs(owner, store, queue, 1)
    assert taken(owner, many[3]) == single


def test_tenants_take_turns_and_each_keeps_its_order(owner: Any, store: Any, queue: str) -> None:
    _, many = tenant_with_jobs(owner, store, queue, 5)
    _, few = tenant_with_jobs(owner, store, queue, 2)
    began = []
    for _ in range(7):
        began.append(taken(owner, many[-1]))
        ended(owner, began[-1])
    assert began == [many[0], few[0], many[1], few[1], many[2], many[3], many[4]]
    assert taken(owner, many[0]) is None


def test_the_tenant_with_the_fewest_jobs_at_work_comes_first(owner: Any, store: Any, queue: str) -> None:
    _, many = tenant_with_jobs(owner, store, queue, 4)
    held = [taken(owner, many[0]) for _ in range(3)]
    _, few = tenant_with_jobs(owner, store, queue, 3)
    assert held == many[:3]
    assert [taken(owner, many[0]) for _ in range(3)] == few
    assert taken(owner, many[0]) == many[3]


def test_a_bell_finds_only_jobs_of_its_own_queue_that_a_worker_may_take(owner: Any, store: Any, queue: str) -> None:
    _, [first, second, third] = tenant_with_jobs(owner, store, queue, 3)
    _, [elsewhere] = tenant_with_jobs(owner, store, f"{queue}-large", 1)
    with owner.main.begin() as connection:
        connection.execute(update(Job).where(Job.id == first).values(cancel_requested=True))
        connection.execute(update(Job).where(Job.id == second).values(attempt=ATTEMPTS))
    assert taken(owner, first) == third
    assert taken(owner, first) is None
    assert taken(owner, elsewhere) == elsewhere
    lapse(owner, third)
    assert taken(owner, second) == third
    assert taken(owner, uuid4()) is None


def test_no_more_messages_are_sent_again_than_jobs_lack_one(owner: Any, store: Any, queue: str) -> None:
    _, made = tenant_with_jobs(owner, store, queue, 10)
    with owner.main.begin() as connection:
        for job_id in made:
            connection.execute(delete(Outbox).where(Outbox.job_id == job_id))
        silent = update(Job).where(Job.id.in_(made)).values(rung_at=func.now() - timedelta(seconds=21))
        connection.execute(silent)
        assert not set(made) & set(ring_again(connection, 20, {queue: 10}))
        assert not set(made) & set(ring_again(connection, 20, {queue: 300}))
        assert len(set(made) & set(ring_again(connection, 20, {queue: 7}))) == 3
        assert len(set(made) & set(ring_again(connection, 20, {}))) == 7
        connection.rollback()


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
    address = databases.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(address, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")

        def heard() -> list[str]:
            """All up to a notice of our own: they come in the order of the commits."""
            listener.execute(f"NOTIFY {CHANNEL}, 'so far'")
            notices = iter(listener.notifies(timeout=PATIENCE))
            return list(iter(lambda: next(notices).payload, "so far"))

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
