"""Attempts at a job: what one that lost it may not do, what the next one begins with, and who hears of it."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from storage.jobs.jobs import (
    JobDraft,
    JobRecord,
    beat,
    cancel_jobs_of_dataset,
    claim,
    finish,
    last_profile,
    note_noise,
    release_lease,
    request_cancel,
    submit,
)
from storage.operations.sweeping import sweep
from storage.orm import Job
from tests.storage.job_samples import ATTEMPTS, LEASE, lapse, listening, stored


def test_an_assessment_does_not_win_over_an_earlier_request_to_cancel(
    service: Any, worker: Any, job: JobRecord, fence: int
) -> None:
    with service.main.begin() as connection:
        request_cancel(connection, job.tenant_id, job.id)
    with worker.main.begin() as connection:
        assert not finish(connection, job.id, fence, "assessed")
    assert stored(worker, job).status == "running"


def test_the_first_noise_of_a_job_is_noted_by_who_holds_it(worker: Any, job: JobRecord, fence: int) -> None:
    noise_at = select(Job.noise_at).where(Job.id == job.id)
    with worker.main.begin() as connection:
        assert note_noise(connection, job.id, fence)
        first = connection.execute(noise_at).scalar_one()
    lapse(worker, job.id)
    with worker.main.begin() as connection:
        again = claim(connection, job.id, LEASE, ATTEMPTS)
        assert again is not None
        assert not note_noise(connection, job.id, fence)
        assert note_noise(connection, job.id, again.fence)
        assert connection.execute(noise_at).scalar_one() == first


def test_a_job_that_was_given_back_begins_anew(worker: Any, job: JobRecord, fence: int) -> None:
    with worker.main.begin() as connection:
        assert beat(connection, job.id, fence, LEASE, "protect", 0.5).held
        assert release_lease(connection, job.id, fence) == "queued"
    now = stored(worker, job)
    assert (now.stage, now.progress) == (None, 0.0)


def test_those_who_wait_hear_of_every_job_that_was_queued_given_back_recovered_or_cancelled(
    databases: Any, service: Any, worker: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    with listening(databases) as heard:
        with service.main.begin() as connection:
            job = submit(connection, JobDraft(tenant_id, dataset_id))
        assert heard() == [str(job.id)]
        for give_back in (True, False):
            with worker.main.begin() as connection:
                claimed = claim(connection, job.id, LEASE, ATTEMPTS)
                assert claimed is not None
            assert heard() == [str(job.id)]
            if not give_back:
                lapse(worker, job.id)
            with worker.main.begin() as connection:
                if give_back:
                    release_lease(connection, job.id, claimed.fence)
                else:
                    sweep(connection, ATTEMPTS)
            assert str(job.id) in heard()
        with service.main.begin() as connection:
            assert cancel_jobs_of_dataset(connection, dataset_id) == [job.id]
        assert heard() == [str(job.id)]


def test_the_newest_profile_of_a_dataset_counts(
    owner: Any, c: Connection, tenant_id: UUID, dataset_id: UUID, job: JobRecord
) -> None:
    assert last_profile(c, dataset_id) is None
    for status in ("cancelled", "queued"):
        with owner.main.begin() as connection:
            made = submit(connection, JobDraft(tenant_id, dataset_id, task="profile"))
        if status == "cancelled":
            with owner.main.begin() as connection:
                request_cancel(connection, tenant_id, made.id)
        c.rollback()
        assert last_profile(c, dataset_id) == status
