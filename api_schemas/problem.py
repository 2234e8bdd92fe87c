"""Problem: an error in the format of RFC 9457."""

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
    """Row of the file, if the fault is in one row; the first record is 1."""


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
    """URN of the kind of problem."""
    title: str
    """Title of the kind of problem."""
    status: int = Field(ge=400, le=599)
    """The HTTP status."""
    detail: str
    """Description of this occurrence."""
    errors: list[Fault] | None = None
    """For invalid input: the list of faults."""
    rule: str | None = None
    """For a failed job: the rule that the data broke."""
    column: str | None = None
    """For a failed job: the column in question."""
    row: int | None = None
    """For a failed job: the row in question; the first record is 1."""
    checks: dict[str, Any] | None = None
    """For readiness: what was checked."""
