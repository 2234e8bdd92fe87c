"""Liveness and readiness."""

from typing import Literal

from api_schemas.schema import Answer


class Health(Answer):
    """The process answers."""

    status: Literal["ok"]


class Readiness(Answer):
    """The process can serve: what was checked."""

    status: Literal["ready"]
    checks: dict[str, Literal["ok"]]
