"""Sealed releases: the format of stored bytes, and the errors for changed ones."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from storage.blobs.blobs import (
    ChunkCipher,
    CorruptBlob,
    delete_release_blobs,
    open_release_blob,
    read_release_chunks,
    unwrap_key,
    wrap_key,
    write_release_blob,
)
from storage.jobs.jobs import JobDraft, JobRecord, claim, finish, release_lease, submit
from storage.jobs.protocol import CHANNEL
from storage.releases.releases import ReleaseDraft, earlier_releases, publish
from tests.patience import patience

FIXED = ChunkCipher(bytes(range(32)), UUID(int=1), UUID(int=2))


def test_what_was_stored_once_can_be_read_for_ever() -> None:
    """Ciphertexts from when the format was made: a change of the format must convert stored data."""
    last, other = "6fdbd0d48426a88a980116604da71596553c70b460c9", "75627a79313fd4f474671fe2954ead9411"
    assert FIXED.encrypt(0, True, b"age\n1\n").hex() == last
    assert FIXED.decrypt(0, True, bytes.fromhex(last)) == b"age\n1\n"
    assert FIXED.encrypt(258, False, b"x").hex() == other
    assert FIXED.decrypt(258, False, bytes.fromhex(other)) == b"x"


def test_a_chunk_that_does_not_authenticate_is_told_by_its_number() -> None:
    for ciphertext in (bytes(40), b"", b"short"):
        with pytest.raises(CorruptBlob) as refused:
            FIXED.decrypt(7, True, ciphertext)
        assert str(refused.value) == "chunk 7 does not authenticate"


def test_a_wrapped_key_opens_only_under_its_own_key_and_blob() -> None:
    key, blob_id = bytes(32), UUID(int=3)
    wrapped = wrap_key(key, blob_id, bytes(range(32)))
    assert unwrap_key(key, blob_id, wrapped) == bytes(range(32))
    assert wrapped != wrap_key(key, blob_id, bytes(range(32)))
    for other in (
        (bytes([1] * 32), blob_id, wrapped),
        (key, UUID(int=4), wrapped),
        (key, blob_id, b""),
        (key, blob_id, wrapped[:-1]),
    ):
        with pytest.raises(CorruptBlob) as refused:
            unwrap_key(*other)
        assert str(refused.value) == "a wrapped key does not open"


def test_a_blob_that_is_not_there_or_not_the_tenants_is_told_alike(
    owner: Any, tenant_id: UUID, release_key: bytes
) -> None:
    with owner.main.begin() as connection:
        blob = write_release_blob(connection, release_key, tenant_id, [b"age\n", b"1\n"])
        assert (blob.size, blob.chunks) == (6, 1)
        opened = open_release_blob(connection, release_key, tenant_id, blob.id)
        assert (opened.id, opened.size, opened.chunks) == (blob.id, 6, 1)
        for tenant, name in ((UUID(int=5), blob.id), (tenant_id, UUID(int=6))):
            with pytest.raises(CorruptBlob) as refused:
                open_release_blob(connection, release_key, tenant, name)
            assert str(refused.value) == "there is no such release blob"
        connection.execute(text("DELETE FROM release_chunks WHERE blob_id = :id"), {"id": blob.id})
        with pytest.raises(CorruptBlob) as refused:
            list(read_release_chunks(connection, release_key, tenant_id, blob.id))
        assert str(refused.value) == "chunk 0 is missing"


def test_a_release_blob_without_its_key_cannot_be_opened(owner: Any, tenant_id: UUID, release_key: bytes) -> None:
    with owner.main.begin() as connection:
        blob = write_release_blob(connection, release_key, tenant_id, [b"age\n1\n"])
        connection.execute(text("UPDATE blobs SET wrapped_key = NULL WHERE id = :id"), {"id": blob.id})
        with pytest.raises(CorruptBlob, match="there is no such release blob"):
            open_release_blob(connection, release_key, tenant_id, blob.id)


def test_an_original_is_no_release_that_could_be_discarded(owner: Any, tenant_id: UUID, store: Any) -> None:
    blob_id = store(b"name\nAna\n").blob_id
    with owner.main.begin() as connection:
        assert delete_release_blobs(connection, [blob_id]) == 0
        assert connection.execute(text("SELECT count(*) FROM blobs WHERE id = :id"), {"id": blob_id}).scalar_one() == 1


def test_a_blob_that_somebody_holds_is_left_for_later(owner: Any, tenant_id: UUID, release_key: bytes) -> None:
    with owner.main.begin() as connection:
        blob = write_release_blob(connection, release_key, tenant_id, [b"age\n1\n"])
    with owner.main.begin() as holder, owner.main.begin() as other:
        holder.execute(text("SELECT 1 FROM blobs WHERE id = :id FOR UPDATE"), {"id": blob.id})
        other.execute(text("SET LOCAL lock_timeout = '100ms'"))
        assert delete_release_blobs(other, [blob.id]) == 0
    with owner.main.begin() as connection:
        assert delete_release_blobs(connection, [blob.id]) == 1


def test_releases_are_told_oldest_first_and_those_of_one_moment_by_their_ids(
    owner: Any, tenant_id: UUID, dataset_id: UUID, release_key: bytes
) -> None:
    lineage, high, low = uuid4(), UUID(int=2**128 - 1 - uuid4().int % 2**64), UUID(int=uuid4().int % 2**64)
    middle = UUID(int=2**127)

    def published(connection: Any, release_id: UUID) -> None:
        job = submit(connection, JobDraft(tenant_id, dataset_id, policy={"kind": "table"}))
        publish(
            connection,
            release_key,
            ReleaseDraft(
                id=release_id,
                job_id=job.id,
                tenant_id=tenant_id,
                dataset_id=dataset_id,
                lineage_id=lineage,
                kind="table",
                name="patients",
                shape={},
                guarantees=[],
                dictionary=[],
                artifacts=[],
            ),
        )

    with owner.main.begin() as connection:
        published(connection, high)
    with owner.main.begin() as connection:
        published(connection, middle)
        published(connection, low)
    with owner.main.connect() as connection:
        assert [release.id for release in earlier_releases(connection, release_key, lineage)] == [high, low, middle]


def test_a_client_that_waits_for_a_job_hears_that_it_was_given_back(owner: Any, job: JobRecord) -> None:
    with owner.main.begin() as connection:
        held = claim(connection, job.id, 30.0, 3)
    assert held is not None
    with owner.main.connect() as listener:
        driver = listener.connection.driver_connection
        driver.rollback()
        driver.autocommit = True
        driver.execute(f"LISTEN {CHANNEL}")
        with owner.main.begin() as connection:
            assert release_lease(connection, job.id, held.fence) == "queued"
        heard = [notice.payload for notice in driver.notifies(timeout=patience(), stop_after=1)]
        driver.execute("UNLISTEN *")
        driver.autocommit = False
    assert heard == [str(job.id)]
    with owner.main.begin() as connection:
        assert release_lease(connection, job.id, held.fence) is None


def test_a_job_ends_in_one_of_the_ways_there_are(owner: Any) -> None:
    with (
        owner.main.begin() as connection,
        pytest.raises(ValueError, match="a finished job is one of released, assessed, refused"),
    ):
        finish(connection, UUID(int=1), 1, "running")
