"""Signing in and out: a token becomes a session.

Every session begins in `open_session`, which takes an authenticated principal; every way to sign in ends there.
"""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from service.access.audit import note
from service.access.permissions import ADMIN, AUDITOR, STEWARD
from service.access.routing import read_bounded
from service.access.sessions import comes_from_us, cookie_of, drop_cookie, set_cookie
from service.console.pages import page_router, show
from service.console.visit import visit_of
from service.http.problems import Problem
from service.runtime.state import service_of
from storage.tenancy import sessions
from storage.tenancy.tokens import Principal

router = page_router()

_LONGEST_FIELD = 2048
_HOMES = {STEWARD: "/datasets", AUDITOR: "/audit", ADMIN: "/datasets"}

Next = Annotated[str, Query(alias="next", max_length=_LONGEST_FIELD)]


@router.get("/sign-in", operation_id="page_sign_in")
async def ask_for_a_token(request: Request, target: Next = "") -> Response:
    if visit_of(request).principal is not None:
        return RedirectResponse(local_path(target) or "/", status_code=303)
    return form(request, target, 200, None)


@router.post("/sign-in", operation_id="page_sign_in")
async def sign_in(request: Request) -> Response:
    fields = await _fields(request)
    target, text = fields.get("next", ""), fields.get("token", "").strip()
    service = service_of(request)
    service.requests.take(f"address:{request.client.host if request.client else ''}")
    found = await service.lookups.caller(text) if text.isascii() and text else None
    if found is None or found.principal.session_id is not None:
        return form(request, target, 401, "This token is unknown, revoked or expired.")
    return await begin_session(request, found.principal, local_path(target) or home_of(found.principal))


def home_of(principal: Principal) -> str:
    """The first page for a role."""
    return _HOMES.get(principal.role, "/releases")


async def begin_session(request: Request, principal: Principal, target: str) -> Response:
    """Open a session and redirect to the requested page."""
    response = RedirectResponse(target, status_code=303)
    await open_session(request, principal, response)
    return response


async def open_session(request: Request, principal: Principal, response: Response) -> None:
    """Open a session and set its cookie on a response."""
    service = service_of(request)
    async with service.writing() as connection:
        session, text = await connection.run_sync(sessions.open_session, service.token_key, principal)
        await note(connection, principal, "session.open", session.id)
    set_cookie(response, text)


@router.post("/sign-out", operation_id="page_sign_out")
async def sign_out(request: Request) -> Response:
    service, fields, text = service_of(request), await _fields(request), cookie_of(request)
    if text is None or not sessions.is_secret(service.token_key, text, fields.get("session", "")):
        raise _not_ours()
    found = await service.lookups.caller(text)
    if found is not None and found.principal.session_id is not None:
        who, session_id = found.principal, found.principal.session_id
        async with service.writing() as connection:
            await connection.run_sync(sessions.close_session, who.tenant_id, session_id)
            await note(connection, who, "session.close", session_id)
    response = RedirectResponse("/sign-in", status_code=303)
    drop_cookie(response)
    return response


def form(request: Request, target: str, status: int, error: str | None) -> Response:
    """The page that asks for a token, and offers the provider if there is one."""
    # A link in a mail comes without the cookie even if the user is signed in; one more click sends it.
    follows_link = cookie_of(request) is None and request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
    settings = service_of(request).settings
    return show(
        request,
        "sign_in.html",
        status,
        target=local_path(target) or "",
        error=error,
        follows_link=follows_link,
        provider=settings.oidc_issuer if settings.oidc_client_id else None,
    )


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a form that one of our pages sent."""
    if not comes_from_us(request):
        raise _not_ours()
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise Problem("unsupported-media-type", "Send the form of the page.")
    content = (await read_bounded(request, 4 * _LONGEST_FIELD)).decode("utf-8", "replace")
    try:
        return {name: values[0] for name, values in parse_qs(content, max_num_fields=10).items()}
    except ValueError:
        raise _not_ours() from None


def _not_ours() -> Problem:
    return Problem("not-allowed", "This form was not sent by a page of this service. Open the page again.")


def local_path(target: str) -> str | None:
    """A path of this service to redirect to, never another host."""
    fine = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if fine and len(target) <= _LONGEST_FIELD else None
