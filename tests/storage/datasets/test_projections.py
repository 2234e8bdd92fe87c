"""Projections: sealed like originals, deleted with them, and never read as something else."""

from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import ProgrammingError

from storage.blobs.keyring import fetch_sealed, shred
from storage.datasets.datasets import (
    DatasetDraft,
    DatasetRecord,
    blobs_of_dataset,
    create_dataset,
    delete_chunks,
    mark_deleted,
)
from storage.datasets.projections import ProjectionKey, places, projection_key, read_column, write_columns
from storage.errors import CorruptBlob, Shredded
from storage.orm import Blob, OriginalChunk, Projection

KEY = bytes(32)
COLUMNS = [b"7", b"cnry" * 400_000, b""]


@pytest.fixture
def dataset(owner: Any, store: Any, tenant_id: UUID) -> DatasetRecord:
    return made(owner, tenant_id, store(b"age\n7\n").blob_id)


def made(owner: Any, tenant_id: UUID, blob_id: UUID) -> DatasetRecord:
    draft = DatasetDraft(tenant_id=tenant_id, name="people", kind="table", format="csv", size=6, blob_id=blob_id)
    with owner.main.begin() as c:
        return create_dataset(c, KEY, draft)


def key_of(engines: Any, private_key: X25519PrivateKey, dataset: DatasetRecord, version: int = 1) -> ProjectionKey:
    with engines.keyring.connect() as kc:
        return projection_key(kc, private_key, dataset, version)


def write(engines: Any, key: ProjectionKey) -> bool:
    with engines.main.begin() as c:
        return write_columns(c, key, COLUMNS)


def read(engines: Any, key: ProjectionKey) -> list[bytes]:
    with engines.main.connect() as c:
        return [read_column(c, key, place, blob_id) for place, blob_id in sorted(places(c, key).items())]


def test_a_worker_reads_the_columns_that_it_wrote(
    worker: Any, private_key: X25519PrivateKey, dataset: DatasetRecord
) -> None:
    key = key_of(worker, private_key, dataset)
    assert read(worker, key) == []
    assert write(worker, key)
    assert read(worker, key_of(worker, private_key, dataset)) == COLUMNS


def test_columns_are_stored_encrypted_and_their_keys_nowhere(
    worker: Any, private_key: X25519PrivateKey, dataset: DatasetRecord
) -> None:
    key = key_of(worker, private_key, dataset)
    write(worker, key)
    with worker.main.connect() as c, worker.keyring.connect() as kc:
        blobs = list(places(c, key).values())
        stored = c.execute(select(OriginalChunk.content).where(OriginalChunk.blob_id.in_(blobs))).scalars()
        assert all(b"cnry" not in content for content in stored)
        assert [fetch_sealed(kc, blob_id) for blob_id in blobs] == [None] * 3
        kept = c.execute(select(Blob.wrapped_key).where(Blob.id.in_(blobs))).scalars()
        assert set(kept) == {None}
    assert "secret" not in repr(key)


def test_of_a_shredded_dataset_no_column_can_be_read_in_any_copy(
    worker: Any, private_key: X25519PrivateKey, dataset: DatasetRecord
) -> None:
    write(worker, key_of(worker, private_key, dataset))
    with worker.keyring.begin() as kc:
        shred(kc, [dataset.blob_id])
    with pytest.raises(Shredded):
        key_of(worker, private_key, dataset)


def test_deleting_a_dataset_deletes_its_columns_and_none_comes_later(
    service: Any, worker: Any, private_key: X25519PrivateKey, dataset: DatasetRecord
) -> None:
    key = key_of(worker, private_key, dataset)
    write(worker, key)
    with service.main.begin() as c:
        doomed = blobs_of_dataset(c, dataset.id)
        assert set(places(c, key).values()) | {dataset.blob_id} == set(doomed)
        delete_chunks(c, doomed)
        mark_deleted(c, dataset.id)
    with worker.main.begin() as c:
        assert not write_columns(c, key_of(worker, private_key, dataset, 2), COLUMNS)
        left = select(func.count()).where(OriginalChunk.blob_id.in_(doomed))
        assert c.execute(left).scalar_one() == 0


def test_newer_declarations_replace_the_columns_and_older_ones_do_not_come_back(
    worker: Any, private_key: X25519PrivateKey, dataset: DatasetRecord
) -> None:
    first, second = (key_of(worker, private_key, dataset, version) for version in (1, 2))
    assert write(worker, first)
    with worker.main.connect() as c:
        before = list(places(c, first).values())
    assert write(worker, second)
    assert not write(worker, second)
    assert not write(worker, first)
    assert read(worker, second) == COLUMNS
    with worker.main.connect() as c:
        assert places(c, first) == {}
        assert c.execute(select(func.count()).where(Blob.id.in_(before))).scalar_one() == 0
        assert c.execute(select(func.count()).where(OriginalChunk.blob_id.in_(before))).scalar_one() == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE projections SET version = 2 WHERE dataset_id = :id",
        "UPDATE projections SET place = 3 - place WHERE dataset_id = :id AND place > 0",
        (
            "UPDATE projections SET blob_id = (SELECT blob_id FROM projections WHERE dataset_id = :id AND place = 2)"
            " WHERE dataset_id = :id AND place = 1"
        ),
        "UPDATE projections SET dataset_id = :id WHERE dataset_id = :other",
    ],
    ids=["version", "places", "blob", "dataset"],
)
def test_a_row_that_points_elsewhere_opens_nothing(
    owner: Any, store: Any, private_key: X25519PrivateKey, dataset: DatasetRecord, change: str
) -> None:
    other = made(owner, dataset.tenant_id, store(b"age\n8\n").blob_id)
    version = 2 if "version" in change else 1
    write(owner, key_of(owner, private_key, other if ":other" in change else dataset))
    with owner.main.begin() as c:
        c.execute(text("ALTER TABLE projections DROP CONSTRAINT projections_pkey"))
        c.execute(text(change), {"id": dataset.id, "other": other.id})
        key = key_of(owner, private_key, dataset, version)
        # One of the columns that were moved; the others are what they were.
        with pytest.raises(CorruptBlob):
            read_column(c, key, 1, places(c, key)[1])
        c.rollback()


def test_the_service_cannot_write_columns(service: Any, dataset: DatasetRecord) -> None:
    row = {"dataset_id": dataset.id, "version": 1, "place": 0, "blob_id": dataset.blob_id}
    with service.main.begin() as c, pytest.raises(ProgrammingError, match="permission denied"):
        c.execute(insert(Projection).values(**row))
