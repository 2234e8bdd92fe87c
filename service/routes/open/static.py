"""Static files of our pages: style, icons, scripts."""

from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from service.http.problems import not_found
from service.report.assets import ASSETS
from service.routes.router import guarded_router

router = guarded_router("service")

FileName = Annotated[str, Path(pattern=r"^[a-z0-9.-]{1,64}$")]


@router.get("/static/{name}", operation_id="static_file", include_in_schema=False)
async def static_file(request: Request, name: FileName) -> Response:
    asset = ASSETS.get(name)
    if asset is None:
        raise not_found()
    headers = {"ETag": asset.etag, "Cache-Control": "no-cache"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)
