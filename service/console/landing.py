"""The landing page."""

from fastapi import Request
from starlette.responses import Response

from service.console.pages import page_router, show

router = page_router()


@router.get("/", operation_id="page_landing")
async def landing(request: Request) -> Response:
    return show(request, "landing.html")
