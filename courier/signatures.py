"""Signatures of webhooks, by Standard Webhooks (2023): HMAC-SHA256 over id, time and body."""

import base64
import hmac
from collections.abc import Sequence

from storage.outbound.webhooks import PREFIX


def signature_headers(secrets: Sequence[str], message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers of an attempt; every secret signs, and a receiver needs only one of them."""
    signed = f"{message_id}.{seconds}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
