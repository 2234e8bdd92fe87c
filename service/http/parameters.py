"""Parameters that many routes share."""

import difflib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Header, Path, Query

from antifaz import catalogue
from api_schemas.schema import PRINTABLE
from service.http.problems import invalid, not_found
from storage.database.paging import CURSOR, NUMBER_CURSOR

_TIME = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2}))?$"
)
ItemId = Annotated[str, Path(alias="id", max_length=64, description="Id of the item.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of items in the response.")]
CursorParameter = Annotated[str | None, Query(pattern=CURSOR, description="next_cursor of the previous page.")]
NumberCursorParameter = Annotated[
    str | None, Query(pattern=NUMBER_CURSOR, description="next_cursor of the previous page.")
]
Filter = Annotated[str | None, Query(min_length=1, max_length=200, pattern=PRINTABLE)]
Since = Annotated[
    str | None,
    Query(pattern=_TIME, description="Not before this: a time (RFC 3339), or a day, from its beginning in UTC."),
]
Until = Annotated[
    str | None,
    Query(pattern=_TIME, description="Before this: a time (RFC 3339), or a day, to its end in UTC."),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x20-\x7e]+$",
        description="A request with the same key and the same content gets the first response again.",
    ),
]

_EARLIEST = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
_LATEST = datetime.fromisoformat("9999-12-30T00:00:00+00:00")
_DAY = len("2026-01-31")


def identity(text: str) -> UUID:
    """An id as the storage knows it; a text that cannot be one is a 404."""
    found = identity_or_none(text)
    if found is None:
        raise not_found()
    return found


def identity_or_none(text: str) -> UUID | None:
    """An id as the storage knows it, or None for a text that cannot be one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def not_before(since: str) -> datetime:
    """Parse the start of a period for the database; a day begins at midnight in UTC."""
    return max(_moment(since, "since"), _EARLIEST)


def before(until: str) -> datetime:
    """Parse the end of a period; a day lasts until the next begins."""
    return max(_moment(until, "until") + (timedelta(days=1) if len(until) == _DAY else timedelta()), _EARLIEST)


def _moment(text: str, name: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.upper())
    except ValueError:
        raise invalid("invalid-request", f"/query/{name}", "must be a day or a time (RFC 3339)") from None
    # In the last year of the calendar the end of a day may be in a year that is not representable.
    return min(found if found.tzinfo else found.replace(tzinfo=UTC), _LATEST)


def known_name(folder: str, parameter: str, name: str) -> str:
    """The name of a part of the catalogue, if that part exists."""
    return known_choice(sorted({part.wire_name() for part in catalogue.parts(folder)}), parameter, name)


def known_choice(names: Sequence[str], parameter: str, name: str) -> str:
    """A name, if it is one of these; otherwise a 422 that suggests the nearest one."""
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise invalid("invalid-request", f"/query/{parameter}", f"there is no such {parameter}{hint}")
