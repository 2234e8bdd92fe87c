"""Encrypted blobs and a thief: a blob that is swapped, rolled back or moved to another tenant does not decrypt.

The thief is a superuser of both databases, without the workers' private key and without the release key.
"""

import secrets
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import Connection, delete, func, insert, select, update

from storage.blobs.blobs import read_release_chunk, read_release_chunks, write_release_blob
from storage.blobs.intake import store_original
from storage.blobs.keyring import store_sealed
from storage.blobs.originals import read_original
from storage.errors import CorruptBlob
from storage.orm import Blob, OriginalChunk, ReleaseChunk, SealedKey
from storage.tenancy.tenants import create_tenant
from tests.storage.conftest import (
    databases,
    owner,
    owner_settings,
    private_key,
    release_key,
    store,
    tenant_id,
    worker,
    worker_settings,
)

__all__ = [
    "databases",
    "owner",
    "owner_settings",
    "private_key",
    "release_key",
    "store",
    "tenant_id",
    "worker",
    "worker_settings",
]

OLD, NEW = (secrets.token_bytes((2 << 20) + 7) for _ in range(2))
"""Two versions of one file, of the same length."""


class Vault:
    """Two originals and two releases of one tenant, one of each of another; and a way to read them."""

    def __init__(self, engines: Any, key: X25519PrivateKey, release_key: bytes, tenant: UUID) -> None:
        self.engines, self.key, self.release_key, self.tenant = engines, key, release_key, tenant
        with engines.main.begin() as c, engines.keyring.begin() as kc:
            self.stranger = create_tenant(c, secrets.token_hex(8)).id
            kept = [store_original(c, key.public_key(), *each) for each in self._everybody()]
            for stored in kept:
                store_sealed(kc, stored.blob_id, stored.sealed)
            self.old, self.new, self.foreign = (stored.blob_id for stored in kept)
            releases = [write_release_blob(c, release_key, who, [content]) for who, content in self._everybody()]
            self.old_release, self.new_release, self.foreign_release = (stored.id for stored in releases)

    def _everybody(self) -> list[tuple[UUID, bytes]]:
        return [(self.tenant, OLD), (self.tenant, NEW), (self.stranger, OLD)]

    def original(self, blob_id: UUID, tenant: UUID | None = None) -> bytes:
        with self.engines.main.connect() as c, self.engines.keyring.connect() as kc:
            return b"".join(read_original(c, kc, self.key, tenant or self.tenant, blob_id))

    def release(self, blob_id: UUID, tenant: UUID | None = None) -> bytes:
        with self.engines.main.connect() as c:
            return b"".join(read_release_chunks(c, self.release_key, tenant or self.tenant, blob_id))


@pytest.fixture
def vault(owner: Any, private_key: X25519PrivateKey, release_key: bytes, tenant_id: UUID) -> Vault:
    return Vault(owner, private_key, release_key, tenant_id)


Theft = Callable[[Vault, Connection, Connection], None]


def copy_chunks(c: Connection, chunk: Any, source: UUID, target: UUID, *numbers: int) -> None:
    """Replace chunks of one blob by those of another."""
    for number in numbers:
        content = select(chunk.content).where(chunk.blob_id == source, chunk.number == number).scalar_subquery()
        c.execute(update(chunk).where(chunk.blob_id == target, chunk.number == number).values(content=content))


def swap_within(c: Connection, chunk: Any, blob_id: UUID) -> None:
    """Swap the first two chunks, which have the same length."""
    first, second = (
        c.execute(select(chunk.content).where(chunk.blob_id == blob_id, chunk.number == number)).scalar_one()
        for number in (0, 1)
    )
    for number, content in ((0, second), (1, first)):
        c.execute(update(chunk).where(chunk.blob_id == blob_id, chunk.number == number).values(content=content))


def cut(c: Connection, chunk: Any, blob_id: UUID) -> None:
    """Remove the last chunk and every trace of it."""
    c.execute(delete(chunk).where(chunk.blob_id == blob_id, chunk.number == 2))
    c.execute(update(Blob).where(Blob.id == blob_id).values(chunks=2, size=2 << 20))


def lengthen(c: Connection, chunk: Any, blob_id: UUID) -> None:
    """Append the first chunk again at the end."""
    first = select(chunk.content).where(chunk.blob_id == blob_id, chunk.number == 0)
    c.execute(insert(chunk).values(blob_id=blob_id, number=3, content=c.execute(first).scalar_one()))
    c.execute(update(Blob).where(Blob.id == blob_id).values(chunks=4, size=Blob.size + (1 << 20)))


def wrapped_key_of(c: Connection, blob_id: UUID) -> bytes:
    wrapped = c.execute(select(Blob.wrapped_key).where(Blob.id == blob_id)).scalar_one()
    assert wrapped is not None
    return wrapped


def give_key(kc: Connection, source: UUID, target: UUID) -> None:
    """Replace the sealed key of one original by that of another."""
    sealed = kc.execute(select(SealedKey.sealed).where(SealedKey.blob_id == source)).scalar_one()
    kc.execute(update(SealedKey).where(SealedKey.blob_id == target).values(sealed=sealed))


def roll_back(vault: Vault, c: Connection, kc: Connection) -> None:
    """Replace the newer version by the whole older one, chunks and key."""
    copy_chunks(c, OriginalChunk, vault.old, vault.new, 0, 1, 2)
    give_key(kc, vault.old, vault.new)


def roll_back_release(vault: Vault, c: Connection, kc: Connection) -> None:
    copy_chunks(c, ReleaseChunk, vault.old_release, vault.new_release, 0, 1, 2)
    wrapped = wrapped_key_of(c, vault.old_release)
    c.execute(update(Blob).where(Blob.id == vault.new_release).values(wrapped_key=wrapped))


THEFTS_OF_ORIGINALS: dict[str, Theft] = {
    "a chunk of the older version": lambda v, c, kc: copy_chunks(c, OriginalChunk, v.old, v.new, 1),
    "all chunks of the older version": lambda v, c, kc: copy_chunks(c, OriginalChunk, v.old, v.new, 0, 1, 2),
    "the key of the older version": lambda v, c, kc: give_key(kc, v.old, v.new),
    "the older version with its key": roll_back,
    "a chunk of another tenant": lambda v, c, kc: copy_chunks(c, OriginalChunk, v.foreign, v.new, 1),
    "the key of another tenant": lambda v, c, kc: give_key(kc, v.foreign, v.new),
    "two chunks exchanged": lambda v, c, kc: swap_within(c, OriginalChunk, v.new),
    "the end cut off": lambda v, c, kc: cut(c, OriginalChunk, v.new),
    "one chunk more": lambda v, c, kc: lengthen(c, OriginalChunk, v.new),
}


@pytest.mark.parametrize("theft", THEFTS_OF_ORIGINALS)
def test_an_original_that_was_exchanged_does_not_open(vault: Vault, theft: str) -> None:
    assert vault.original(vault.new) == NEW
    with vault.engines.main.begin() as c, vault.engines.keyring.begin() as kc:
        THEFTS_OF_ORIGINALS[theft](vault, c, kc)
    with pytest.raises(CorruptBlob):
        vault.original(vault.new)
    assert vault.original(vault.old) == OLD


THEFTS_OF_RELEASES: dict[str, Theft] = {
    "a chunk of the older version": lambda v, c, kc: copy_chunks(c, ReleaseChunk, v.old_release, v.new_release, 1),
    "the older version with its key": roll_back_release,
    "a chunk of another tenant": lambda v, c, kc: copy_chunks(c, ReleaseChunk, v.foreign_release, v.new_release, 1),
    "two chunks exchanged": lambda v, c, kc: swap_within(c, ReleaseChunk, v.new_release),
    "the end cut off": lambda v, c, kc: cut(c, ReleaseChunk, v.new_release),
    "one chunk more": lambda v, c, kc: lengthen(c, ReleaseChunk, v.new_release),
}


@pytest.mark.parametrize("theft", THEFTS_OF_RELEASES)
def test_a_release_that_was_exchanged_does_not_open(vault: Vault, theft: str) -> None:
    assert vault.release(vault.new_release) == NEW
    with vault.engines.main.begin() as c, vault.engines.keyring.begin() as kc:
        THEFTS_OF_RELEASES[theft](vault, c, kc)
    with pytest.raises(CorruptBlob):
        vault.release(vault.new_release)
    assert vault.release(vault.old_release) == OLD


def test_a_blob_given_to_another_tenant_does_not_open_for_it(vault: Vault) -> None:
    """Neither with its row unchanged, nor after a superuser wrote the other tenant into it."""
    for read, blob_id in ((vault.original, vault.new), (vault.release, vault.new_release)):
        with pytest.raises(CorruptBlob):
            read(blob_id, vault.stranger)
    with vault.engines.main.begin() as c:
        c.execute(update(Blob).where(Blob.id.in_([vault.new, vault.new_release])).values(tenant_id=vault.stranger))
    for read, blob_id in ((vault.original, vault.new), (vault.release, vault.new_release)):
        with pytest.raises(CorruptBlob):
            read(blob_id, vault.stranger)
        with pytest.raises(CorruptBlob):
            read(blob_id, vault.tenant)


def test_the_wrong_private_key_or_release_key_opens_nothing(vault: Vault) -> None:
    right, vault.key = vault.key, X25519PrivateKey.generate()
    with pytest.raises(CorruptBlob):
        vault.original(vault.new)
    vault.key, vault.release_key = right, secrets.token_bytes(32)
    with pytest.raises(CorruptBlob):
        vault.release(vault.new_release)
    with pytest.raises(CorruptBlob), vault.engines.main.connect() as c:
        read_release_chunk(c, vault.release_key, vault.tenant, vault.new_release, 0, 3)


def test_the_same_content_twice_has_nothing_in_common(vault: Vault) -> None:
    """The database does not reveal that two tenants have the same file."""
    ask = select(OriginalChunk.content).where(OriginalChunk.blob_id.in_([vault.old, vault.foreign]))
    with vault.engines.main.connect() as c:
        stored = list(c.execute(ask).scalars())
        keys = c.execute(select(func.count()).where(Blob.id == vault.old, Blob.wrapped_key.is_not(None))).scalar_one()
    assert len(stored) == 6
    pieces = {bytes(content[place : place + 16]) for content in stored for place in range(0, len(content) - 16, 4096)}
    assert len(pieces) == sum(len(range(0, len(content) - 16, 4096)) for content in stored)
    assert keys == 0
