"""Sessions: when the cookie of a browser is accepted.

A browser sends its cookies no matter which page caused the request, and cookies do not distinguish ports: `SameSite`
alone does not stop a page on another port of this host. So a cookie is accepted only if the browser states
(`Sec-Fetch-Site`) that the request comes from one of our pages or, for a GET, from the user. A request that changes
something must also send the session's secret in a header, which only our pages can know.
"""

from fastapi import Request
from starlette.responses import Response

from service.runtime.state import service_of
from storage.tenancy import sessions

COOKIE = "__Host-antifaz"
SECRET_HEADER = "X-Antifaz-Session"
HOW = f"A session's cookie is accepted only from a page of this service, and for changes only with {SECRET_HEADER}."
_LONGEST_TEXT = 128
_READING = ("GET", "HEAD")
_OURS = "same-origin"
_OF_THE_USER = "none"
"""The value of `Sec-Fetch-Site` for an address that the user typed."""


def counted_cookie(request: Request) -> str | None:
    """The text of the session that a request may use."""
    text, site = cookie_of(request), request.headers.get("sec-fetch-site")
    if text is None:
        return None
    # A GET changes nothing, so an address that the user typed may open a page: a browser sends no secret with it.
    if request.method in _READING:
        return text if site in (_OURS, _OF_THE_USER) else None
    given = request.headers.get(SECRET_HEADER, "")
    return text if site == _OURS and sessions.is_secret(service_of(request).token_key, text, given) else None


def cookie_of(request: Request) -> str | None:
    """The text in the cookie, accepted or not."""
    # The prefix `__Host-` makes browsers refuse this cookie from another host, without TLS or for a part of the site.
    text = request.cookies.get(COOKIE, "")
    return text if 0 < len(text) <= _LONGEST_TEXT and text.isascii() and text.isprintable() else None


def comes_from_us(request: Request) -> bool:
    """Whether a form was sent by one of our own pages."""
    return request.headers.get("sec-fetch-site") == _OURS


def set_cookie(response: Response, text: str) -> None:
    """Give the browser its session, in a cookie of this host only, hidden from scripts and other sites."""
    seconds = int(sessions.LIFE.total_seconds())
    response.set_cookie(COOKIE, text, max_age=seconds, path="/", secure=True, httponly=True, samesite="strict")


def drop_cookie(response: Response) -> None:
    """Make the browser delete its session cookie."""
    response.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="strict")
