"""Liveness and readiness."""

from typing import Literal

from api_schemas.schema import Answer


class Health(Answer):
    """The process is alive."""

    status: Literal["ok"]


class Version(Answer):
    """Versions of the service."""

    antifaz: str
    """Version of the software."""
    api: str
    """Version of the HTTP interface."""


class Readiness(Answer):
    """The process can serve requests; lists what was checked."""

    status: Literal["ready"]
    checks: dict[str, Literal["ok"]]
