"""Pages: routing, guarding and rendering.

Every page is a guarded route whose operation is listed in `PAGES`. It names the operations of the API that it shows: a
visitor whose role may call none of them is refused, and one without a session is asked to sign in. Problems are pages
too.
"""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from service.access.permissions import PAGES
from service.access.routing import GuardedRoute, check_target
from service.console import words
from service.console.visit import Refusal, Visit, begin_visit, visit_of
from service.http.problems import problem_of
from service.report.assets import icon
from service.report.attacks import QUESTION_WORDS

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_SECURITY = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NEEDS: dict[str, tuple[str, ...]] = {}
"""Page → the operations that it shows; permission for any of them is enough."""

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= words.FILTERS
_ENVIRONMENT.globals |= {
    "icon": icon,
    "kinds": words.KINDS,
    "kind_icons": words.KIND_ICONS,
    "status_icons": words.STATUS_ICONS,
    "roles": words.ROLES,
    "beside": words.beside,
    "settings_pages": words.SETTINGS,
    "audit_pages": words.AUDIT,
    "question_words": QUESTION_WORDS,
}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(GuardedRoute):
    """A route that responds with a page."""

    def get_route_handler(self) -> Handler:
        handler, operation = APIRoute.get_route_handler(self), str(self.operation_id)
        if operation not in PAGES:
            raise RuntimeError(f"page {operation} is missing in the table of permissions")
        known = frozenset(
            name
            for parameter in self.dependant.query_params
            for name in getattr(parameter.field_info.annotation, "model_fields", (parameter.alias,))
        )

        async def shown(request: Request) -> Response:
            request.scope["operation"] = operation
            visit = request.state.visit = await begin_visit(request)
            try:
                check_target(request, known)
                return _refuse(visit, operation) or await handler(request)
            except Exception as error:  # noqa: BLE001 - unexpected errors are raised again
                return _failed(visit, error)

        return shown


def page_router() -> APIRouter:
    """A router of pages."""
    return APIRouter(tags=["pages"], route_class=PageRoute, include_in_schema=False)


def needs(page: str, *operations: str) -> None:
    """Register the operations of the API that a page shows."""
    _NEEDS[page] = operations


def _refuse(visit: Visit, page: str) -> Response | None:
    wanted = _NEEDS.get(page, ())
    if not wanted or any(visit.may(operation) for operation in wanted):
        return None
    if visit.principal is None:
        return to_sign_in(visit.request)
    return show(visit.request, "problem.html", 403, problem=_problem(403, "The token's role does not allow this"))


def to_sign_in(request: Request) -> Response:
    """Redirect to the sign-in page, which returns here afterwards."""
    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(target, safe='/')}", status_code=303)


def _failed(visit: Visit, error: Exception) -> Response:
    if isinstance(error, Refusal):
        if error.status == 401:
            return to_sign_in(visit.request)
        return show(visit.request, "problem.html", error.status, problem=error.body)
    problem = problem_of(error)
    if problem is None or problem.status_code >= 500:
        raise error
    return show(visit.request, "problem.html", problem.status_code, problem=problem.body())


def _problem(status: int, title: str) -> dict[str, Any]:
    return {"title": title, "status": status, "detail": ""}


def show(request: Request, template: str, status: int = 200, /, **context: Any) -> Response:
    """Render a page with the common context of all pages."""
    visit = visit_of(request)
    about = {"visit": visit, "path": request.url.path, "navigation": words.navigation(visit)}
    content = _ENVIRONMENT.get_template(template).render(about | context)
    return HTMLResponse(content, status, headers=_SECURITY)
