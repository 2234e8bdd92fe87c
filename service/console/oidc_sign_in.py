"""Signing in at the OpenID provider: the code flow with PKCE (RFC 7636), which ends in a session like any other.

No state is kept here between the two steps. A cookie holds a random seed; the state that the provider returns, the
nonce that its ID token repeats and the verifier of the code are all derived from the seed with our key. So a response
is accepted only in the browser that started the sign-in, and only for that sign-in.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Annotated
from urllib.parse import quote, unquote, urlencode

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from service.access.callers import known_caller
from service.console.pages import page_router, show
from service.console.sign_in import Next, form, home_of, local_path, open_session
from service.http.problems import not_found
from service.runtime.addresses import base_of
from service.runtime.identity_claims import read_id_token
from service.runtime.identity_errors import InvalidToken, NoPlaceHere, ProviderDown
from service.runtime.identity_provider import Provider
from service.runtime.state import service_of
from storage.crypto.authenticity import digests_of
from storage.tenancy.tokens import Principal

router = page_router()

COOKIE = "__Host-antifaz-oidc"
CALLBACK = "/sign-in/oidc/callback"
_LIFE_SECONDS = 600
_LONGEST = 2048

_Given = Annotated[str, Query(max_length=_LONGEST)]


@router.get("/sign-in/oidc", operation_id="page_oidc_sign_in")
async def begin(request: Request, target: Next = "") -> Response:
    provider = _provider(request)
    service_of(request).requests.take(f"address:{request.client.host if request.client else ''}")
    try:
        endpoints = await provider.endpoints()
    except ProviderDown:
        return _down(request, target)
    seed = secrets.token_urlsafe(32)
    challenge = hashlib.sha256(_secret(request, "verifier", seed).encode()).digest()
    asked = {
        "response_type": "code",
        "client_id": str(provider.settings.oidc_client_id),
        "redirect_uri": base_of(request) + CALLBACK,
        "scope": provider.settings.oidc_scope,
        "state": _secret(request, "state", seed),
        "nonce": _secret(request, "nonce", seed),
        "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    joint = "&" if "?" in endpoints.authorization else "?"
    response = RedirectResponse(f"{endpoints.authorization}{joint}{urlencode(asked)}", status_code=303)
    kept = f"{seed}.{quote(local_path(target) or '', safe='')}"
    # Lax, because the provider's page links back here; the cookie alone grants nothing.
    response.set_cookie(COOKIE, kept, max_age=_LIFE_SECONDS, path="/", secure=True, httponly=True, samesite="lax")
    return response


@router.get(CALLBACK, operation_id="page_oidc_callback")
async def come_back(
    request: Request,
    code: _Given = "",
    state: _Given = "",
    iss: _Given | None = None,
    error: _Given | None = None,
    error_description: _Given | None = None,
    error_uri: _Given | None = None,
    session_state: _Given | None = None,
    scope: _Given | None = None,
) -> Response:
    provider = _provider(request)
    service_of(request).requests.take(f"address:{request.client.host if request.client else ''}")
    seed, _, kept = request.cookies.get(COOKIE, "").partition(".")
    target = unquote(kept)
    # Without this, an attacker could sign a victim's browser in as the attacker, and see what the victim uploads.
    expected = _secret(request, "state", seed)
    if not seed or not hmac.compare_digest(expected.encode(), state.encode()):
        return _refused(request, target, "This sign-in was not started in this browser, or took too long. Try again.")
    # A stated issuer must be ours (RFC 9207): the code of another provider must not be sent to this one.
    if error is not None or not code or iss not in (None, provider.issuer):
        return _refused(request, target, "The provider did not sign you in.")
    try:
        principal = await _identify(request, provider, code, seed)
    except ProviderDown:
        return _down(request, target)
    except InvalidToken:
        return _refused(request, target, "The provider's response is not valid. Try again.")
    except NoPlaceHere as cause:
        return _refused(request, target, f"{cause} Ask your administrator.", 403)
    response = show(request, "signed_in.html", target=local_path(target) or home_of(principal))
    await open_session(request, principal, response)
    return _forget(response)


async def _identify(request: Request, provider: Provider, code: str, seed: str) -> Principal:
    answer = await provider.exchange(
        {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": base_of(request) + CALLBACK,
            "code_verifier": _secret(request, "verifier", seed),
        }
    )
    claims = await read_id_token(provider, str(answer.get("id_token", "")), _secret(request, "nonce", seed))
    return (await known_caller(service_of(request), provider, claims)).principal


def _provider(request: Request) -> Provider:
    provider = service_of(request).oidc
    if provider is None or provider.settings.oidc_client_id is None:
        raise not_found()
    return provider


def _secret(request: Request, kind: str, seed: str) -> str:
    """A secret derived from a seed, one for each purpose."""
    return digests_of(service_of(request).token_key, f"oidc {kind}", seed.encode())[0].hex()


def _refused(request: Request, target: str, why: str, status: int = 401) -> Response:
    return _forget(form(request, target, status, why))


def _down(request: Request, target: str) -> Response:
    seconds = str(int(service_of(request).settings.oidc_refetch_seconds) or 1)
    response = form(request, target, 503, "The provider does not answer. Try again later, or sign in with a token.")
    response.headers["Retry-After"] = seconds
    return response


def _forget(response: Response) -> Response:
    response.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="lax")
    return response
