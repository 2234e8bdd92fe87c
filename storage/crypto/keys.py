"""Key files: the key pairs of the workers and of the courier, the keys of releases and tokens, the key of audit heads.

``worker.key`` (X25519, PEM) opens originals and belongs to workers only; the service seals to ``worker.pub``.
``courier.key`` and ``courier.pub`` do the same for the courier's credentials: keys of portals and secrets of webhooks.
``release.key`` wraps the data keys of releases and authenticates the rows about them; ``token.key`` authenticates
tokens and belongs to the API only. These two hold 32 bytes for each key, newest first: a new key is put in front, and
the old ones still open and check what was made with them. ``audit.key`` (Ed25519, PEM, also newest first) signs the
heads of audit chains for the API and the sweeper, and ``audit.pub`` is for auditors. A file is created atomically and
never replaced: losing a key loses everything that it opens.
"""

import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
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
_PEM_END = b"-----END PRIVATE KEY-----"


def ensure_keys(directory: Path) -> None:
    """Create the key files that are absent."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in ("worker", "courier"):
        private, public = directory / f"{name}.key", directory / f"{name}.pub"
        if public.exists() and not private.exists():
            raise BadKeyFile(f"{name}.pub exists without {name}.key: a new pair could not open what was sealed to it")
        _create(private, _private_pem(X25519PrivateKey.generate()), 0o600)
        _create(public, _public_pem(load_private_key(private).public_key()), 0o644)
    signing = directory / "audit.key"
    _create(signing, _private_pem(Ed25519PrivateKey.generate()), 0o600)
    public_keys = [key.public_key() for key in load_audit_keys(signing)]
    _create(directory / "audit.pub", b"".join(map(_public_pem, public_keys)), 0o644)
    for name in ("release.key", "token.key"):
        _create(directory / name, secrets.token_bytes(KEY_BYTES), 0o600)


def load_public_key(path: Path) -> X25519PublicKey:
    """A public key to seal to."""
    try:
        key = load_pem_public_key(path.read_bytes())
    except ValueError as error:
        raise BadKeyFile("a public key file is not PEM") from error
    if not isinstance(key, X25519PublicKey):
        raise BadKeyFile("the public key for sealing is not an X25519 key")
    return key


def load_private_key(path: Path) -> X25519PrivateKey:
    """A private key that opens what was sealed to its public half."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError) as error:
        raise BadKeyFile("a private key file is not an unencrypted PEM") from error
    if not isinstance(key, X25519PrivateKey):
        raise BadKeyFile("the private key for opening is not an X25519 key")
    return key


def load_release_key(path: Path) -> bytes:
    """The keys under which the data keys of releases are wrapped, newest first."""
    return _load_keys(path, "release key")


def load_token_key(path: Path) -> bytes:
    """The keys that authenticate tokens, newest first."""
    return _load_keys(path, "token key")


def load_audit_keys(path: Path) -> tuple[Ed25519PrivateKey, ...]:
    """The keys that sign the heads of audit chains, newest first."""
    blocks = [block + _PEM_END for block in path.read_bytes().split(_PEM_END)[:-1]]
    try:
        keys = [load_pem_private_key(block.strip(), password=None) for block in blocks]
    except (ValueError, TypeError) as error:
        raise BadKeyFile("the audit key file is not an unencrypted PEM") from error
    signing = tuple(key for key in keys if isinstance(key, Ed25519PrivateKey))
    if not signing or len(signing) != len(keys):
        raise BadKeyFile("the audit key file must hold Ed25519 keys")
    return signing


def _load_keys(path: Path, what: str) -> bytes:
    keys = path.read_bytes()
    if not keys or len(keys) % KEY_BYTES:
        raise BadKeyFile(f"the {what} file must have {KEY_BYTES} bytes for each key")
    return keys


def required(path: Path | None, variable: str) -> Path:
    """The path of a key that the process requires."""
    if path is None:
        raise RuntimeError(f"{variable} must be set")
    return path


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a temporary file, then link it: the first of several processes wins, and no process sees half a file."""
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


def _private_pem(key: X25519PrivateKey | Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _public_pem(key: X25519PublicKey | Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
