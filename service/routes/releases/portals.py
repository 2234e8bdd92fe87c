"""Portals and publications of releases on them. These routes register and report; the courier sends."""

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.data.portals import Portal, PortalPage, PortalRequest, Publication, PublicationList, PublicationRequest
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import caller
from service.access.idempotency import Created, create_once
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity, identity_or_none
from service.http.problems import Problem, invalid, not_found
from service.http.responses import created, nothing, problems
from service.releases.descriptions import require_complete
from service.releases.outbound import check_address, check_publication, portal_answer, publication_answer
from service.releases.serializers import page_answer
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.state import Service, service_of
from storage.outbound import portals, publications
from storage.outbound.portals import PortalDraft, PortalRecord
from storage.outbound.publications import PublicationDraft
from storage.releases import cards, releases
from storage.releases.releases import ReleaseRecord
from storage.tenancy.tokens import Principal

router = guarded_router("portals")


@router.post(
    "/v1/portals",
    operation_id="create_portal",
    summary="Register a portal to which releases can be sent; its key is never shown again",
    status_code=201,
    responses={**created(201, Portal, "Registered."), **problems(409, 413, 415)},
)
async def create_portal(request: Request, body: PortalRequest, idempotency_key: IdempotencyKey = None) -> Response:
    service, principal = service_of(request), caller(request)
    await check_address(service, body.url, bare=True)
    options = {name: value for name in ("collection", "subject") if (value := getattr(body, name)) is not None}
    draft = PortalDraft(principal.tenant_id, body.kind, body.name, body.url.rstrip("/"), options, principal.token_id)

    async def create(connection: AsyncConnection) -> Created:
        if await connection.run_sync(portals.count_portals, principal.tenant_id) >= portals.MOST:
            raise Problem("conflict", f"A tenant may have at most {portals.MOST} portals.")
        portal = await connection.run_sync(
            portals.create_portal, service.release_key, service.courier_key, draft, body.token
        )
        await note(connection, principal, "portal.create", portal.id, {"kind": portal.kind})
        return Created(201, portal_answer(portal), {"Location": f"/v1/portals/{portal.id}"})

    return await create_once(request, "create_portal", lambda: {"body": canonical_json(body.model_dump())}, create)


@router.get(
    "/v1/portals",
    operation_id="list_portals",
    summary="List the tenant's portals, without their keys",
    responses={200: {"model": PortalPage}, **problems()},
)
async def list_portals(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(portals.list_portals, caller(request).tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [portal_answer(item) for item in page.items]))


@router.get(
    "/v1/portals/{id}",
    operation_id="get_portal",
    summary="Get a portal, without its key",
    responses={200: {"model": Portal}, **problems(404)},
)
async def get_portal(request: Request, item_id: ItemId) -> Response:
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(
            portals.get_portal, service.release_key, caller(request).tenant_id, identity(item_id)
        )
    if found is None:
        raise not_found()
    return JSONResponse(portal_answer(found))


@router.delete(
    "/v1/portals/{id}",
    operation_id="delete_portal",
    summary="Delete a portal and its key, once no release is published on it",
    status_code=204,
    responses={**nothing(204, "Deleted."), **problems(404, 409)},
)
async def delete_portal(request: Request, item_id: ItemId) -> Response:
    service, principal, portal_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        if not await connection.run_sync(portals.delete_portal, principal.tenant_id, portal_id):
            raise not_found()
        if await connection.run_sync(portals.in_use, portal_id):
            raise Problem("conflict", "Releases are on the portal: withdraw their publications first.")
        await note(connection, principal, "portal.delete", portal_id)
    return Response(status_code=204)


@router.post(
    "/v1/releases/{id}/publications",
    operation_id="create_publication",
    summary="Send a public release to a portal, or send it again",
    status_code=202,
    responses={202: {"model": Publication, "description": "It will be sent."}, **problems(404, 409, 413, 415)},
)
async def create_publication(request: Request, item_id: ItemId, body: PublicationRequest) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        release = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if release is None:
            raise not_found()
        portal = await _portal(service, connection, principal, body)
        check_publication(body, portal)
        await _check_release(service, connection, release)
        draft = PublicationDraft(
            principal.tenant_id, release_id, portal.id, body.mode, base_of(request), principal.token_id
        )
        publication = await connection.run_sync(publications.publish, service.release_key, draft)
        details = {"portal": str(portal.id), "mode": body.mode, "publication": str(publication.id)}
        await note(connection, principal, "publication.create", release_id, details)
    return JSONResponse(publication_answer(publication), status_code=202)


async def _portal(
    service: Service, connection: AsyncConnection, principal: Principal, body: PublicationRequest
) -> PortalRecord:
    portal_id = identity_or_none(body.portal)
    found = (
        None
        if portal_id is None
        else await connection.run_sync(portals.get_portal, service.release_key, principal.tenant_id, portal_id)
    )
    if found is None:
        raise invalid("invalid-request", "/portal", "there is no such portal")
    return found


async def _check_release(service: Service, connection: AsyncConnection, release: ReleaseRecord) -> None:
    """Require a public release with a complete card."""
    if release.withdrawn_at is not None:
        raise Problem("conflict", "The release is withdrawn.")
    if release.audience != "public":
        raise Problem("conflict", "Make the release public first: POST /v1/releases/{id}/audience.")
    require_complete(await connection.run_sync(cards.card_of, service.release_key, release))


@router.get(
    "/v1/releases/{id}/publications",
    operation_id="list_publications",
    summary="List the publications of a release on portals, with their states",
    responses={200: {"model": PublicationList}, **problems(404)},
)
async def list_publications(request: Request, item_id: ItemId) -> Response:
    service, tenant_id, release_id = service_of(request), caller(request).tenant_id, identity(item_id)
    async with service.reading() as connection:
        release = await connection.run_sync(releases.get_release, service.release_key, tenant_id, release_id)
        if release is None:
            raise not_found()
        found = await connection.run_sync(publications.list_publications, tenant_id, release_id)
    return JSONResponse({"items": [publication_answer(item) for item in found]})


@router.delete(
    "/v1/publications/{id}",
    operation_id="withdraw_publication",
    summary="Remove a release from one portal, or try that again",
    status_code=202,
    responses={202: {"model": Publication, "description": "It will be removed."}, **problems(404, 409)},
)
async def withdraw_publication(request: Request, item_id: ItemId) -> Response:
    service, principal, publication_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        found = await connection.run_sync(publications.get_publication, principal.tenant_id, publication_id)
        if found is None:
            raise not_found()
        withdrawn = await connection.run_sync(publications.withdraw, [publication_id])
        if not withdrawn:
            raise Problem("conflict", "It is no longer on the portal.")
        details = {"publication": str(publication_id)}
        await note(connection, principal, "publication.withdraw", found.release_id, details)
    return JSONResponse(publication_answer(withdrawn[0]), status_code=202)
