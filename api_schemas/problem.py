"""Problem: an error as RFC 9457 describes it."""

from typing import Any

from pydantic import ConfigDict, Field

from api_schemas.schema import Answer

MEDIA_TYPE = "application/problem+json"


class Fault(Answer):
    """One thing that is wrong with the input."""

    model_config = ConfigDict(frozen=True)
    pointer: str
    """RFC 6901 pointer to it, such as ``/policy/guarantees/0/k``."""
    detail: str
    """What is wrong; never the value itself."""
    row: int | None = None
    """Row of the file, where it is about one: the first record is 1."""


class Problem(Answer):
    """An error: which rule, where, and what to do about it."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:antifaz:problem:invalid-policy",
                    "title": "The policy is not valid",
                    "status": 422,
                    "detail": "See errors.",
                    "errors": [{"pointer": "/policy/guarantees/0/k", "detail": "Input should be greater than 1"}],
                }
            ]
        },
    )
    type: str
    """Name of the kind of problem, a URN."""
    title: str
    """What the kind of problem is called."""
    status: int = Field(ge=400, le=599)
    """The HTTP status."""
    detail: str
    """What happened this time."""
    errors: list[Fault] | None = None
    """For bad input: each fault."""
    rule: str | None = None
    """For a failed job: the rule that the data broke."""
    column: str | None = None
    """For a failed job: the column in question."""
    row: int | None = None
    """For a failed job: the row in question; the first record is 1."""
    checks: dict[str, Any] | None = None
    """For readiness: what was checked."""
