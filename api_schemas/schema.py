"""Shared by all schemas: strictness, bounded texts, times, pages."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from antifaz.described import Described, WithStrictNumbers

PRINTABLE = r"^[^\x00-\x1f\x7f]*$"
"""No control characters: a name is one line of text."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[0-9A-Za-z_-]+$")]
ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]


class Body(WithStrictNumbers):
    """A JSON body of a request: unknown fields are refused, and nothing else is taken for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Answer(Described):
    """A JSON body of a response."""

    model_config = ConfigDict(frozen=True)


class Page(Answer):
    """One page of a list, newest first."""

    next_cursor: str | None = Field(default=None)
    """Cursor of the next page; null on the last one."""


def rfc3339(moment: datetime | None, precision: str = "milliseconds") -> str | None:
    """Format a time for the API: RFC 3339 in UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
