"""Quotas: what counts for a tenant, what no longer does, and that the totals equal those of the rows."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, case, delete, func, insert, null, select, text, update

from storage.blobs.blobs import mark_published, write_release_blob
from storage.blobs.intake import store_original
from storage.datasets.datasets import delete_chunks
from storage.jobs.jobs import JobDraft, JobRecord, submit
from storage.orm import Blob, Job, Tally
from storage.tenancy.quotas import Rendered, Taken, rendered_by
from storage.tenancy.tenants import create_tenant

COUNT_NOW = text("SET CONSTRAINTS ALL IMMEDIATE")


def total(c: Connection, tenant_id: UUID) -> Taken:
    """The running totals, including the transaction's own changes."""
    c.execute(COUNT_NOW)
    rows = c.execute(select(Tally.originals, Tally.jobs).where(Tally.tenant_id == tenant_id)).all()
    return Taken(sum(row.originals for row in rows), sum(row.jobs for row in rows))


def counted(c: Connection, tenant_id: UUID) -> Taken:
    """The totals of the rows, one by one."""
    sizes = c.execute(select(Blob.size).where(Blob.tenant_id == tenant_id, Blob.purpose == "original")).scalars()
    ends = c.execute(select(Job.finished_at).where(Job.tenant_id == tenant_id)).scalars()
    return Taken(sum(sizes), sum(end is None for end in ends))


def test_what_a_tenant_stores_is_counted_until_it_is_deleted(
    owner: Any, tenant_id: UUID, store: Any, release_key: bytes
) -> None:
    with owner.main.begin() as connection:
        assert (total(connection, tenant_id), rendered_by(connection, tenant_id)) == (Taken(0, 0), Rendered(0, 0))
    doomed = store(b"x" * 100).blob_id
    store(b"x" * 20)
    with owner.main.begin() as connection:
        kept = write_release_blob(connection, release_key, tenant_id, [b"y" * 7])
        write_release_blob(connection, release_key, tenant_id, [b"y" * 5])
        mark_published(connection, [kept.id])
        assert (total(connection, tenant_id), rendered_by(connection, tenant_id)) == (Taken(120, 0), Rendered(12, 7))
        delete_chunks(connection, [doomed])
        assert total(connection, tenant_id) == Taken(20, 0)


def test_jobs_count_until_they_have_ended(owner: Any, job: JobRecord) -> None:
    with owner.main.begin() as connection:
        assert total(connection, job.tenant_id).jobs == 1
        over = update(Job).where(Job.id == job.id).values(status="cancelled", finished_at=func.now())
        connection.execute(over)
        assert total(connection, job.tenant_id).jobs == 0


def _store(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    c.execute(insert(Blob).values(id=uuid4(), tenant_id=tenant_id, purpose="original", chunks=0, size=size))


def _render(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    c.execute(insert(Blob).values(id=uuid4(), tenant_id=tenant_id, purpose="release", chunks=0, size=size))


def _resize(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    c.execute(update(Blob).where(Blob.tenant_id == tenant_id, Blob.size % 2 == size % 2).values(size=size))


def _delete_blobs(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    kept = select(Job.policy_blob_id).where(Job.policy_blob_id.is_not(None))
    some = (Blob.tenant_id == tenant_id, Blob.size > size, Blob.chunks == 0, Blob.id.not_in(kept))
    c.execute(delete(Blob).where(*some))


def _submit(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    for _ in range(size % 3):
        submit(c, JobDraft(tenant_id, dataset_id))


def _end_or_reopen(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    ended = case((Job.finished_at.is_(None), func.now()), else_=null())
    c.execute(update(Job).where(Job.tenant_id == tenant_id, Job.attempt == size % 2).values(finished_at=ended))


def _begin(c: Connection, tenant_id: UUID, dataset_id: UUID, size: int) -> None:
    c.execute(update(Job).where(Job.tenant_id == tenant_id).values(attempt=size % 2, progress=0.5))


DEEDS = (_store, _render, _resize, _delete_blobs, _submit, _end_or_reopen, _begin)
Deed = Callable[[Connection, UUID, UUID, int], None]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(transactions=st.lists(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 9)), max_size=6), max_size=4))
def test_totals_are_those_of_the_rows_whatever_was_done(
    owner: Any, tenant_id: UUID, dataset_id: UUID, transactions: list[list[tuple[Deed, int]]]
) -> None:
    for number, deeds in enumerate(transactions):
        with owner.main.connect() as connection, connection.begin() as transaction:
            for deed, size in deeds:
                deed(connection, tenant_id, dataset_id, size)
            assert total(connection, tenant_id) == counted(connection, tenant_id)
            if number % 2:
                transaction.rollback()
        with owner.main.begin() as connection:
            assert total(connection, tenant_id) == counted(connection, tenant_id)


def test_totals_are_kept_at_the_commit(owner: Any, tenant_id: UUID, store: Any) -> None:
    """A transaction that stores something does not block others of the tenant."""
    store(b"x")
    with owner.main.connect() as slow, slow.begin():
        _store(slow, tenant_id, tenant_id, 30)
        with owner.main.begin() as other:
            other.execute(text("SET LOCAL lock_timeout = '2s'"))
            _store(other, tenant_id, tenant_id, 5)
    with owner.main.begin() as connection:
        assert total(connection, tenant_id) == counted(connection, tenant_id) == Taken(36, 0)


def test_a_tenants_first_two_at_once_are_both_counted(owner: Any, tenant_id: UUID) -> None:
    with owner.main.connect() as one, owner.main.connect() as two, one.begin() as first, two.begin() as second:
        _store(one, tenant_id, tenant_id, 30)
        _store(two, tenant_id, tenant_id, 5)
        first.commit()
        second.commit()
    with owner.main.begin() as connection:
        assert total(connection, tenant_id) == Taken(35, 0)


@pytest.mark.parametrize("login", ["service", "worker"])
def test_processes_change_totals_by_what_they_store_alone(
    request: pytest.FixtureRequest, owner: Any, tenant_id: UUID, private_key: X25519PrivateKey, login: str
) -> None:
    engines = request.getfixturevalue(login)
    with engines.main.begin() as connection:
        stored = store_original(connection, private_key.public_key(), tenant_id, b"a policy")
    with owner.main.begin() as connection:
        assert total(connection, tenant_id) == Taken(stored.size, 0)


def test_another_tenants_rows_are_not_counted(owner: Any, tenant_id: UUID, store: Any) -> None:
    store(b"x" * 9)
    with owner.main.begin() as connection:
        other = create_tenant(connection, str(uuid4())).id
        _store(connection, other, other, 4)
        assert (total(connection, tenant_id), total(connection, other)) == (Taken(9, 0), Taken(4, 0))


def test_what_is_deleted_by_the_thousand_is_added_up_by_the_next_that_stores(owner: Any, tenant_id: UUID) -> None:
    rows = select(func.count()).select_from(Tally).where(Tally.tenant_id == tenant_id)
    with owner.main.begin() as connection:
        for _ in range(500):
            _store(connection, tenant_id, tenant_id, 7)
    with owner.main.begin() as connection:
        connection.execute(update(Blob).where(Blob.tenant_id == tenant_id).values(size=0))
    with owner.main.begin() as connection:
        assert connection.execute(rows).scalar_one() == 501
        assert total(connection, tenant_id) == Taken(0, 0)
        _store(connection, tenant_id, tenant_id, 4)
    with owner.main.begin() as connection:
        assert connection.execute(rows).scalar_one() == 1
        assert total(connection, tenant_id) == Taken(4, 0)


def test_changes_are_added_once_by_two_who_store_at_once(owner: Any, tenant_id: UUID, store: Any) -> None:
    store(b"x" * 50)
    with owner.main.begin() as connection:
        connection.execute(update(Blob).where(Blob.tenant_id == tenant_id).values(size=20))

    def storing(size: int) -> None:
        with owner.main.begin() as connection:
            _store(connection, tenant_id, tenant_id, size)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(storing, range(1, 33)))
    with owner.main.begin() as connection:
        assert total(connection, tenant_id) == counted(connection, tenant_id) == Taken(20 + 32 * 33 // 2, 0)
