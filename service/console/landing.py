"""The landing page."""

from fastapi import Request
from starlette.responses import Response

from service.console.pages import page_router, show
from service.console.snippets import same_as
from service.console.visit import visit_of

router = page_router()


@router.get("/", operation_id="page_landing")
async def landing(request: Request) -> Response:
    """A summary of the service, and the newest releases that the visitor may read."""
    page = await visit_of(request).try_get("/v1/releases", limit=6) or {"items": []}
    newest = [release for release in page["items"] if not release["withdrawn_at"]]
    return show(request, "landing.html", releases=newest[:3], same=same_as(request, ("GET", "/v1/releases")))
