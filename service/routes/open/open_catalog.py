"""The open catalog: every public release, for harvesters. It needs no token and lists no withdrawn release."""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import Path, Query, Request
from sqlalchemy import ColumnElement
from starlette.responses import Response

from api_schemas.schema import rfc3339
from metadata import dcat
from metadata.facts import Facts
from metadata.profiles import JSON_LD, TURTLE, in_rdf
from service.http.negotiation import chosen, tagged
from service.http.parameters import CursorParameter, identity_or_none
from service.http.problems import not_found
from service.http.responses import Responses, documents, nothing, problems
from service.releases.descriptions import described
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.middleware import mark_public
from service.runtime.state import service_of
from storage.orm import Release
from storage.releases import listings, releases
from storage.tenancy.tenants import TenantRecord

router = guarded_router("catalog")

TenantName = Annotated[str, Path(alias="tenant", max_length=200, description="Name or id of a tenant.")]
PageSize = Annotated[int, Query(ge=1, le=200, description="Maximum number of releases on a page.")]
_ANSWER: Responses = {
    **documents(200, "A page of the catalog in DCAT, with a Hydra link to the next page.", JSON_LD, TURTLE),
    **nothing(304, "Not changed since the ETag in If-None-Match."),
}
_OFFERED = (JSON_LD, TURTLE, "application/json")


@router.get(
    "/v1/catalog",
    operation_id="get_catalog",
    summary="List all public releases in DCAT",
    responses={**_ANSWER, **problems(406)},
)
async def get_catalog(request: Request, limit: PageSize = 100, cursor: CursorParameter = None) -> Response:
    return await _page(request, None, limit, cursor)


@router.get(
    "/v1/catalog/{tenant}",
    operation_id="get_tenant_catalog",
    summary="List the public releases of one tenant in DCAT",
    responses={**_ANSWER, **problems(404, 406)},
)
async def get_tenant_catalog(
    request: Request, tenant: TenantName, limit: PageSize = 100, cursor: CursorParameter = None
) -> Response:
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(listings.find_listed_tenant, tenant, identity_or_none(tenant))
    if found is None:
        raise not_found()
    return await _page(request, found, limit, cursor)


async def _page(request: Request, tenant: TenantRecord | None, limit: int, cursor: str | None) -> Response:
    media_type = chosen(request, _OFFERED)
    mark_public(request)
    service, base = service_of(request), base_of(request)
    conditions: list[ColumnElement[bool]] = [] if tenant is None else [Release.tenant_id == tenant.id]
    async with service.reading() as connection:
        page = await connection.run_sync(releases.list_releases, service.release_key, None, limit, cursor, conditions)
        total = await connection.run_sync(releases.count_listed, conditions)
        facts = await described(service, connection, page.items, base)
        newest = await connection.run_sync(listings.last_change, None if tenant is None else tenant.id)
    address = f"{base}/v1/catalog" + ("" if tenant is None else f"/{quote(tenant.name, safe='')}")
    paging = _paging(address, limit, cursor, page.next_cursor, total)
    title = "Open catalog" if tenant is None else f"Open catalog of {tenant.name}"
    document = dcat.catalog(facts, address, title, _publisher(facts, tenant), rfc3339(newest), paging)
    body = in_rdf(document, media_type)
    return tagged(request, body, media_type, _links(address, paging))


def _publisher(facts: Sequence[Facts], tenant: TenantRecord | None) -> dict[str, str]:
    """The publisher of a tenant's releases if there is only one; else the tenant, or the service."""
    named = {each.publisher["name"]: dict(each.publisher) for each in facts}
    if tenant is not None and len(named) == 1:
        return next(iter(named.values()))
    return {"name": "Antifaz" if tenant is None else tenant.name}


def _paging(address: str, limit: int, cursor: str | None, following: str | None, total: int) -> dcat.Node:
    def place(at: str | None) -> str:
        return f"{address}?limit={limit}" + (f"&cursor={at}" if at else "")

    node: dcat.Node = {
        "@id": place(cursor),
        "@type": ["hydra:PartialCollectionView"],
        "hydra:first": {"@id": place(None)},
        "hydra:totalItems": {"@value": str(total), "@type": "xsd:integer"},
        "hydra:itemsPerPage": {"@value": str(limit), "@type": "xsd:integer"},
    }
    return node | ({"hydra:next": {"@id": place(following)}} if following else {})


def _links(address: str, paging: dcat.Node) -> dict[str, str]:
    following = paging.get("hydra:next")
    links = [f'<{address}>; rel="canonical"', *([f'<{following["@id"]}>; rel="next"'] if following else [])]
    return {"Link": ", ".join(links)}
