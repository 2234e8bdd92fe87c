"""The keys that sign bundles and audit heads."""

from typing import Literal

from api_schemas.schema import Answer


class SigningKey(Answer):
    """A key that signs bundles and audit heads, or did so before it was replaced."""

    public_key: str
    """In hexadecimal."""
    algorithm: Literal["Ed25519"]


class Endorsement(Answer):
    """The statement of an older key that a newer one is its successor."""

    public_key: str
    """The newer key."""
    by: str
    """The older key."""
    signature: str
    """Of the older key, over `antifaz key 1`, the older and the newer key, each followed by a line break."""


class SigningKeys(Answer):
    """The keys of the service, newest first; the newest signs. Keep it, and compare it with later answers."""

    keys: list[SigningKey]
    endorsements: list[Endorsement]
