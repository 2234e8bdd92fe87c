"""Authenticity: a row is trusted because of a key, not because it is in the database.

A row carries a message authentication code (HMAC-SHA256; Krawczyk, Bellare and Canetti, RFC 2104, 1997) over every
value that decides what is served to whom. Without the key, an attacker with write access to the database can remove a
row or restore an older state of it; any other change is detected before the row is used.

Keys are one run of bytes, 32 for each key, newest first. The newest makes codes and all of them check codes, so a key
is rotated by putting a new one in front.
"""

import hmac
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

from storage.crypto.keys import KEY_BYTES
from storage.database.canonical import canonical, plain
from storage.errors import Forged

_LOGGER = logging.getLogger(__name__)
_LABEL = "antifaz mac 1 "
FORGED: Counter[str] = Counter()
"""How often this process found a row without its code, by kind; a metric shows it."""


def each_key(keys: bytes) -> tuple[bytes, ...]:
    """The single keys, newest first."""
    return tuple(keys[start : start + KEY_BYTES] for start in range(0, len(keys), KEY_BYTES))


def mac_of(keys: bytes, kind: str, values: Sequence[Any]) -> bytes:
    """The code of a row of this kind, under the newest key."""
    return hmac.digest(_keys_of(keys, kind)[0], _encoded(values), "sha256")


def macs_of(keys: bytes, kind: str, values: Sequence[Any]) -> list[bytes]:
    """The codes that a row of this kind may carry, one for each key, newest first."""
    return digests_of(keys, kind, _encoded(values))


def digests_of(keys: bytes, kind: str, content: bytes) -> list[bytes]:
    """Keyed digests of some bytes, one for each key, newest first."""
    return [hmac.digest(key, content, "sha256") for key in _keys_of(keys, kind)]


def is_authentic(keys: bytes, kind: str, values: Sequence[Any], mac: bytes) -> bool:
    """Whether these are the values that the code was made for."""
    return any(hmac.compare_digest(expected, mac) for expected in macs_of(keys, kind, values))


def require_authentic(keys: bytes, kind: str, values: Sequence[Any], mac: bytes) -> None:
    """Raise `Forged` unless these are the values that the code was made for."""
    if not is_authentic(keys, kind, values, mac):
        _note_forged(kind)
        raise Forged(f"a stored {kind} does not authenticate")


Row = TypeVar("Row")


def with_codes(
    keys: bytes, kind: str, rows: Iterable[Row], coded: Callable[[Row], tuple[Sequence[Any], bytes]]
) -> list[Row]:
    """Those rows of a list that have their code; the others are left out, logged and counted, so that one forged row
    does not make a list unreadable. ``coded`` gives the values that the code of a row covers, and the code."""
    kept = []
    for row in rows:
        if is_authentic(keys, kind, *coded(row)):
            kept.append(row)
        else:
            _note_forged(kind)
    return kept


def _note_forged(kind: str) -> None:
    FORGED[kind] += 1
    _LOGGER.error("a stored row does not authenticate", extra={"fields": {"kind": kind}})


@cache
def _keys_of(keys: bytes, kind: str) -> tuple[bytes, ...]:
    """A separate key for each kind, so that the code of one kind of row is never valid for another."""
    return tuple(hmac.digest(key, (_LABEL + kind).encode(), "sha256") for key in each_key(keys))


def _encoded(values: Sequence[Any]) -> bytes:
    return canonical(plain(values)).encode()
