"""Routing: guarded routes. They check capacity, then permission, then the request, and then call the handler.

Every route of the API is guarded: its operation id must be in the table of permissions, or the application does not
start. Unknown query parameters and control characters in paths are refused, and JSON bodies are read by our strict
reader within a size limit.
"""

import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from service.access.auth import admit
from service.access.permissions import OPEN, PERMISSIONS
from service.http.pace import body_pace
from service.http.parsing import read_json
from service.http.problems import LARGER_HIERARCHIES, Problem, faulty, invalid, not_found
from service.runtime.limits import Turn, Turns
from service.runtime.state import service_of
from storage.tenancy.tokens import Principal

_HIERARCHIES = frozenset({"create_hierarchy"})
"""Operations that choose by media type how to read a body, which may be large."""

_OWN_ERRORS = frozenset({"oai", "oai_form"})
"""Operations of a protocol with its own errors for unknown parameters."""

_MOST_LISTED = 1_000
"""Faults of a long body that are worked out; more are only counted."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class StrictRequest(Request):
    """A request whose JSON body is limited in size and read strictly."""

    async def body(self) -> bytes:
        """The body, up to the limit for JSON."""
        if not hasattr(self, "_body"):
            self._body = await read_bounded(self)
        return self._body

    async def json(self) -> Any:
        """The JSON value of the body; a long one as the operation's schema reads it."""
        depth, schema = service_of(self).settings.max_json_depth, self.scope["schema"]
        return await read_json(await self.body(), depth, _tenant(self), then=partial(_conforming, schema))


def _conforming(schema: TypeAdapter[Any], value: Any) -> Any:
    """A long value as its schema reads it. What is returned needs no second check on the event loop."""
    try:
        return schema.validate_python(value)
    except ValidationError as error:
        if error.error_count() > _MOST_LISTED:
            raise Problem("invalid-request", f"{error.error_count()} fault(s).") from None
        faults = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        raise faulty(faults) from None


async def read_bounded(request: Request, most: int | None = None) -> bytes:
    """A whole body, up to ``most`` bytes or the limit of its kind."""
    limit, too_large = _limit(request) if most is None else (most, Problem("too-large", f"At most {most} bytes."))
    if int(request.headers.get("content-length") or 0) > limit:
        raise too_large
    content, pieces = bytearray(), request.stream()
    service, whose = service_of(request), _tenant(request)
    pace = body_pace(service.settings, lambda: service.sending.pressed(whose))
    while (piece := await pace.read(pieces)) is not None:
        content += piece
        if len(content) > limit:
            raise too_large
    return bytes(content)


def _limit(request: Request) -> tuple[int, Problem]:
    """The size limit of a body, and the problem for a larger one."""
    settings = service_of(request).settings
    if request.scope["operation"] in _HIERARCHIES:
        limit = settings.max_hierarchy_bytes
        return limit, Problem("too-large", f"A hierarchy may have at most {limit} bytes.")
    limit = settings.max_policy_bytes
    return limit, Problem("too-large", f"A body of this kind may have at most {limit} bytes. {LARGER_HIERARCHIES}")


class GuardedRoute(APIRoute):
    """A route that admits only the roles in the table of permissions."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match HEAD wherever GET matches; it is not in the API's description."""
        found, child = super().matches(scope)
        return (Match.FULL, child) if found is Match.PARTIAL and self._is_head(scope) else (found, child)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, including HEAD."""
        if self._is_head(scope):
            await self.app(scope, receive, send)
        else:
            await super().handle(scope, receive, send)

    def _is_head(self, scope: Scope) -> bool:
        return scope["type"] == "http" and scope["method"] == "HEAD" and "GET" in (self.methods or ())

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        operation = self.operation_id
        if operation is None or (operation not in OPEN and operation not in PERMISSIONS):
            raise RuntimeError(f"operation {operation} is missing in the table of permissions")
        known = frozenset(parameter.alias for parameter in self.dependant.query_params)
        reads_json = self.body_field is not None
        # FastAPI leaves a value as it is that already has this type.
        body_type: Any = None if self.body_field is None else self.body_field.field_info.annotation
        schema: TypeAdapter[Any] = TypeAdapter(body_type)

        async def guarded(request: Request) -> Response:
            request.scope["operation"], request.scope["schema"] = operation, schema
            turns = _turns(request)
            # The cheapest check comes first: a refused request must cost almost nothing.
            if operation not in OPEN:
                turns.check()
            request.state.principal = await admit(request, operation)
            check_target(request, None if operation in _OWN_ERRORS else known)
            _check_coding(request)
            strict = StrictRequest(request.scope, request.receive)
            if reads_json:
                _check_content_type(request)
            if reads_json or operation in _HIERARCHIES:
                # A slow sender takes a place among senders, but no turn yet.
                async with service_of(request).sending.turn(_tenant(request)):
                    await strict.body()
            if operation in OPEN:
                return await handler(strict)
            async with turns.turn(_tenant(request)) as request.state.turn:
                return await handler(strict)

        return guarded


def _tenant(request: Request) -> str:
    """The tenant whose share a request uses; requests without a token share one."""
    principal: Principal | None = getattr(request.state, "principal", None)
    return "" if principal is None else str(principal.tenant_id)


def _turns(request: Request) -> Turns:
    service = service_of(request)
    return service.reads if request.method in ("GET", "HEAD") else service.writes


def end_turn(request: Request) -> None:
    """Free the turn of a request that will only wait from now on, or is limited otherwise."""
    turn: Turn = request.state.turn
    turn.end()


def check_target(request: Request, known: frozenset[str] | None) -> None:
    """Refuse control characters in a path and in query parameters, and parameters that the operation does not know.

    The database stores no NUL, and nothing that we name has a control character: such a path leads nowhere.
    """
    if any(_CONTROL.search(str(value)) for value in request.path_params.values()):
        raise not_found()
    if not request.scope["query_string"] or known is None:
        return
    for name, value in request.query_params.multi_items():
        if name not in known:
            shown = name if name.isascii() and name.isidentifier() and len(name) <= 40 else ""
            raise invalid("invalid-request", "/query" + (f"/{shown}" if shown else ""), "unknown query parameter")
        if _CONTROL.search(value):
            raise invalid("invalid-request", f"/query/{name}", "has characters that are not allowed")


def _check_coding(request: Request) -> None:
    """Refuse compressed bodies: nothing here unpacks a request. A compressed file is a part of an upload."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise Problem("unsupported-media-type", "Send the body without a Content-Encoding.")


def _check_content_type(request: Request) -> None:
    declared = request.headers.get("content-type")
    if declared is not None and declared.partition(";")[0].strip().lower() != "application/json":
        raise Problem("unsupported-media-type", "Send application/json.")
