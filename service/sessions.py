"""Sessions: when the cookie of a browser counts.

A browser sends its cookies whoever made it send the request, and cookies do not distinguish ports: `SameSite` alone
does not stop a page on another port of this host. So a cookie counts only if the browser says that the request comes
from a page of ours (`Sec-Fetch-Site`), or on a GET from its user; and a request that changes something must also bring
the session's secret in a header, which only a page of ours can know.
"""

from fastapi import Request
from starlette.responses import Response

from service.state import service_of
from storage import sessions

COOKIE = "__Host-antifaz"
SECRET_HEADER = "X-Antifaz-Session"
HOW = f"A session's cookie counts only from a page of this service, and for changes with {SECRET_HEADER}."
_LONGEST_TEXT = 128
_READING = ("GET", "HEAD")
_OURS = "same-origin"
_OF_THE_USER = "none"
"""What `Sec-Fetch-Site` says of an address that somebody typed."""


def counted_cookie(request: Request) -> str | None:
    """The text of the session that a request may use."""
    text, site = cookie_of(request), request.headers.get("sec-fetch-site")
    if text is None:
        return None
    if request.method in _READING:
        return text if site in (_OURS, _OF_THE_USER) else None
    given = request.headers.get(SECRET_HEADER, "")
    return text if site == _OURS and sessions.is_secret(service_of(request).token_key, text, given) else None


def cookie_of(request: Request) -> str | None:
    """The text in the cookie, whether it counts or not."""
    text = request.cookies.get(COOKIE, "")
    return text if 0 < len(text) <= _LONGEST_TEXT and text.isascii() and text.isprintable() else None


def comes_from_us(request: Request) -> bool:
    """Whether a form was sent by one of our own pages."""
    return request.headers.get("sec-fetch-site") == _OURS


def set_cookie(response: Response, text: str) -> None:
    """Give the browser its session. It is a cookie of this host alone, which neither scripts nor other sites get."""
    seconds = int(sessions.LIFE.total_seconds())
    response.set_cookie(COOKIE, text, max_age=seconds, path="/", secure=True, httponly=True, samesite="strict")


def drop_cookie(response: Response) -> None:
    """Make the browser forget its session."""
    response.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="strict")
