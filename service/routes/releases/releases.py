"""Releases: list, report, withdraw, make public."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request
from sqlalchemy import ColumnElement
from starlette.responses import JSONResponse, Response

from api_schemas.results.releases import Audience, Release, ReleasePage, Withdrawal
from api_schemas.results.reports import Report
from metadata.profiles import JSON, JSON_LD, TURTLE, rendered
from metadata.signposting import page_links
from service.access.audit import note
from service.access.auth import anyone, caller
from service.access.visibility import visible_release
from service.http.negotiation import preferred, tagged
from service.http.parameters import CursorParameter, Filter, ItemId, Limit, Since, identity, known_name, not_before
from service.http.problems import Problem, not_found
from service.http.responses import problems
from service.releases.descriptions import answer_of, answers_of, facts_of, require_complete
from service.releases.serializers import page_answer, report_answer
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.middleware import mark_public
from service.runtime.state import service_of
from storage.releases import cards, listings, releases, reports
from storage.releases.releases import ReleaseRecord
from storage.releases.reports import ReportRecord

router = guarded_router("releases")

_MOST_WORDS = 10
_ANSWERS = (JSON, JSON_LD, TURTLE)
Kind = Literal["table", "graph", "temporal_graph"]
Words = Annotated[
    str | None, Query(min_length=1, max_length=200, description="Words in name, title, text or keywords.")
]


@router.get(
    "/v1/releases",
    operation_id="list_releases",
    summary="List the tenant's releases, newest first; without a token, those that are public",
    responses={200: {"model": ReleasePage}, **problems()},
)
async def list_releases(
    request: Request,
    q: Words = None,
    kind: Annotated[Kind | None, Query()] = None,
    guarantee: Filter = None,
    since: Since = None,
    license_id: Annotated[str | None, Query(alias="license", max_length=64, pattern=r"^[0-9A-Za-z.+-]+$")] = None,
    limit: Limit = 50,
    cursor: CursorParameter = None,
) -> Response:
    service, principal = service_of(request), anyone(request)
    conditions = _conditions(q, kind, guarantee, since, license_id)
    tenant_id = None if principal is None else principal.tenant_id
    async with service.reading() as connection:
        page = await connection.run_sync(
            releases.list_releases, service.release_key, tenant_id, limit, cursor, conditions
        )
        items = await answers_of(request, connection, page.items)
    mark_public(request)
    return JSONResponse(page_answer(page, items))


def _conditions(
    q: str | None, kind: str | None, guarantee: str | None, since: str | None, license_id: str | None
) -> list[ColumnElement[bool]]:
    named = None if guarantee is None else known_name("guarantees", "guarantee", guarantee)
    asked = [
        None if kind is None else releases.is_of_kind(kind),
        None if named is None else releases.promises(named),
        None if since is None else releases.made_since(not_before(since)),
        None if license_id is None else cards.has_license(license_id),
        *(cards.mentions(word) for word in (q or "").split()[:_MOST_WORDS]),
    ]
    return [condition for condition in asked if condition is not None]


@router.get(
    "/v1/releases/{id}",
    operation_id="get_release",
    summary="Get a release; without a token, only if it is public",
    responses={
        200: {"model": Release, "content": {JSON_LD: {"schema": {"type": "object"}}, TURTLE: {}}},
        **problems(404),
    },
)
async def get_release(request: Request, item_id: ItemId) -> Response:
    release = await visible_release(request, identity(item_id), "get_release")
    service = service_of(request)
    async with service.reading() as connection:
        answer = await answer_of(request, connection, release)
        facts = await facts_of(service, connection, release, base_of(request))
    # A client that accepts none of these, such as a browser that wants a page, gets JSON.
    media_type = preferred(request.headers.get("accept"), _ANSWERS) or JSON
    headers = {"Vary": "Accept"} | ({"Link": page_links(facts)} if release.audience == "public" else {})
    if media_type == JSON:
        return JSONResponse(answer, headers=headers)
    return tagged(request, rendered("dcat-ap", facts, media_type), media_type, headers)


@router.get(
    "/v1/releases/{id}/report",
    operation_id="get_release_report",
    summary="Get the report of a release, as far as the caller may see it",
    responses={200: {"model": Report}, **problems(404)},
)
async def get_release_report(request: Request, item_id: ItemId) -> Response:
    report, role = await _report(request, identity(item_id), "get_release_report")
    return JSONResponse(report_answer(report, role))


async def _report(request: Request, release_id: UUID, operation: str) -> tuple[ReportRecord, str | None]:
    """The report and the role in which the caller sees it."""
    release = await visible_release(request, release_id, operation)
    return await report_of(request, release), role_towards(request, release)


async def report_of(request: Request, release: ReleaseRecord) -> ReportRecord:
    """The report of a release that the caller may see."""
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(
            reports.get_report_of_release, service.release_key, release.tenant_id, release.id
        )
    if found is None:
        raise not_found()
    return found


def role_towards(request: Request, release: ReleaseRecord) -> str | None:
    """The role in which the caller sees a release; None in another tenant."""
    principal = anyone(request)
    return principal.role if principal is not None and principal.tenant_id == release.tenant_id else None


@router.post(
    "/v1/releases/{id}/withdraw",
    operation_id="withdraw_release",
    summary="Stop serving a release; its report stays",
    responses={200: {"model": Release}, **problems(404, 409, 413, 415)},
)
async def withdraw_release(request: Request, item_id: ItemId, body: Withdrawal) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        withdrawn = await connection.run_sync(
            releases.withdraw, service.release_key, principal.tenant_id, release_id, body.reason
        )
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        if not withdrawn:
            raise Problem("conflict", "The release is already withdrawn.")
        answer = await answer_of(request, connection, found)
        await connection.run_sync(listings.touch, release_id)
        await note(connection, principal, "release.withdraw", release_id, {"reason": body.reason})
    return JSONResponse(answer)


@router.delete(
    "/v1/releases/{id}/data",
    operation_id="destroy_release_data",
    summary="Permanently destroy the data of a withdrawn release; its report stays",
    status_code=202,
    responses={202: {"model": Release, "description": "The data is destroyed within seconds."}, **problems(404, 409)},
)
async def destroy_release_data(request: Request, item_id: ItemId) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        destroyed = await connection.run_sync(
            releases.request_destruction, service.release_key, principal.tenant_id, release_id
        )
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        if found.withdrawn_at is None:
            raise Problem("conflict", "Withdraw the release first; its data is still served.")
        answer = await answer_of(request, connection, found)
        if destroyed:
            size = sum(file.size for file in found.artifacts)
            await note(connection, principal, "release.destroy", release_id, {"bytes": size})
    return JSONResponse(answer, status_code=202)


@router.post(
    "/v1/releases/{id}/audience",
    operation_id="set_release_audience",
    summary="Set who may read a release",
    responses={200: {"model": Release}, **problems(404, 413, 415)},
)
async def set_release_audience(request: Request, item_id: ItemId, body: Audience) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        chosen = (principal.tenant_id, release_id, body.audience)
        if not await connection.run_sync(releases.set_audience, service.release_key, *chosen):
            raise not_found()
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        answer = await answer_of(request, connection, found)
        if body.audience == "public":
            require_complete(await connection.run_sync(cards.card_of, service.release_key, found))
            await connection.run_sync(listings.list_release, found)
        else:
            await connection.run_sync(listings.touch, release_id)
        await note(connection, principal, "release.audience", release_id, {"audience": body.audience})
    return JSONResponse(answer)
