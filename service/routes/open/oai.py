"""OAI-PMH: one address for GET and for forms."""

from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from metadata.profiles import XML
from service.access.routing import read_bounded
from service.http.problems import Problem
from service.http.responses import problems, raw
from service.releases import oai
from service.releases.descriptions import described, facts_of
from service.releases.oai import Asked, OaiError, Repository
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.middleware import mark_public
from service.runtime.state import Service, service_of
from storage.releases import listings

router = guarded_router("catalog")

_FORM = "application/x-www-form-urlencoded"
_MOST_BYTES = 16_384
_MOST_ARGUMENTS = 20


@router.get(
    "/oai",
    operation_id="oai",
    summary="Harvest the open catalog by OAI-PMH 2.0, with the protocol's arguments and errors",
    responses={**raw(200, "A response of the protocol, which may be an error.", XML), **problems()},
)
async def ask_oai(request: Request) -> Response:
    return await _respond(request, request.query_params.multi_items())


@router.post(
    "/oai",
    operation_id="oai_form",
    summary="Harvest the open catalog by OAI-PMH 2.0, with arguments in a form",
    responses={**raw(200, "A response of the protocol, which may be an error.", XML), **problems(413, 415)},
    openapi_extra={"requestBody": {"required": True, "content": {_FORM: {"schema": {"type": "object"}}}}},
)
async def ask_oai_by_form(request: Request) -> Response:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise Problem("unsupported-media-type", f"Send {_FORM}.")
    body = await read_bounded(request, _MOST_BYTES)
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_ARGUMENTS)
    except ValueError:
        pairs = []
    return await _respond(request, pairs)


async def _respond(request: Request, pairs: Sequence[tuple[str, str]]) -> Response:
    service = service_of(request)
    repository = Repository(base_of(request), service.settings.catalog_email)
    mark_public(request)
    arguments = dict(pairs[:_MOST_ARGUMENTS])
    try:
        asked = oai.read_request(pairs)
        async with service.reading() as connection:
            content = await _content(service, connection, repository, asked)
    except OaiError as problem:
        content = oai.error(problem)
    return Response(oai.answer(repository, datetime.now(UTC), arguments, content), media_type=XML)


async def _content(service: Service, connection: AsyncConnection, repository: Repository, asked: Asked) -> oai.Element:
    if asked.verb == "Identify":
        earliest = await connection.run_sync(listings.first_change)
        return oai.identify(repository, earliest or datetime.now(UTC))
    if asked.verb == "ListSets":
        return oai.sets(await connection.run_sync(listings.tenants_listed))
    if asked.verb == "GetRecord" or "identifier" in asked.arguments:
        return await _one(service, connection, repository, asked)
    if asked.verb == "ListMetadataFormats":
        return oai.formats()
    found = await connection.run_sync(
        listings.changed_listings, service.release_key, asked.span, asked.after, oai.PAGE + 1
    )
    shown = [listing.release for listing in found[: oai.PAGE] if listing.release is not None]
    facts = await described(service, connection, shown, repository.base) if asked.verb == "ListRecords" else []
    known = {UUID(one.id): one for one in facts}
    return oai.records(repository, asked, found, known)


async def _one(service: Service, connection: AsyncConnection, repository: Repository, asked: Asked) -> oai.Element:
    release_id = repository.release_id(asked.arguments["identifier"])
    listing = await connection.run_sync(listings.get_listing, service.release_key, release_id)
    if listing is None:
        raise OaiError("idDoesNotExist", "There is no such record.")
    if asked.verb == "ListMetadataFormats":
        return oai.formats()
    release = listing.release
    facts = None if release is None else await facts_of(service, connection, release, repository.base)
    return oai.record(repository, listing, facts)
