"""Secrets that only the courier can open: keys of portals, and signing secrets of webhooks.

They are sealed like the keys of originals (RFC 9180, `storage.blobs.keyring`), to another key. A secret is bound to its
owner and the address that it is sent to: it opens for nothing else.
"""

from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from storage.database.canonical import canonical
from storage.errors import Forged

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_LABEL = "antifaz sealed secret 1"


def seal_secret(public_key: X25519PublicKey, owner_id: UUID, url: str, secret: bytes) -> bytes:
    """Encrypt a secret for the courier, for this owner and address only."""
    return _SUITE.encrypt(secret, public_key, info=_info(owner_id, url))


def open_secret(private_key: X25519PrivateKey, owner_id: UUID, url: str, sealed: bytes) -> bytes:
    """The secret; `Forged` if it was sealed for another owner, address or key."""
    try:
        return _SUITE.decrypt(sealed, private_key, info=_info(owner_id, url))
    except (InvalidTag, ValueError) as error:
        raise Forged("a sealed secret does not open") from error


def _info(owner_id: UUID, url: str) -> bytes:
    return canonical([_LABEL, owner_id, url]).encode()
