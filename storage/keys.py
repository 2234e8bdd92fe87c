"""Key files: the workers' key pair and the key of releases.

``worker.key`` (X25519, PEM) opens originals and belongs to workers alone; ``worker.pub`` is what the service seals
to; ``release.key`` (32 bytes) wraps the data keys of releases. A file appears whole or not at all, and is never
replaced: losing a key loses what it opens.
"""

import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from storage.errors import BadKeyFile

KEY_BYTES = 32


def ensure_keys(directory: Path) -> None:
    """Create the key files that are absent."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    private, public = directory / "worker.key", directory / "worker.pub"
    if public.exists() and not private.exists():
        raise BadKeyFile("worker.pub stands without its worker.key: a new pair could not open what it sealed")
    _create(private, _private_pem(X25519PrivateKey.generate()), 0o600)
    _create(public, _public_pem(load_private_key(private).public_key()), 0o644)
    _create(directory / "release.key", secrets.token_bytes(KEY_BYTES), 0o600)


def load_public_key(path: Path) -> X25519PublicKey:
    """The workers' public key."""
    try:
        key = load_pem_public_key(path.read_bytes())
    except ValueError as error:
        raise BadKeyFile("the workers' public key file is not PEM") from error
    if not isinstance(key, X25519PublicKey):
        raise BadKeyFile("the workers' public key is not an X25519 key")
    return key


def load_private_key(path: Path) -> X25519PrivateKey:
    """The workers' private key."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError) as error:
        raise BadKeyFile("the workers' private key file is not an unencrypted PEM") from error
    if not isinstance(key, X25519PrivateKey):
        raise BadKeyFile("the workers' private key is not an X25519 key")
    return key


def load_release_key(path: Path) -> bytes:
    """The key under which the data keys of releases are wrapped."""
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise BadKeyFile(f"the release key must have {KEY_BYTES} bytes")
    return key


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write beside, then link: the first of several processes wins, and no one sees half a file."""
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _link_first(draft, path)
    finally:
        draft.unlink()


def _link_first(draft: Path, path: Path) -> bool:
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    return True


def _private_pem(key: X25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _public_pem(key: X25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
