"""Heartbeats of consumers, and what they say about queues."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import ProgrammingError

from storage.jobs.jobs import JobDraft, submit
from storage.jobs.protocol import DELIVERIES, FAST, LARGE, SMALL, UPKEEP
from storage.operations import consumers
from storage.operations.consumers import QueueState
from storage.operations.pulse import Pulse
from storage.orm import Consumer, Delivery, Job, Outbox, Publication
from storage.settings import Settings

ALIVE = 30.0


@pytest.fixture
def calm(c: Connection) -> Connection:
    """A database, seen by a transaction that is rolled back, in which nothing waits and nobody consumes."""
    c.execute(delete(Outbox))
    c.execute(delete(Consumer))
    c.execute(delete(Delivery))
    c.execute(delete(Publication))
    c.execute(update(Job).where(Job.finished_at.is_(None)).values(status="cancelled", finished_at=func.now()))
    return c


def state_of(c: Connection, queue: str) -> QueueState:
    return next(state for state in consumers.states(c, ALIVE, 20.0) if state.queue == queue)


def wait_in(c: Connection, tenant_id: UUID, dataset_id: UUID, queue: str, seconds: float) -> UUID:
    """A job that waits, without a message."""
    job = submit(c, JobDraft(tenant_id, dataset_id, queue=queue))
    since = func.now() - timedelta(seconds=seconds)
    c.execute(update(Job).where(Job.id == job.id).values(created_at=since))
    c.execute(delete(Outbox).where(Outbox.job_id == job.id))
    return job.id


def age(c: Connection, consumer_id: str, seconds: float) -> None:
    since = func.now() - timedelta(seconds=seconds)
    c.execute(update(Consumer).where(Consumer.id == consumer_id).values(beat_at=since))


def test_an_empty_queue_needs_no_consumer(calm: Connection) -> None:
    states = consumers.states(calm, ALIVE, 20.0)
    assert [state.queue for state in states] == [SMALL, LARGE, FAST, DELIVERIES, UPKEEP]
    assert all(state.is_served and state.waiting is None and state.consumers == 0 for state in states)


def test_waiting_work_needs_a_consumer_of_its_own_queue(calm: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    wait_in(calm, tenant_id, dataset_id, FAST, 50)
    assert not state_of(calm, FAST).is_served
    assert state_of(calm, FAST).waiting == pytest.approx(50, abs=20)
    consumers.beat(calm, "other", {SMALL: None, LARGE: None})
    assert not state_of(calm, FAST).is_served
    consumers.beat(calm, "right", {FAST: None})
    assert state_of(calm, FAST).is_served


def test_a_consumer_without_a_heartbeat_is_dead_and_one_that_left_too(
    calm: Connection, tenant_id: UUID, dataset_id: UUID
) -> None:
    wait_in(calm, tenant_id, dataset_id, SMALL, 1)
    consumers.beat(calm, "one", {SMALL: 3.0})
    assert state_of(calm, SMALL).is_served
    age(calm, "one", ALIVE + 1)
    assert not state_of(calm, SMALL).is_served
    consumers.beat(calm, "one", {SMALL: 3.0})
    consumers.leave(calm, "one")
    assert not state_of(calm, SMALL).is_served
    assert state_of(calm, SMALL).consumed == pytest.approx(3, abs=20)


def test_a_job_that_runs_does_not_wait_until_its_lease_ends(
    calm: Connection, tenant_id: UUID, dataset_id: UUID
) -> None:
    job_id = wait_in(calm, tenant_id, dataset_id, LARGE, 100)
    held = update(Job).where(Job.id == job_id)
    calm.execute(held.values(status="running", lease_until=func.now() + timedelta(seconds=5)))
    assert all(state.is_served for state in consumers.states(calm, ALIVE, 20.0))
    calm.execute(held.values(lease_until=func.now() - timedelta(seconds=10)))
    assert state_of(calm, UPKEEP).is_served
    calm.execute(held.values(lease_until=func.now() - timedelta(seconds=60)))
    assert not state_of(calm, UPKEEP).is_served
    consumers.beat(calm, "sweeper", {UPKEEP: 1.0})
    assert state_of(calm, UPKEEP).is_served


def test_a_message_that_nobody_sends_is_work_for_the_sweeper(
    calm: Connection, tenant_id: UUID, dataset_id: UUID
) -> None:
    job_id = wait_in(calm, tenant_id, dataset_id, SMALL, 1)
    calm.execute(insert(Outbox).values(job_id=job_id, created_at=func.now() - timedelta(seconds=5)))
    assert state_of(calm, UPKEEP).is_served
    calm.execute(update(Outbox).values(created_at=func.now() - timedelta(seconds=40)))
    assert not state_of(calm, UPKEEP).is_served


def test_jobs_that_wait_need_a_sweeper_that_would_notice_a_lost_message(
    calm: Connection, tenant_id: UUID, dataset_id: UUID
) -> None:
    wait_in(calm, tenant_id, dataset_id, FAST, 5)
    consumers.beat(calm, "worker", {FAST: None})
    assert state_of(calm, UPKEEP).is_served
    wait_in(calm, tenant_id, dataset_id, FAST, 60)
    assert state_of(calm, FAST).is_served
    assert not state_of(calm, UPKEEP).is_served
    consumers.beat(calm, "sweeper", {UPKEEP: 1.0})
    assert state_of(calm, UPKEEP).is_served
    assert state_of(calm, UPKEEP).waiting is None


def test_only_the_last_to_take_something_is_remembered_of_the_dead(calm: Connection) -> None:
    for name, taken in (("never", None), ("early", 900.0), ("late", 100.0), ("alive", 500.0)):
        consumers.beat(calm, name, {SMALL: taken})
    for name in ("never", "early", "late"):
        age(calm, name, 7_200)
    consumers.forget_old(calm)
    assert set(calm.execute(select(Consumer.id)).scalars()) == {"late", "alive"}
    assert state_of(calm, SMALL).consumed == pytest.approx(100, abs=20)


def test_a_pulse_says_when_something_was_taken_from_each_queue(calm: Connection, tmp_path: Any) -> None:
    pulse = Pulse("worker", [SMALL, LARGE], Settings(beat_file=tmp_path / "beat"))
    pulse.beat(calm)
    assert state_of(calm, SMALL).consumers == state_of(calm, LARGE).consumers == 1
    assert state_of(calm, SMALL).consumed is None
    pulse.consumed(SMALL)
    pulse.beat(calm)
    assert (state_of(calm, SMALL).consumed is None, state_of(calm, LARGE).consumed is None) == (False, True)
    assert not (tmp_path / "beat").exists()
    pulse.touch()
    assert (tmp_path / "beat").exists()


def test_a_pulse_whose_file_cannot_be_touched_goes_on(tmp_path: Any) -> None:
    Pulse("worker", [SMALL], Settings(beat_file=tmp_path / "missing" / "beat")).touch()


def test_the_service_reads_heartbeats_and_writes_none(service: Any, worker: Any) -> None:
    name = secrets.token_hex(8)
    with worker.main.begin() as connection:
        consumers.beat(connection, name, {SMALL: None})
    with service.main.connect() as connection:
        assert consumers.states(connection, ALIVE, 20.0)
        with pytest.raises(ProgrammingError, match="permission denied"):
            consumers.beat(connection, name, {SMALL: None})
    with worker.main.begin() as connection:
        connection.execute(delete(Consumer).where(Consumer.id == name))
