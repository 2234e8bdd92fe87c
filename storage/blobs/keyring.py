"""The keyring: data keys of originals, sealed to the workers.

Sealing is hybrid public-key encryption (Barnes, Bhargavan, Lipp and Wood, RFC 9180, 2022) in base mode, with X25519,
HKDF-SHA256 and AES-256-GCM. The blob's id is part of its info, so a sealed key opens no other blob. The process that
seals a key cannot open it again.

Sealed keys are in a separate database, which no dump of the main one contains: removing a row there makes the original
unreadable in every copy of the main database.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from sqlalchemy import Connection, delete, func, insert, select

from storage.errors import CorruptBlob as CorruptBlob
from storage.orm import Blob, SealedKey

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_LABEL = b"antifaz sealed key 2"
_BATCH = 1_000


def seal(public_key: X25519PublicKey, blob_id: UUID, data_key: bytes) -> bytes:
    """Encrypt a data key so that only the workers can open it, and only for this blob."""
    return _SUITE.encrypt(data_key, public_key, info=_LABEL + blob_id.bytes)


def unseal(private_key: X25519PrivateKey, blob_id: UUID, sealed: bytes) -> bytes:
    """The data key inside a sealed key; `CorruptBlob` if it was changed or belongs to another blob or key."""
    try:
        return _SUITE.decrypt(sealed, private_key, info=_LABEL + blob_id.bytes)
    except (InvalidTag, ValueError) as error:
        raise CorruptBlob("a sealed key does not open") from error


def store_sealed(kc: Connection, blob_id: UUID, sealed: bytes) -> None:
    """Store a sealed key. Its transaction commits before the one that stores the blob."""
    kc.execute(insert(SealedKey).values(blob_id=blob_id, sealed=sealed))


def fetch_sealed(kc: Connection, blob_id: UUID) -> bytes | None:
    """The sealed key of a blob, or None if it was shredded."""
    return kc.execute(select(SealedKey.sealed).where(SealedKey.blob_id == blob_id)).scalar_one_or_none()


def shred(kc: Connection, blob_ids: Sequence[UUID]) -> int:
    """Remove the sealed keys of blobs and return the count. Commit it before the chunks are deleted."""
    return kc.execute(delete(SealedKey).where(SealedKey.blob_id.in_(blob_ids))).rowcount


def sweep_orphans(c: Connection, kc: Connection, hours: float = 24.0) -> int:
    """Remove old sealed keys whose blob was never committed, because an upload broke off in between.

    It walks the whole keyring, so run it about once an hour.
    """
    swept, after = 0, UUID(int=0)
    while old := _old_keys(kc, hours, after):
        known = set(c.execute(select(Blob.id).where(Blob.id.in_(old))).scalars())
        swept += shred(kc, [blob_id for blob_id in old if blob_id not in known])
        after = old[-1]
    return swept


def _old_keys(kc: Connection, hours: float, after: UUID) -> list[UUID]:
    statement = (
        select(SealedKey.blob_id)
        .where(SealedKey.blob_id > after, SealedKey.created_at < func.now() - timedelta(hours=hours))
        .order_by(SealedKey.blob_id)
        .limit(_BATCH)
    )
    return list(kc.execute(statement).scalars())
