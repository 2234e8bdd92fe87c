"""Originals: read only by workers, completely or not at all, and never after shredding."""

import secrets
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import delete, insert, select, update

from storage.blobs.keyring import fetch_sealed, shred, unseal
from storage.blobs.originals import pseudonym_key, read_original
from storage.datasets.datasets import delete_chunks
from storage.errors import CorruptBlob, Shredded
from storage.orm import Blob, OriginalChunk, SealedKey

CONTENT = secrets.token_bytes((2 << 20) + 99)


@pytest.fixture
def blob_id(store: Any) -> UUID:
    return store(CONTENT).blob_id  # type: ignore[no-any-return]


def read(engines: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID) -> bytes:
    with engines.main.connect() as c, engines.keyring.connect() as kc:
        return b"".join(read_original(c, kc, private_key, tenant_id, blob_id))


def test_a_worker_reads_an_original(worker: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID) -> None:
    assert read(worker, private_key, tenant_id, blob_id) == CONTENT


def test_the_wrong_key_or_tenant_reads_nothing(
    worker: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> None:
    with pytest.raises(CorruptBlob):
        read(worker, X25519PrivateKey.generate(), tenant_id, blob_id)
    with pytest.raises(CorruptBlob):
        read(worker, private_key, uuid4(), blob_id)


def test_chunks_swapped_between_two_originals_are_noticed(
    owner: Any, store: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> None:
    other = store(CONTENT).blob_id
    with owner.main.begin() as c:
        content = select(OriginalChunk.content).where(OriginalChunk.blob_id == other, OriginalChunk.number == 1)
        where = (OriginalChunk.blob_id == blob_id, OriginalChunk.number == 1)
        c.execute(update(OriginalChunk).where(*where).values(content=content.scalar_subquery()))
    with pytest.raises(CorruptBlob):
        read(owner, private_key, tenant_id, blob_id)


def test_a_missing_chunk_is_noticed(owner: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID) -> None:
    with owner.main.begin() as c:
        c.execute(delete(OriginalChunk).where(OriginalChunk.blob_id == blob_id, OriginalChunk.number == 1))
    with pytest.raises(CorruptBlob):
        read(owner, private_key, tenant_id, blob_id)


def test_a_cut_off_original_is_noticed(
    owner: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> None:
    with owner.main.begin() as c:
        c.execute(update(Blob).where(Blob.id == blob_id).values(chunks=2))
    with pytest.raises(CorruptBlob):
        read(owner, private_key, tenant_id, blob_id)


def test_a_shredded_original_stays_unreadable_even_from_a_backup(
    owner: Any, service: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> None:
    columns = (OriginalChunk.blob_id, OriginalChunk.number, OriginalChunk.content)
    with owner.main.connect() as c:
        backup = [row._asdict() for row in c.execute(select(*columns).where(OriginalChunk.blob_id == blob_id))]
    with service.keyring.begin() as kc:
        assert shred(kc, [blob_id]) == 1
    with service.main.begin() as c:
        assert delete_chunks(c, [blob_id]) == 3
    with owner.main.begin() as c:
        c.execute(insert(OriginalChunk), backup)
    with pytest.raises(Shredded):
        read(owner, private_key, tenant_id, blob_id)


def test_the_key_alone_stands_between_the_chunks_and_a_reader(
    owner: Any, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> None:
    """The counterpart: with the key put back the same chunks open, so it was the key that made them unreadable."""
    with owner.keyring.begin() as kc:
        sealed = fetch_sealed(kc, blob_id)
        shred(kc, [blob_id])
    with pytest.raises(Shredded):
        read(owner, private_key, tenant_id, blob_id)
    with owner.keyring.begin() as kc:
        kc.execute(insert(SealedKey).values(blob_id=blob_id, sealed=sealed))
    assert read(owner, private_key, tenant_id, blob_id) == CONTENT


def pseudonyms_of(engines: Any, private_key: X25519PrivateKey, blob_id: UUID) -> bytes:
    with engines.keyring.connect() as kc:
        return pseudonym_key(kc, private_key, blob_id)


def test_every_original_has_a_key_for_pseudonyms_that_is_not_its_own(
    worker: Any, store: Any, private_key: X25519PrivateKey, blob_id: UUID
) -> None:
    key = pseudonyms_of(worker, private_key, blob_id)
    assert len(key) == 32
    assert pseudonyms_of(worker, private_key, blob_id) == key
    assert pseudonyms_of(worker, private_key, store(CONTENT).blob_id) != key
    with worker.keyring.connect() as kc:
        assert unseal(private_key, blob_id, fetch_sealed(kc, blob_id)) != key
    with pytest.raises(CorruptBlob):
        pseudonyms_of(worker, X25519PrivateKey.generate(), blob_id)


def test_nobody_makes_the_pseudonyms_of_a_shredded_original(
    worker: Any, private_key: X25519PrivateKey, blob_id: UUID
) -> None:
    with worker.keyring.begin() as kc:
        shred(kc, [blob_id])
    with pytest.raises(Shredded):
        pseudonyms_of(worker, private_key, blob_id)
