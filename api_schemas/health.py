"""Liveness and readiness."""

from typing import Literal

from api_schemas.schema import Answer


class Health(Answer):
    """The process answers."""

    status: Literal["ok"]


class Version(Answer):
    """What answers."""

    antifaz: str
    """Of the software."""
    api: str
    """Of the HTTP interface."""


class Readiness(Answer):
    """The process can serve: what was checked."""

    status: Literal["ready"]
    checks: dict[str, Literal["ok"]]
