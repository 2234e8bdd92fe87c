"""The catalogue: what a policy can name, with the schema of each part."""

from functools import cache
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse, Response

from antifaz import catalogue
from antifaz.catalogue import Category
from api_schemas.results.catalogue import CatalogueList
from service.http.responses import Responses, problems
from service.routes.router import guarded_router

router = guarded_router("catalogue")

_ANSWERS: Responses = {200: {"model": CatalogueList}, **problems()}


@cache
def _items(category: Category) -> list[dict[str, Any]]:
    return catalogue.describe(category)


@router.get("/v1/methods", operation_id="list_methods", summary="List methods", responses=_ANSWERS)
async def list_methods(request: Request) -> Response:
    return JSONResponse({"items": _items("methods")})


@router.get("/v1/guarantees", operation_id="list_guarantees", summary="List guarantees", responses=_ANSWERS)
async def list_guarantees(request: Request) -> Response:
    return JSONResponse({"items": _items("guarantees")})


@router.get("/v1/measures", operation_id="list_measures", summary="List risk and utility measures", responses=_ANSWERS)
async def list_measures(request: Request) -> Response:
    return JSONResponse({"items": _items("measures")})


@router.get("/v1/attacks", operation_id="list_attacks", summary="List attacks", responses=_ANSWERS)
async def list_attacks(request: Request) -> Response:
    return JSONResponse({"items": _items("attacks")})


@router.get(
    "/v1/hierarchy-kinds", operation_id="list_hierarchy_kinds", summary="List kinds of hierarchy", responses=_ANSWERS
)
async def list_hierarchy_kinds(request: Request) -> Response:
    return JSONResponse({"items": _items("hierarchies")})
