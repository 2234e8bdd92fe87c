"""Visits: the visitor of a page, and the API calls that the page makes for them.

A page uses only the public API. It calls it in the same process, with the visitor's own session, so that roles,
tenants, limits and views are those of the API, and the console can do nothing that a program could not.
"""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx
from fastapi import Request

from service.access.auth import allows
from service.access.permissions import PERMISSIONS, PUBLIC_LISTS
from service.access.sessions import COOKIE, counted_cookie
from service.runtime.state import service_of
from storage.tenancy import sessions
from storage.tenancy.tokens import Principal

_BASE = "http://console"


class Refusal(Exception):
    """The API's response to a page was a problem."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


@dataclass(frozen=True)
class Visit:
    """One request for a page."""

    request: Request
    principal: Principal | None
    text: str | None
    """The text of the session, if there is one."""

    @property
    def role(self) -> str | None:
        """The visitor's role; None without a session."""
        return None if self.principal is None else self.principal.role

    @property
    def secret(self) -> str:
        """The secret that the page's scripts send with changes."""
        return "" if self.text is None else sessions.secret_of(service_of(self.request).token_key, self.text)

    def may(self, operation: str) -> bool:
        """Whether the visitor's role may call an operation of the API; False for an unknown operation."""
        if operation in PUBLIC_LISTS:
            return True
        return self.principal is not None and operation in PERMISSIONS and allows(operation, self.principal)

    async def get(self, path: str, **query: Any) -> Any:
        """The API's response to a GET, as JSON; raises `Refusal` for a problem."""
        given = [(name, value) for name, value in query.items() if value not in (None, "")]
        answer = await self._call(f"{path}?{urlencode(given, doseq=True)}" if given else path)
        content = json.loads(await answer.aread() or b"null")
        if answer.status_code >= 400:
            raise Refusal(answer.status_code, content)
        return content

    async def try_get(self, path: str, **query: Any) -> Any:
        """The response, or None if there is none or the visitor may not see it."""
        try:
            return await self.get(path, **query)
        except Refusal as refusal:
            if refusal.status in (401, 403, 404, 409, 410):
                return None
            raise

    async def get_all(self, path: str, most: int, **query: Any) -> tuple[list[Any], bool]:
        """The items of a list, page by page, up to ``most``; and whether there are more."""
        items: list[Any] = []
        cursor = None
        while len(items) < most:
            page = await self.get(path, limit=min(200, most - len(items)), cursor=cursor, **query)
            items, cursor = items + page["items"], page["next_cursor"]
            if cursor is None:
                return items, False
        return items, True

    async def _call(self, target: str) -> httpx.Response:
        came_from = self.request.client
        transport = httpx.ASGITransport(
            self.request.app, raise_app_exceptions=False, client=(came_from.host, 0) if came_from else ("", 0)
        )
        headers = {"Sec-Fetch-Site": "same-origin"}
        if self.text is not None:
            headers["Cookie"] = f"{COOKIE}={self.text}"
        return await transport.handle_async_request(httpx.Request("GET", _BASE + target, headers=headers))


async def begin_visit(request: Request) -> Visit:
    """Identify the visitor. A cookie that is not accepted is no session."""
    # A form has the secret in its body, which is read later: its permission is checked there.
    text = counted_cookie(request) if request.method in ("GET", "HEAD") else None
    found = None if text is None else await service_of(request).lookups.caller(text)
    if found is None or found.principal.session_id is None:
        return Visit(request, None, None)
    return Visit(request, found.principal, text)


def visit_of(request: Request) -> Visit:
    """The visit for which a page is shown."""
    visit: Visit = request.state.visit
    return visit
