"""Middleware: the outermost layer. Every request gets an id, a log line, a metric, safe headers and a response.

An exception that a route does not handle becomes a problem here. Once a body is being sent, no other response is
possible, so the connection is closed: a client never mistakes half a release for a whole one.
"""

import secrets
import time
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.http.problems import internal_error, problem_of
from service.runtime.logs import log, log_failure
from service.runtime.state import Service

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
"""Default headers, unless the route sets others."""


_PUBLIC = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"Content-Disposition, Content-Range, ETag, Link, X-Request-Id"),
)
"""Headers that let pages of other sites read a response; sent only with responses that are public."""


def mark_public(request: Request) -> None:
    """Mark the response as public, if the caller sent no token."""
    request.scope["public"] = getattr(request.state, "principal", None) is None


class StreamAborted(Exception):
    """The body could not be completed; the reason is in the log."""


class Middleware:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await _Exchange(scope, send).run(self._app, receive)


class _Exchange:
    """One request and its response."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._id = secrets.token_hex(16)
        self._status = 0
        self._began = time.perf_counter()

    async def run(self, app: ASGIApp, receive: Receive) -> None:
        try:
            await app(self._scope, receive, self._pass_on)
        except ClientDisconnect:
            log("client went away", request=self._id, operation=self._operation())
        except Exception as error:  # noqa: BLE001 - every request gets a response
            await self._answer(error, receive)
        finally:
            self._account()

    async def _answer(self, error: Exception, receive: Receive) -> None:
        problem = problem_of(error)
        if problem is None or problem.status_code >= 500:
            log_failure("request failed", error, request=self._id, operation=self._operation())
        if self._status:
            raise StreamAborted from None
        await (problem or internal_error()).response()(self._scope, receive, self._pass_on)

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            said = message["headers"]
            names = {name for name, _ in said}
            safe = [header for header in _HEADERS if header[0] not in names]
            public = _PUBLIC if self._scope.get("public") else ()
            message["headers"] = [*said, *safe, *public, (b"x-request-id", self._id.encode())]
        await self._send(message)

    def _operation(self) -> str:
        return str(self._scope.get("operation", "unrouted"))

    def _account(self) -> None:
        seconds = time.perf_counter() - self._began
        service: Service | None = getattr(self._scope["app"].state, "service", None)
        if service is not None:
            service.metrics.observe(self._operation(), self._status, seconds)
        log("request", **self._line(seconds))

    def _line(self, seconds: float) -> dict[str, Any]:
        return {
            "request": self._id,
            "method": self._scope["method"],
            "operation": self._operation(),
            "status": self._status,
            "seconds": round(seconds, 6),
        }
