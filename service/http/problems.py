"""Problems: one table from exceptions to RFC 9457 responses; their kinds are in `problem_kinds`.

Nothing here repeats input: a fault is a pointer and a sentence made from the rule that was broken. An unexpected
exception is a 500 that does not state its cause.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import psycopg
from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import JSONResponse, Response

from antifaz.errors import InvalidPolicy
from antifaz.policy.pointers import NO_SEED
from antifaz.suggestions import suggest
from api_schemas.problem import MEDIA_TYPE
from api_schemas.schema import Body
from api_schemas.strict_json import BadJson
from formats.core.faults import Fault
from service.http.problem_kinds import KINDS
from storage.errors import BadCursor, CorruptBlob, Forged, NameTaken

RETRY_SECONDS = 2
LARGER_HIERARCHIES = "Upload larger hierarchies with POST /v1/hierarchies and give their ids in the policy."

_BY_STATUS = {404: "not-found", 405: "method-not-allowed", 413: "too-large", 415: "unsupported-media-type"}


class Problem(HTTPException):
    """An error response; routes raise it."""

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        status, self.title, *_ = KINDS[kind]
        super().__init__(status, detail, dict(headers or {}))
        self.kind = name or kind
        """Last part of the problem's type; more specific than the kind if the broken rule has a name."""
        self.errors = list(errors)
        self.extra = dict(extra or {})

    def body(self) -> dict[str, Any]:
        """The members of the problem."""
        members: dict[str, Any] = {
            "type": f"urn:antifaz:problem:{self.kind}",
            "title": self.title,
            "status": self.status_code,
            "detail": self.detail,
        }
        if self.errors:
            members["errors"] = self.errors
        return members | self.extra

    def response(self) -> Response:
        """The problem as a response."""
        return JSONResponse(self.body(), self.status_code, self.headers, media_type=MEDIA_TYPE)


def not_found() -> Problem:
    """The same response for a resource that does not exist and one that belongs to another tenant."""
    return Problem("not-found", "No such resource, or you may not see it.")


def fault(pointer: str, detail: str, row: int | None = None) -> dict[str, Any]:
    """One entry of ``errors``."""
    return {"pointer": pointer, "detail": detail} | ({} if row is None else {"row": row})


def invalid(kind: str, pointer: str, detail: str, *, name: str | None = None, row: int | None = None) -> Problem:
    """A problem with one fault."""
    return Problem(kind, detail, errors=[fault(pointer, detail, row)], name=name)


def unavailable(detail: str = "Try again in a moment.") -> Problem:
    """A required server does not answer."""
    return Problem("unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})


def policy_problem(error: InvalidPolicy, root: str = "/policy", kind: str = "invalid-policy") -> Problem:
    """The first faults of a policy (or hierarchy), their pointers put below ``root``."""
    faults = [fault(root + pointer, detail) for pointer, detail in islice(error.faults, MOST_FAULTS)]
    return Problem(kind, f"{len(error.faults)} fault(s), see errors.", errors=faults)


def json_problem(error: BadJson, pointer: str = "") -> Problem:
    """JSON that is not accepted."""
    return invalid("invalid-json", pointer, error.detail)


def file_problem(error: Fault, part: str = "/file") -> Problem:
    """A file that is refused from its first megabyte."""
    kind = "too-large" if error.status == 413 else "unsupported-media-type" if error.status == 415 else "invalid-file"
    name = error.rule.replace("_", "-") if error.rule else None
    errors = [fault(each.pointer or part, each.detail, each.row) for each in error.faults]
    return Problem(kind, error.detail, errors=errors, name=name)


def problem_of(error: Exception) -> Problem | None:
    """The problem for an exception; None if it is unexpected."""
    if isinstance(error, Problem):
        return error
    for known, make in _TABLE:
        if isinstance(error, known):
            return make(error)
    return None


def internal_error() -> Problem:
    """The response to an unexpected exception."""
    return Problem("internal-error", "The request could not be answered because of an error in the service.")


MOST_FAULTS = 50
"""Faults that a response lists: nobody reads ten thousand, and to look for similar names and to write them all takes
time on the event loop."""


def request_faults(errors: Iterable[Any]) -> list[dict[str, Any]]:
    """The first faults of a request that pydantic found, without the input."""
    return [fault(_pointer(error), _reason(error)) for error in islice(errors, MOST_FAULTS)]


def faulty(errors: Sequence[Any]) -> Problem:
    """A request with the faults that pydantic found."""
    return Problem("invalid-request", f"{len(errors)} fault(s), see errors.", errors=request_faults(errors))


def _pointer(error: Mapping[str, Any]) -> str:
    place, *steps = error["loc"]
    # The name of an unknown field is input too: it could be a value that slipped into the place of a name.
    if error["type"] == "extra_forbidden" and not _is_plain(steps[-1]):
        steps = steps[:-1]
    # An invalid key of an object: point to the object.
    steps = steps[:-1] if steps and steps[-1] == "[key]" else steps
    root = [] if place == "body" else [place]
    tokens = [str(step).replace("~", "~0").replace("/", "~1") for step in [*root, *steps]]
    return "".join(f"/{token}" for token in tokens)


def _is_plain(step: Any) -> bool:
    """Whether the name of an unknown field looks like one of a schema rather than like a value."""
    return isinstance(step, str) and len(step) <= 40 and step.isascii() and step.isidentifier()


def _reason(error: Mapping[str, Any]) -> str:
    limits = error.get("ctx") or {}
    if error["type"] == "extra_forbidden":
        return _about_field(str(error["loc"][-1]))
    sentence = _SENTENCES.get(error["type"])
    if sentence is not None:
        return sentence.format_map({key: limits[key] for key in _SAFE_LIMITS if key in limits})
    if error["type"] == "value_error":
        return str(limits.get("error", "is not valid"))
    return "must be " + _TYPES[error["type"]] if error["type"] in _TYPES else "is not valid"


def _about_field(name: str) -> str:
    """Report an unknown field and the most similar known one, without repeating the input."""
    return NO_SEED if name == "seed" else "unknown field" + suggest(name, _fields())


@cache
def _fields() -> frozenset[str]:
    """The names of all fields of request bodies."""
    bodies, waiting = set(), list(Body.__subclasses__())
    while waiting:
        body = waiting.pop()
        bodies.add(body)
        waiting += body.__subclasses__()
    return frozenset(name for body in bodies for name in body.model_fields)


_SAFE_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length", "expected")
"""Parts of pydantic's context that come from our schema, never from the input."""

_SENTENCES = {
    "missing": "is required",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "has characters that are not allowed",
    "literal_error": "must be {expected}",
    "too_short": "must have at least {min_length} item(s)",
    "too_long": "must have at most {max_length} items",
}

_TYPES = {
    "string_type": "a text",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "list_type": "a list",
    "datetime_parsing": "a time (RFC 3339)",
    "datetime_from_date_parsing": "a time (RFC 3339)",
    "datetime_type": "a time (RFC 3339)",
    "timezone_aware": "a time with a time zone",
}


def _of_validation(error: RequestValidationError) -> Problem:
    return faulty(list(error.errors()))


def _of_http(error: StarletteHTTPException) -> Problem:
    kind = _BY_STATUS.get(error.status_code, "invalid-request" if error.status_code < 500 else "internal-error")
    details = {"not-found": "No such resource, or you may not see it.", "method-not-allowed": "See the Allow header."}
    return Problem(kind, details.get(kind, "The request was not understood."), headers=error.headers)


def _of_database(error: Exception) -> Problem | None:
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None) or ""
    # Disk full and out of memory: retrying soon would make it worse.
    if state in ("53100", "53200"):
        return Problem("storage-full", "Try again later.", headers={"Retry-After": "60"})
    # Class 57P is a server that shuts down or starts: it comes back by itself.
    if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError | PoolTimeout) or state.startswith("57P"):
        return unavailable("The database does not answer. Try again in a moment.")
    return None


_TABLE: list[tuple[type[Exception] | tuple[type[Exception], ...], Callable[[Any], Problem | None]]] = [
    (RequestValidationError, _of_validation),
    (StarletteHTTPException, _of_http),
    (InvalidPolicy, policy_problem),
    (BadJson, json_problem),
    (Fault, file_problem),
    (BadCursor, lambda error: invalid("invalid-request", "/query/cursor", "is not a cursor of this list")),
    (NameTaken, lambda error: Problem("conflict", "A tenant with that name already exists.")),
    (CorruptBlob, lambda error: internal_error()),
    (Forged, lambda error: internal_error()),
    ((OperationalError, InterfaceError, DBAPIError, PoolTimeout, psycopg.Error), _of_database),
    ((ConnectionError, TimeoutError), lambda error: unavailable()),
]
"""First match wins."""
