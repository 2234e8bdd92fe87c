"""Canonical JSON: one text for one value, even after the value was stored in the database and read back."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID


def canonical(values: list[Any]) -> str:
    """The values as JSON with sorted keys and without spaces."""
    return _ENCODER.encode(values)


def plain(value: Any) -> Any:
    """Convert whole floats to integers with the digits of their repr, as the database returns 1e30."""
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(float.__repr__(value)))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def moment(at: datetime) -> str:
    """A time in UTC, to the microsecond."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _as_text(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} has no canonical form")


# Built once: `json.dumps` builds an encoder for every call with options other than its defaults.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_as_text
)
