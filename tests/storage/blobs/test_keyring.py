"""Sealed keys: opened only by workers, only for their blob, until they are shredded."""

import hmac
import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, update

from storage.blobs.keyring import fetch_sealed, seal, shred, store_sealed, sweep_orphans, unseal
from storage.errors import CorruptBlob
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


def opened_by_the_letter(private_key: X25519PrivateKey, info: bytes, sealed: bytes) -> bytes:
    """RFC 9180, base mode, written down from its sections 4.1 and 5.1 for X25519, HKDF-SHA256 and AES-256-GCM."""

    def extract(suite: bytes, salt: bytes, label: bytes, key: bytes) -> bytes:
        return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256")

    def expand(suite: bytes, secret: bytes, label: bytes, content: bytes, length: int) -> bytes:
        labelled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + content
        return hmac.digest(secret, labelled + b"\x01", "sha256")[:length]

    point, ciphertext = sealed[:32], sealed[32:]
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x02"
    agreed = private_key.exchange(X25519PublicKey.from_public_bytes(point))
    context = point + private_key.public_key().public_bytes_raw()
    shared = expand(kem, extract(kem, b"", b"eae_prk", agreed), b"shared_secret", context, 32)
    schedule = b"\x00" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    secret = extract(suite, shared, b"secret", b"")
    key, nonce = (expand(suite, secret, label, schedule, size) for label, size in ((b"key", 32), (b"base_nonce", 12)))
    return AESGCM(key).decrypt(nonce, ciphertext, b"")


def test_what_is_sealed_can_be_opened_by_the_letter_of_the_standard() -> None:
    data_key = secrets.token_bytes(32)
    sealed = seal(KEY.public_key(), BLOB, data_key)
    assert opened_by_the_letter(KEY, b"antifaz sealed key 2" + BLOB.bytes, sealed) == data_key
    with pytest.raises(InvalidTag):
        opened_by_the_letter(KEY, b"antifaz sealed key 1" + BLOB.bytes, sealed)


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
