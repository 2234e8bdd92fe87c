"""Samples for tests of tasks."""

from typing import Any

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from tests.workers.conftest import Steward

CONTENT = b"name,age\nAna,30\n"
INTERNAL = {
    "type": "urn:antifaz:problem:internal",
    "title": "Internal error",
    "status": 500,
    "detail": "the job failed because of an internal error",
    "rule": "internal",
}


def told(steward: Steward) -> list[tuple[str, str, str, dict[str, Any]]]:
    return [(event.actor, event.action, event.subject, event.details) for event in steward.events()]


def raised(name: str, cause: Exception, **more: Any) -> Exception:
    kinds: dict[str, type[DBAPIError]] = {
        "operational": OperationalError,
        "integrity": IntegrityError,
        "any": DBAPIError,
    }
    return kinds[name]("SELECT 1", {}, cause, **more)
