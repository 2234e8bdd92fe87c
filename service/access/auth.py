"""Authentication and permission, checked before any of the body is read."""

from fastapi import Request

from service.access.callers import caller_by_access_token
from service.access.permissions import OPEN, PERMISSIONS, PUBLIC_LISTS, PUBLIC_RELEASES, ROLES
from service.access.sessions import HOW, cookie_of, counted_cookie
from service.http.parameters import identity_or_none
from service.http.problems import Problem, unavailable
from service.runtime.identity_claims import LONGEST as LONGEST_SIGNED
from service.runtime.identity_claims import looks_signed
from service.runtime.identity_errors import InvalidToken, NoPlaceHere, ProviderDown
from service.runtime.state import service_of
from storage.jobs.jobs import JobState
from storage.operations.lookups import Caller
from storage.tenancy.tokens import Principal

_LONGEST_TOKEN = 512
_ABOUT_A_JOB = frozenset({"get_job", "watch_job", "cancel_job"})
"""Operations whose job is read together with the token, in one round trip: clients call them repeatedly."""


async def admit(request: Request, operation: str) -> Principal | None:
    """The caller; None for operations that need no token. Raises 401, 403 or 429."""
    if operation in OPEN:
        return None
    service = service_of(request)
    try:
        principal, doubt = await _authenticate(request, operation), None
    except (InvalidToken, NoPlaceHere, ProviderDown) as cause:
        principal, doubt = None, cause
    public = operation in PUBLIC_RELEASES | PUBLIC_LISTS
    if principal is None:
        service.requests.take(f"address:{request.client.host if request.client else ''}")
        if isinstance(doubt, NoPlaceHere) and public:
            return None
        if doubt is not None:
            raise doubtful(doubt)
        if public and "authorization" not in request.headers:
            return None
        raise not_authenticated(request)
    service.requests.take(str(principal.token_id))
    if allows(operation, principal) or operation in PUBLIC_RELEASES:
        return principal
    if public:
        # Anyone who has a token may do at least what a stranger may: this role sees what strangers see.
        return None
    raise not_allowed(operation, principal)


def not_authenticated(request: Request) -> Problem:
    """The response to a request without a valid token."""
    detail = HOW if cookie_of(request) else "Send Authorization: Bearer TOKEN."
    return Problem("not-authenticated", detail, headers={"WWW-Authenticate": "Bearer"})


def doubtful(cause: Exception) -> Problem:
    """The response to a token of the OpenID provider that is not valid or cannot be checked."""
    if isinstance(cause, ProviderDown):
        return unavailable("The OpenID provider does not answer. Tokens of this service still work.")
    if isinstance(cause, NoPlaceHere):
        return Problem("not-allowed", str(cause))
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    return Problem("not-authenticated", f"This token is not valid. {cause}", headers=headers)


def allows(operation: str, principal: Principal) -> bool:
    """Whether the role may call the operation in its own tenant."""
    return principal.role in PERMISSIONS[operation]


def not_allowed(operation: str | None = None, principal: Principal | None = None) -> Problem:
    """The response to a role that may not call an operation; it names the roles that may."""
    if operation is None:
        return Problem("not-allowed", "Ask for a token with another role.")
    needed = " or ".join(role for role in ROLES if role in PERMISSIONS[operation])
    own = "" if principal is None else f"; this token's role is {principal.role}"
    return Problem("not-allowed", f"This needs the role {needed}{own}.")


def caller(request: Request) -> Principal:
    """The caller of an operation that needs a token."""
    principal = anyone(request)
    if principal is None:
        raise not_allowed()
    return principal


def anyone(request: Request) -> Principal | None:
    """The caller; None without a token."""
    principal: Principal | None = request.state.principal
    return principal


def job_asked_about(request: Request) -> JobState | None:
    """The job that the path names, if the caller's tenant has it; read when the token was checked."""
    job: JobState | None = request.state.job
    return job


def actor(principal: Principal) -> str:
    """The caller's name in the audit trail."""
    return f"token:{principal.token_id}"


async def _authenticate(request: Request, operation: str) -> Principal | None:
    by_token = "authorization" in request.headers
    text = _bearer(request) if by_token else counted_cookie(request)
    if text is None:
        return None
    job_id = identity_or_none(request.path_params["id"]) if operation in _ABOUT_A_JOB else None
    service = service_of(request)
    if by_token and service.oidc is not None and looks_signed(text):
        found: Caller | None = await caller_by_access_token(service, service.oidc, text, job_id)
    else:
        found = await service.lookups.caller(text, job_id) if len(text) <= _LONGEST_TOKEN else None
    # A token is not a session and a session is not a token: the cookie's text is useless outside its browser.
    if found is None or by_token != (found.principal.session_id is None):
        return None
    request.state.job = found.job
    return found.principal


def _bearer(request: Request) -> str | None:
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    text = text.strip()
    usable = scheme.lower() == "bearer" and 0 < len(text) <= LONGEST_SIGNED and text.isascii() and text.isprintable()
    return text if usable else None
