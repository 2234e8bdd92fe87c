"""Cards and metadata: descriptions of releases by stewards, and the public metadata made from them."""

from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from fastapi import Query, Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.data.cards import About, Card, missing_in
from metadata.profiles import PROFILES, rendered
from metadata.signposting import metadata_links
from service.access.audit import note
from service.access.auth import caller
from service.access.visibility import visible_release
from service.http.negotiation import chosen, tagged
from service.http.parameters import ItemId, identity
from service.http.problems import Problem, not_found
from service.http.responses import Responses, documents, nothing, problems
from service.releases.descriptions import facts_of, require_complete
from service.releases.serializers import Json
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.state import Service, service_of
from storage.releases import cards, listings, releases
from storage.releases.cards import CardInForce
from storage.releases.releases import ReleaseRecord

router = guarded_router("cards")

# A row in PROFILES is all that a new profile needs: the API's list of them follows. Type checkers cannot read it.
if TYPE_CHECKING:
    ProfileName = str
else:
    ProfileName = Literal[tuple(PROFILES)]
_MEDIA_TYPES = list(dict.fromkeys(media_type for profile in PROFILES.values() for media_type in profile.media_types))
_CARD: Responses = {200: {"model": Card}}


@router.get(
    "/v1/releases/{id}/metadata",
    operation_id="get_release_metadata",
    summary="Get the metadata of a release, for portals and programs",
    responses={
        **documents(200, "The metadata.", *_MEDIA_TYPES),
        **nothing(304, "Not changed since the ETag in If-None-Match."),
        **problems(404, 406, 410),
    },
)
async def get_release_metadata(
    request: Request, item_id: ItemId, profile: Annotated[ProfileName, Query(description="Vocabulary.")] = "dcat-ap"
) -> Response:
    release = await visible_release(request, identity(item_id), "get_release_metadata")
    if release.withdrawn_at is not None:
        raise Problem("withdrawn", "The release was withdrawn; its report stays.")
    media_type = chosen(request, PROFILES[profile].media_types)
    service = service_of(request)
    async with service.reading() as connection:
        facts = await facts_of(service, connection, release, base_of(request))
    return tagged(request, rendered(profile, facts, media_type), media_type, {"Link": metadata_links(facts)})


@router.get(
    "/v1/releases/{id}/about",
    operation_id="get_release_about",
    summary="Get the card of a release, and what is missing before the release may be public",
    responses={**_CARD, **problems(404)},
)
async def get_release_about(request: Request, item_id: ItemId) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        release = await _own(service, connection, tenant_id, identity(item_id))
        card = await _in_force(service, connection, release)
    return JSONResponse(_answer(card.content, card.version))


@router.put(
    "/v1/releases/{id}/about",
    operation_id="set_release_about",
    summary="Write the next version of a release's card",
    responses={**_CARD, **problems(404, 413, 415)},
)
async def set_release_about(request: Request, item_id: ItemId, body: About) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    content = body.model_dump(exclude_none=True)
    async with service.writing() as connection:
        release = await _own(service, connection, principal.tenant_id, release_id)
        await connection.run_sync(cards.write_card, service.release_key, principal.tenant_id, release_id, content)
        card = await _in_force(service, connection, release)
        if release.audience == "public":
            require_complete(card)
        await connection.run_sync(listings.touch, release_id)
        details = {"version": card.version, "fields": sorted(content)}
        await note(connection, principal, "release.about", release_id, details)
    return JSONResponse(_answer(card.content, card.version))


@router.get(
    "/v1/catalog/about",
    operation_id="get_catalog_about",
    summary="Get the default card of the tenant's releases",
    responses={**_CARD, **problems()},
)
async def get_catalog_about(request: Request) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        known = await connection.run_sync(cards.newest_cards, service.release_key, [tenant_id])
    card = known.get(tenant_id)
    return JSONResponse(_answer({}, 0) if card is None else _answer(card.content, card.version))


@router.put(
    "/v1/catalog/about",
    operation_id="set_catalog_about",
    summary="Write the next version of the default card of the tenant's releases",
    responses={**_CARD, **problems(409, 413, 415)},
)
async def set_catalog_about(request: Request, body: About) -> Response:
    service, principal = service_of(request), caller(request)
    tenant_id, content = principal.tenant_id, body.model_dump(exclude_none=True)
    async with service.writing() as connection:
        card = await connection.run_sync(cards.write_card, service.release_key, tenant_id, tenant_id, content)
        await _check_public(service, connection, tenant_id)
        await connection.run_sync(listings.touch_all, tenant_id)
        details = {"version": card.version, "fields": sorted(content)}
        await note(connection, principal, "catalog.about", tenant_id, details)
    return JSONResponse(_answer(card.content, card.version))


async def _check_public(service: Service, connection: AsyncConnection, tenant_id: UUID) -> None:
    """Refuse a change that would leave the card of a public release incomplete."""
    public = await connection.run_sync(releases.listed_of_tenant, service.release_key, tenant_id)
    known = await connection.run_sync(cards.cards_of, service.release_key, public)
    lacking = [missing_in(card.content) for card in known.values()]
    names = sorted({name for missing in lacking for name in missing})
    if names:
        many = sum(bool(missing) for missing in lacking)
        detail = f"{many} public release(s) would lack {', '.join(names)}: add it to their own cards first."
        raise Problem("conflict", detail)


def _answer(content: Json, version: int) -> Json:
    return {"about": content, "version": version, "missing": missing_in(content)}


async def _own(service: Service, connection: AsyncConnection, tenant_id: UUID, release_id: UUID) -> ReleaseRecord:
    found = await connection.run_sync(releases.get_release, service.release_key, tenant_id, release_id)
    if found is None:
        raise not_found()
    return found


async def _in_force(service: Service, connection: AsyncConnection, release: ReleaseRecord) -> CardInForce:
    return await connection.run_sync(cards.card_of, service.release_key, release)
