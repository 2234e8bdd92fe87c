"""Pages for administrators: tokens."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from service.console.pages import needs, page_router, show
from service.console.snippets import same_as
from service.console.visit import visit_of

router = page_router()

needs("page_tokens", "list_tokens")


@router.get("/tokens", operation_id="page_tokens")
async def tokens(request: Request, cursor: Annotated[str, Query(max_length=400)] = "") -> Response:
    page = await visit_of(request).get("/v1/tokens", limit=100, cursor=cursor)
    made = {"name": "portal", "role": "consumer", "expires_in_days": 90}
    same = same_as(request, ("GET", "/v1/tokens"), ("POST", "/v1/tokens", made))
    return show(request, "tokens.html", tokens=page["items"], next_cursor=page["next_cursor"], same=same)
