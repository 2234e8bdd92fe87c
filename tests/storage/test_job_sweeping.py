"""Messages that wake workers, and the sweep that recovers jobs of lost workers."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import delete, func, update

from storage.audit import audit
from storage.crypto.heads import HeadSigner
from storage.datasets.datasets import DatasetDraft, create_dataset
from storage.datasets.hierarchies import HierarchyDraft, create_hierarchy, get_hierarchy
from storage.jobs.jobs import JobDraft, JobRecord, beat, claim, finish, request_cancel, submit
from storage.jobs.outbox import send_again, take_messages
from storage.operations.sweeping import sweep
from storage.orm import Job, Outbox
from storage.tenancy.tenants import create_tenant
from tests.storage.job_samples import ATTEMPTS, KEY, LEASE, lapse, messages, stored

SIGNER = HeadSigner([Ed25519PrivateKey.generate()])


def told(engines: Any, job: JobRecord) -> list[tuple[str, str, dict[str, Any]]]:
    """The events of a job in the audit trail."""
    with engines.main.connect() as connection:
        events = audit.list_events(connection, job.tenant_id, 100).items
    return [(event.actor, event.action, event.details) for event in events if event.subject == str(job.id)]


def test_messages_are_sent_in_order_and_then_gone(worker: Any, tenant_id: UUID, dataset_id: UUID, owner: Any) -> None:
    with owner.main.begin() as connection:
        first = submit(connection, JobDraft(tenant_id, dataset_id, queue="large"))
        second = submit(connection, JobDraft(tenant_id, dataset_id))
    with worker.main.begin() as connection:
        taken = [message for message in take_messages(connection, 1000) if message.job_id in (first.id, second.id)]
        assert taken == [(first.id, "large"), (second.id, "small")]
        assert messages(connection, first.id) == messages(connection, second.id) == 0
        assert take_messages(connection, 1000) == []


def test_a_message_that_could_not_be_sent_is_still_there(worker: Any, job: JobRecord) -> None:
    with worker.main.connect() as connection:
        assert job.id in [message.job_id for message in take_messages(connection, 1000)]
        connection.rollback()
        assert messages(connection, job.id) == 1


def test_no_more_messages_are_taken_than_asked_for(owner: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    with owner.main.connect() as connection:
        take_messages(connection, 1000)
        drafted = [submit(connection, JobDraft(tenant_id, dataset_id)).id for _ in range(3)]
        assert [message.job_id for message in take_messages(connection, 2)] == drafted[:2]
        assert [message.job_id for message in take_messages(connection, 2)] == drafted[2:]
        connection.rollback()


def test_two_senders_do_not_send_the_same_message(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as first, worker.main.begin() as second:
        assert job.id in [message.job_id for message in take_messages(first, 1000)]
        assert job.id not in [message.job_id for message in take_messages(second, 1000)]


def test_the_sweep_requeues_what_lost_its_lease(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert job.id not in sweep(connection, ATTEMPTS).requeued
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).requeued == [job.id]
        assert messages(connection, job.id) == 1
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


def generating(engines: Any, job: JobRecord, store: Any, status: str = "generating") -> tuple[UUID, UUID]:
    """A hierarchy, and a job of its dataset that is to generate it."""
    blob_id, tenant_id = store(b"request").blob_id, job.tenant_id
    draft = HierarchyDraft(
        tenant_id=tenant_id, name="h", kind="levels", status=status, dataset_id=job.dataset_id, blob_id=blob_id
    )
    with engines.main.begin() as connection:
        hierarchy = create_hierarchy(connection, KEY, draft)
        made = submit(connection, JobDraft(tenant_id, job.dataset_id, "hierarchy", hierarchy_id=hierarchy.id))
    return hierarchy.id, made.id


def test_a_hierarchy_that_another_worker_may_still_generate_is_not_given_up(
    owner: Any, worker: Any, job: JobRecord, store: Any
) -> None:
    hierarchy_id, job_id = generating(owner, job, store)
    with worker.main.begin() as connection:
        assert claim(connection, job_id, LEASE, ATTEMPTS) is not None
    lapse(worker, job_id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).requeued == [job_id]
        found = get_hierarchy(connection, job.tenant_id, hierarchy_id)
    assert found is not None
    assert found.status == "generating"


def test_a_hierarchy_that_is_ready_stays_so_whatever_becomes_of_its_job(
    owner: Any, worker: Any, job: JobRecord, store: Any
) -> None:
    hierarchy_id, job_id = generating(owner, job, store, "ready")
    with owner.main.begin() as connection:
        connection.execute(update(Job).where(Job.id == job_id).values(attempt=ATTEMPTS))
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).failed == [job_id]
        found = get_hierarchy(connection, job.tenant_id, hierarchy_id)
    assert found is not None
    assert found.status == "ready"
    # Nobody but the service waits for such a job, so the trail does not mention it.
    with owner.main.connect() as connection:
        events = audit.list_events(connection, job.tenant_id, 100).items
    assert str(job_id) not in {event.subject for event in events}


def test_a_job_that_was_tried_too_often_and_is_to_be_cancelled_did_not_fail(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as connection:
        stuck = update(Job).where(Job.id == job.id).values(attempt=ATTEMPTS, cancel_requested=True)
        connection.execute(stuck)
        assert sweep(connection, ATTEMPTS).cancelled == [job.id]
    assert stored(worker, job).error is None


def test_a_recovered_job_begins_anew(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        assert beat(connection, job.id, fence, LEASE, "protect", 0.5).held
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        assert sweep(connection, ATTEMPTS).requeued == [job.id]
    now = stored(worker, job)
    assert (now.status, now.stage, now.progress) == ("queued", None, 0.0)


def test_a_queued_job_whose_message_was_lost_is_rung_again_but_not_all_the_time(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as connection:
        send_again(connection, 20, {})
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert job.id not in send_again(connection, 20, {})
        silent = update(Job).where(Job.id == job.id).values(rung_at=func.now() - timedelta(seconds=21))
        connection.execute(silent)
        assert job.id in send_again(connection, 20, {})
        assert messages(connection, job.id) == 1
        assert job.id not in send_again(connection, 20, {})
        assert messages(connection, job.id) == 1
        # The message was sent: without the time at which it was put, it would be put again at once.
        connection.execute(delete(Outbox).where(Outbox.job_id == job.id))
        assert job.id not in send_again(connection, 20, {})


def test_a_message_that_still_waits_is_not_doubled(worker: Any, job: JobRecord) -> None:
    with worker.main.begin() as connection:
        silent = update(Job).where(Job.id == job.id).values(rung_at=func.now() - timedelta(hours=1))
        connection.execute(silent)
        assert job.id not in send_again(connection, 20, {})
        assert messages(connection, job.id) == 1


def test_sweepers_at_once_requeue_a_job_once(worker: Any, job: JobRecord, fence: int) -> None:
    lapse(worker, job.id)

    def run(_: int) -> int:
        with worker.main.begin() as connection:
            return sweep(connection, ATTEMPTS).requeued.count(job.id)

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(run, range(6))) == 1
