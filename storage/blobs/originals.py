"""Originals: the reading side, which only workers may import."""

from collections.abc import Iterator
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import Connection, select

from storage.blobs.blobs import KEY_BYTES, ChunkCipher
from storage.blobs.chunks import ORIGINALS
from storage.blobs.keyring import fetch_sealed, unseal
from storage.errors import CorruptBlob as CorruptBlob
from storage.errors import Shredded as Shredded
from storage.orm import Blob

_PSEUDONYMS = b"antifaz pseudonyms 1"


def read_original(
    c: Connection, kc: Connection, private_key: X25519PrivateKey, tenant_id: UUID, blob_id: UUID
) -> Iterator[bytes]:
    """The plaintext chunks of an original, in order.

    Raises `Shredded` immediately if the key is gone, and `CorruptBlob` at the first chunk that is missing or does not
    authenticate. The chunks yielded before are authentic, but a reader must not act on half an original.
    """
    data_key = _data_key(kc, private_key, blob_id)
    row = select(Blob.chunks).where(Blob.id == blob_id, Blob.tenant_id == tenant_id, Blob.purpose == "original")
    chunks = c.execute(row).scalar_one_or_none()
    if chunks is None:
        raise CorruptBlob("there is no such original")
    return _chunks(c, ChunkCipher(data_key, tenant_id, blob_id), blob_id, chunks)


def pseudonym_key(kc: Connection, private_key: X25519PrivateKey, blob_id: UUID) -> bytes:
    """A key that belongs to one original and is lost with it: nobody can make its pseudonyms again once it is shredded.

    It is derived from the original's data key, so every job on it has the same one and none is ever stored.
    """
    return derived_key(kc, private_key, blob_id, _PSEUDONYMS)


def derived_key(kc: Connection, private_key: X25519PrivateKey, blob_id: UUID, label: bytes) -> bytes:
    """A key for one purpose, derived from an original's data key; `Shredded` if that one is gone."""
    data_key = _data_key(kc, private_key, blob_id)
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=label + blob_id.bytes).derive(data_key)


def _data_key(kc: Connection, private_key: X25519PrivateKey, blob_id: UUID) -> bytes:
    sealed = fetch_sealed(kc, blob_id)
    if sealed is None:
        raise Shredded("the key of this original is gone")
    return unseal(private_key, blob_id, sealed)


def _chunks(c: Connection, cipher: ChunkCipher, blob_id: UUID, chunks: int) -> Iterator[bytes]:
    for number, content in ORIGINALS.get_all(c, blob_id, range(chunks)):
        yield cipher.decrypt(number, number == chunks - 1, content)
