"""Heads: the newest digest of an audit chain, signed so that an auditor can keep it and check the chain later.

A signature (Ed25519; Bernstein, Duif, Lange, Schwabe and Yang, "High-speed high-security signatures", 2011) states that
a chain had this digest at this number. It covers a short text, so that any tool can check it. The newest key signs;
signatures of older keys are still accepted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_LABEL = "antifaz audit head 1"
_BUNDLE = "antifaz bundle 1"
_KEY = "antifaz key 1"
"""Each kind of signed text begins with its own label, so that a signature of one is not valid for the other."""


@dataclass(frozen=True)
class SignedHead:
    """A head as published; digest, key and signature in hexadecimal."""

    tenant_id: str
    number: int
    digest: str
    public_key: str
    signature: str


@dataclass(frozen=True)
class Endorsement:
    """The statement of an older key that a newer one is its successor; in hexadecimal."""

    public_key: str
    """The newer key."""
    by: str
    """The older key."""
    signature: str


class HeadSigner:
    """Signs heads and recognizes its own signatures."""

    def __init__(self, keys: Sequence[Ed25519PrivateKey]) -> None:
        self._keys = tuple(keys)

    def sign(self, tenant_id: UUID, number: int, digest: bytes) -> SignedHead:
        """The head with a signature of the newest key."""
        newest = self._keys[0]
        signature = newest.sign(signed_text(tenant_id, number, digest))
        public_key = newest.public_key().public_bytes_raw()
        return SignedHead(str(tenant_id), number, digest.hex(), public_key.hex(), signature.hex())

    def sign_bundle(self, digest: bytes) -> tuple[str, str]:
        """The newest public key and its signature of a bundle's manifest, by the manifest's SHA-256; in hexadecimal."""
        newest = self._keys[0]
        signature = newest.sign(f"{_BUNDLE}\n{digest.hex()}\n".encode())
        return newest.public_key().public_bytes_raw().hex(), signature.hex()

    @property
    def public_keys(self) -> list[str]:
        """The public keys, newest first, in hexadecimal."""
        return [key.public_key().public_bytes_raw().hex() for key in self._keys]

    def endorsements(self) -> list[Endorsement]:
        """The newest key, endorsed by each older one: a client that knows an older key can accept it."""
        newest, *older = self.public_keys
        texts = [f"{_KEY}\n{by}\n{newest}\n".encode() for by in older]
        signatures = [key.sign(text).hex() for key, text in zip(self._keys[1:], texts, strict=True)]
        return [Endorsement(newest, by, signature) for by, signature in zip(older, signatures, strict=True)]

    def signer_of(self, tenant_id: UUID, number: int, digest: bytes, signature: bytes) -> str | None:
        """The public key, in hexadecimal, that signed this head; None if it is not one of ours."""
        text = signed_text(tenant_id, number, digest)
        signers = (key for key in self._keys if _holds(key, signature, text))
        return next((key.public_key().public_bytes_raw().hex() for key in signers), None)

    def signature_of(self, text: bytes) -> bytes:
        """A signature of the newest key."""
        return self._keys[0].sign(text)

    def made(self, signature: bytes, text: bytes) -> bool:
        """Whether one of the keys signed a text."""
        return any(_holds(key, signature, text) for key in self._keys)

    def knows(self, tenant_id: UUID, number: int, digest: bytes, signature: bytes) -> bool:
        """Whether one of the keys signed this head."""
        return self.signer_of(tenant_id, number, digest, signature) is not None


def signed_text(tenant_id: UUID, number: int, digest: bytes) -> bytes:
    """The text that a signature covers."""
    return f"{_LABEL}\n{tenant_id}\n{number}\n{digest.hex()}\n".encode()


def _holds(key: Ed25519PrivateKey, signature: bytes, text: bytes) -> bool:
    try:
        key.public_key().verify(signature, text)
    except InvalidSignature:
        return False
    return True
