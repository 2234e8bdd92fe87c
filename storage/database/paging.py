"""Paging: lists from the newest to the oldest, by keyset.

A cursor identifies the last item of a page (its time and id), so rows that are added between two pages neither repeat
nor hide an older one. It is opaque to clients.
"""

import base64
import binascii
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute

from storage.errors import BadCursor as BadCursor

T = TypeVar("T")
Position = tuple[datetime, UUID]
"""An item's place in its list."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_POSITION = struct.Struct(">q16s")
_NUMBER = struct.Struct(">q")
CURSOR = r"^A[0-9A-Za-z_-]{31}$"
"""Pattern of a list's cursor: the six highest bits of its time are not used before the year 11000."""
NUMBER_CURSOR = r"^A[0-9A-Za-z_-]{10}$"
"""The same for a list of numbered items."""


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some items of a list, and the cursor of the next page."""

    items: list[T]
    next_cursor: str | None


def encode_cursor(position: Position) -> str:
    """The cursor that continues after an item."""
    at, identity = position
    return _encode(_POSITION.pack((at - _EPOCH) // timedelta(microseconds=1), identity.bytes))


def decode_cursor(cursor: str) -> Position:
    """The position of a cursor; a time beyond the latest `datetime` means the beginning of the list."""
    microseconds, identity = _decode(cursor, _POSITION)
    try:
        return _EPOCH + timedelta(microseconds=min(microseconds, _LATEST)), UUID(bytes=identity)
    except OverflowError as error:
        raise BadCursor("the cursor is malformed") from error


def encode_number(number: int) -> str:
    """The cursor that continues after a numbered item."""
    return _encode(_NUMBER.pack(number))


def decode_number(cursor: str) -> int:
    """The number that a cursor points to."""
    (number,) = _decode(cursor, _NUMBER)
    return int(number)


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decode(cursor: str, layout: struct.Struct) -> tuple[Any, ...]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return layout.unpack(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, struct.error) as error:
        raise BadCursor("the cursor is malformed") from error


def fetch_page(
    c: Connection,
    statement: Select[Any],
    keys: tuple[InstrumentedAttribute[datetime], InstrumentedAttribute[UUID]],
    limit: int,
    cursor: str | None,
    build: Callable[[Any], T],
    position: Callable[[T], Position],
) -> Page[T]:
    """Read one page of a statement, newest first by the two key columns; `build` turns a row into an item."""
    at, identity = keys
    if cursor is not None:
        statement = statement.where(tuple_(at, identity) < tuple_(*decode_cursor(cursor)))
    rows = c.execute(statement.order_by(at.desc(), identity.desc()).limit(limit + 1)).all()
    return cut([build(row) for row in rows], limit, lambda item: encode_cursor(position(item)))


def cut(items: list[T], limit: int, cursor_of: Callable[[T], str]) -> Page[T]:
    """A page of at most ``limit`` items; one item more shows that there is a next page."""
    shown = items[:limit]
    return Page(shown, cursor_of(shown[-1]) if len(items) > limit and shown else None)
