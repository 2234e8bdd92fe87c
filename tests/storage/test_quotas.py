"""Quotas: what counts for a tenant, and what no longer does."""

from typing import Any
from uuid import UUID

from sqlalchemy import func, update

from storage.blobs import mark_published, write_release_blob
from storage.datasets import delete_chunks
from storage.jobs import JobRecord
from storage.orm import Job
from storage.quotas import Usage, usage_of


def test_a_tenants_bytes_and_unfinished_jobs_are_counted(
    owner: Any, tenant_id: UUID, store: Any, release_key: bytes
) -> None:
    with owner.main.begin() as connection:
        assert usage_of(connection, tenant_id) == Usage(0, 0, 0, 0)
    doomed = store(b"x" * 100).blob_id
    store(b"x" * 20)
    with owner.main.begin() as connection:
        kept = write_release_blob(connection, release_key, tenant_id, [b"y" * 7])
        write_release_blob(connection, release_key, tenant_id, [b"y" * 5])
        mark_published(connection, [kept.id])
        assert usage_of(connection, tenant_id) == Usage(120, 12, 7, 0)
        delete_chunks(connection, [doomed])
        assert usage_of(connection, tenant_id) == Usage(20, 12, 7, 0)


def test_jobs_count_until_they_have_ended(owner: Any, job: JobRecord) -> None:
    with owner.main.begin() as connection:
        assert usage_of(connection, job.tenant_id).jobs == 1
        over = update(Job).where(Job.id == job.id).values(status="cancelled", finished_at=func.now())
        connection.execute(over)
        assert usage_of(connection, job.tenant_id).jobs == 0
