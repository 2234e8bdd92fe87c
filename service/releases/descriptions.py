"""Descriptions: releases with their cards, as API responses, metadata and links."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection

from api_schemas.data.cards import missing_in
from metadata.facts import Facts
from metadata.records import facts_of_record
from metadata.signposting import page_data, page_links
from service.http.parameters import identity
from service.http.problems import Problem, fault
from service.releases.serializers import Json, release_answer
from service.runtime.addresses import base_of
from service.runtime.state import Service, service_of
from storage.releases import cards, listings, releases
from storage.releases.cards import CardInForce
from storage.releases.releases import ReleaseRecord


async def answers_of(request: Request, connection: AsyncConnection, found: Sequence[ReleaseRecord]) -> list[Json]:
    """Releases of a list as the API shows them, with their cards; none whose card was changed."""
    known = await connection.run_sync(cards.cards_of, service_of(request).release_key, found)
    base = base_of(request)
    return [release_answer(release, known[release.id].content, base) for release in found if release.id in known]


async def answer_of(request: Request, connection: AsyncConnection, release: ReleaseRecord) -> Json:
    """One release as the API shows it."""
    card = await connection.run_sync(cards.card_of, service_of(request).release_key, release)
    return release_answer(release, card.content, base_of(request))


async def described(
    service: Service, connection: AsyncConnection, found: Sequence[ReleaseRecord], base: str
) -> list[Facts]:
    """The facts from which the metadata of a list of releases is made; none whose card was changed."""
    known = await connection.run_sync(cards.cards_of, service.release_key, found)
    names = await connection.run_sync(listings.names_of_tenants, [release.tenant_id for release in found])
    shown = [release for release in found if release.id in known]
    return [facts_of_record(release, known[release.id], base, names[release.tenant_id]) for release in shown]


async def facts_of(service: Service, connection: AsyncConnection, release: ReleaseRecord, base: str) -> Facts:
    """The facts from which the metadata of one release is made."""
    card = await connection.run_sync(cards.card_of, service.release_key, release)
    names = await connection.run_sync(listings.names_of_tenants, [release.tenant_id])
    return facts_of_record(release, card, base, names[release.tenant_id])


@dataclass(frozen=True)
class Signposts:
    """Machine-readable data in the page of a public release."""

    links: str
    """The value of the header ``Link``."""
    data: dict[str, object]
    """JSON-LD for search engines."""


async def signposts_of(request: Request, release_id: str) -> Signposts | None:
    """The signposts of a public release; None if there is no such release."""
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(releases.get_release, service.release_key, None, identity(release_id))
        if found is None:
            return None
        facts = await facts_of(service, connection, found, base_of(request))
    return Signposts(page_links(facts), page_data(facts))


def require_complete(card: CardInForce) -> None:
    """Require the card of a public release to be complete: what it is, its publisher, license and contact."""
    missing = missing_in(card.content)
    if missing:
        faults = [fault(f"/about/{name}", "is required before the release may be public") for name in missing]
        detail = f"A public release needs {', '.join(missing)} on its card: PUT /v1/releases/{{id}}/about."
        raise Problem("incomplete-card", detail, errors=faults)
