"""Sealed keys: opened by the workers alone, for their blob alone, until they are shredded."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, update

from storage.errors import CorruptBlob
from storage.keyring import fetch_sealed, seal, shred, store_sealed, sweep_orphans, unseal
from storage.orm import SealedKey

KEY = X25519PrivateKey.generate()
BLOB = uuid4()


def test_only_the_private_key_opens_what_was_sealed() -> None:
    data_key = secrets.token_bytes(32)
    sealed = seal(KEY.public_key(), BLOB, data_key)
    assert unseal(KEY, BLOB, sealed) == data_key
    assert data_key not in sealed
    with pytest.raises(CorruptBlob):
        unseal(X25519PrivateKey.generate(), BLOB, sealed)


def test_a_sealed_key_opens_no_other_blob() -> None:
    with pytest.raises(CorruptBlob):
        unseal(KEY, uuid4(), seal(KEY.public_key(), BLOB, bytes(32)))


def test_sealing_twice_gives_different_texts() -> None:
    assert seal(KEY.public_key(), BLOB, bytes(32)) != seal(KEY.public_key(), BLOB, bytes(32))


@given(st.integers(0, 79), st.integers(1, 255))
@settings(deadline=None, max_examples=60)
def test_any_changed_byte_is_noticed(place: int, change: int) -> None:
    sealed = bytearray(seal(KEY.public_key(), BLOB, b"\x05" * 32))
    sealed[place] ^= change
    with pytest.raises(CorruptBlob):
        unseal(KEY, BLOB, bytes(sealed))


@pytest.mark.parametrize("sealed", [b"", b"short", bytes(32), bytes(80)])
def test_nonsense_does_not_open(sealed: bytes) -> None:
    with pytest.raises(CorruptBlob):
        unseal(KEY, BLOB, sealed)


def test_keeps_a_sealed_key_until_it_is_shredded(worker: Any) -> None:
    kept, shredded = uuid4(), uuid4()
    with worker.keyring.begin() as kc:
        for blob_id in (kept, shredded):
            store_sealed(kc, blob_id, blob_id.bytes)
    with worker.keyring.begin() as kc:
        assert shred(kc, [shredded, uuid4()]) == 1
    with worker.keyring.begin() as kc:
        assert fetch_sealed(kc, kept) == kept.bytes
        assert fetch_sealed(kc, shredded) is None
        assert shred(kc, []) == 0


def test_sweeps_old_keys_whose_blob_was_never_committed(owner: Any, worker: Any, store: Any) -> None:
    used, old, fresh = store(b"content").blob_id, uuid4(), uuid4()
    with owner.keyring.begin() as kc:
        for blob_id in (old, fresh):
            store_sealed(kc, blob_id, b"sealed")
        _age(kc, [used, old])
    with worker.main.begin() as c, worker.keyring.begin() as kc:
        assert sweep_orphans(c, kc, hours=24) == 1
        assert fetch_sealed(kc, old) is None
        assert fetch_sealed(kc, fresh) == b"sealed"
        assert fetch_sealed(kc, used) is not None


def _age(kc: Any, blob_ids: list[UUID]) -> None:
    old = update(SealedKey).where(SealedKey.blob_id.in_(blob_ids))
    kc.execute(old.values(created_at=func.now() - timedelta(days=2)))
