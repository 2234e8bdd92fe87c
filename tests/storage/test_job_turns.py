"""Tenants take turns: one tenant's many jobs do not delay another's."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, func, update

from storage.datasets.datasets import DatasetDraft, create_dataset
from storage.jobs.jobs import JobDraft, claim, submit
from storage.jobs.outbox import send_again
from storage.jobs.turns import next_in_turn
from storage.orm import Job, Outbox
from storage.tenancy.tenants import create_tenant
from tests.storage.job_samples import ATTEMPTS, KEY, LEASE, ended, lapse


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
    """The job that a worker claims when a message rings."""
    with engines.main.begin() as connection:
        job_id = next_in_turn(connection, rung_id, ATTEMPTS)
        if job_id is not None:
            assert claim(connection, job_id, LEASE, ATTEMPTS) is not None
    return job_id


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


def test_a_job_whose_lease_has_expired_is_not_at_work(owner: Any, store: Any, queue: str) -> None:
    _, many = tenant_with_jobs(owner, store, queue, 3)
    _, few = tenant_with_jobs(owner, store, queue, 2)
    assert [taken(owner, many[0]) for _ in range(3)] == [many[0], few[0], many[1]]
    for job_id in many[:2]:
        lapse(owner, job_id)
    assert taken(owner, many[0]) == many[0]


def test_a_message_finds_only_jobs_of_its_own_queue_that_a_worker_may_take(owner: Any, store: Any, queue: str) -> None:
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
        assert not set(made) & set(send_again(connection, 20, {queue: 10}))
        assert not set(made) & set(send_again(connection, 20, {queue: 300}))
        assert len(set(made) & set(send_again(connection, 20, {queue: 7}))) == 3
        assert len(set(made) & set(send_again(connection, 20, {}))) == 7
        connection.rollback()


def test_messages_are_sent_again_for_the_queue_that_lacks_them(owner: Any, store: Any, queue: str) -> None:
    _, served = tenant_with_jobs(owner, store, queue, 3)
    _, lacking = tenant_with_jobs(owner, store, f"{queue}-large", 3)
    made = {*served, *lacking}
    with owner.main.begin() as connection:
        connection.execute(delete(Outbox).where(Outbox.job_id.in_(made)))
        for ago, job_ids in ((60, served), (30, lacking)):
            silent = update(Job).where(Job.id.in_(job_ids))
            connection.execute(silent.values(rung_at=func.now() - timedelta(seconds=ago)))
        assert made & set(send_again(connection, 20, {queue: 3})) == set(lacking)
        connection.rollback()


def test_jobs_at_work_need_no_message(owner: Any, store: Any, queue: str) -> None:
    _, made = tenant_with_jobs(owner, store, queue, 3)
    assert taken(owner, made[0]) == made[0]
    with owner.main.begin() as connection:
        connection.execute(delete(Outbox).where(Outbox.job_id.in_(made)))
        silent = update(Job).where(Job.id.in_(made))
        connection.execute(silent.values(rung_at=func.now() - timedelta(seconds=21)))
        assert not set(made) & set(send_again(connection, 20, {queue: 2}))
        connection.rollback()
