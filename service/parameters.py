"""Parameters that many routes share."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Header, Path, Query

from api_schemas.schema import PRINTABLE
from service.problems import invalid, not_found
from storage.paging import CURSOR, NUMBER_CURSOR

ItemId = Annotated[str, Path(alias="id", max_length=64, description="Id of the item.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most items in the answer.")]
CursorParameter = Annotated[str | None, Query(pattern=CURSOR, description="next_cursor of the page before.")]
NumberCursorParameter = Annotated[
    str | None, Query(pattern=NUMBER_CURSOR, description="next_cursor of the page before.")
]
Filter = Annotated[str | None, Query(min_length=1, max_length=200, pattern=PRINTABLE)]
Since = Annotated[
    str | None,
    Query(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
        json_schema_extra={"format": "date-time"},
        description="Not older than this (RFC 3339).",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x20-\x7e]+$",
        description="The same key with the same content answers the first result again.",
    ),
]

_EARLIEST = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def identity(text: str) -> UUID:
    """An id as the store knows it; a text that cannot be one names nothing."""
    found = identity_or_none(text)
    if found is None:
        raise not_found()
    return found


def identity_or_none(text: str) -> UUID | None:
    """An id as the store knows it, or None for a text that cannot be one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def not_before(since: str | None) -> datetime | None:
    """A time that the database can compare with."""
    if since is None:
        return None
    try:
        return max(datetime.fromisoformat(since.upper()), _EARLIEST)
    except ValueError:
        raise invalid("invalid-request", "/query/since", "must be a time (RFC 3339)") from None
