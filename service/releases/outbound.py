"""Outbound data: checks of addresses and publications, and API responses about both."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from api_schemas.data.cards import missing_in
from api_schemas.data.portals import PublicationRequest, Step, stored_steps
from api_schemas.schema import rfc3339
from service.http.parameters import identity_or_none
from service.http.problems import Problem, fault, invalid
from service.releases.serializers import Json
from service.runtime.state import Service
from storage.datasets.datasets import DatasetRecord
from storage.outbound import portals, webhooks
from storage.outbound.addresses import BadAddress, allowed_by, resolve
from storage.outbound.deliveries import DeliveryRecord
from storage.outbound.portals import PortalRecord
from storage.outbound.publications import PublicationRecord
from storage.outbound.webhooks import WebhookRecord
from storage.releases import cards

_KEPT = "Copies on a portal may remain after their release is withdrawn"


async def check_address(service: Service, url: str, *, bare: bool = False) -> None:
    """Refuse an address that the courier would not connect to; the courier checks it again before it sends anything."""
    try:
        target = await resolve(url, allowed_by(service.settings.outbound_networks))
    except BadAddress as error:
        raise invalid("invalid-request", "/url", str(error)) from None
    if bare and target.url.query:
        raise invalid("invalid-request", "/url", "must be the address of the portal, without a query")


def check_publication(request: PublicationRequest, portal: PortalRecord, pointer: str = "") -> None:
    """Refuse irreversible actions unless the request acknowledges them."""
    if request.mode == "upload" and not request.acknowledge_copies:
        raise invalid("invalid-request", f"{pointer}/acknowledge_copies", f"must be true to upload. {_KEPT}")
    if portal.kind == "invenio" and not request.irrevocable:
        detail = "must be true: a record published on this portal cannot be withdrawn"
        raise invalid("invalid-request", f"{pointer}/irrevocable", detail)


async def accept_steps(
    service: Service,
    connection: AsyncConnection,
    dataset: DatasetRecord,
    then: Sequence[Step] | None,
    base: Callable[[], str],
    pointer: str = "/then",
) -> dict[str, Any] | None:
    """The steps after a job in their stored form, if all of them can be done once the job is released."""
    if then is None:
        return None
    for place, step in enumerate(then):
        await _check_step(service, connection, dataset.tenant_id, step, f"{pointer}/{place}")
    if all(step.publish is None for step in then):
        return stored_steps(then, "")
    whose = (service.release_key, dataset.tenant_id, dataset.id)
    missing = missing_in(await connection.run_sync(cards.upcoming_card, *whose))
    if missing:
        faults = [fault(f"/about/{name}", "is required before a release may be public") for name in missing]
        detail = f"To be published, a release needs {', '.join(missing)} on the card of its upload or tenant."
        raise Problem("incomplete-card", detail, errors=faults)
    return stored_steps(then, base())


async def _check_step(service: Service, connection: AsyncConnection, tenant_id: UUID, step: Step, pointer: str) -> None:
    if step.publish is None:
        webhook_id = identity_or_none(step.webhook or "")
        known = await connection.run_sync(webhooks.known_webhooks, tenant_id, [webhook_id] if webhook_id else [])
        if webhook_id not in known:
            raise invalid("invalid-request", f"{pointer}/webhook", "there is no such webhook")
        return
    portal_id = identity_or_none(step.publish.portal)
    found = (
        None
        if portal_id is None
        else await connection.run_sync(portals.get_portal, service.release_key, tenant_id, portal_id)
    )
    if found is None:
        raise invalid("invalid-request", f"{pointer}/publish/portal", "there is no such portal")
    check_publication(step.publish, found, f"{pointer}/publish")


def webhook_answer(webhook: WebhookRecord) -> Json:
    """A webhook without its secret."""
    return {
        "id": str(webhook.id),
        "url": webhook.url,
        "events": webhook.events,
        "description": webhook.description,
        "created_at": rfc3339(webhook.created_at),
        "former_until": rfc3339(webhook.former_until),
        "failing_since": rfc3339(webhook.failing_since),
        "disabled_at": rfc3339(webhook.disabled_at),
        "disabled_reason": webhook.disabled_reason,
    }


def delivery_answer(delivery: DeliveryRecord) -> Json:
    """One event for one webhook."""
    return {
        "id": str(delivery.id),
        "webhook_id": str(delivery.webhook_id),
        "type": delivery.type,
        "data": delivery.ids,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_at": rfc3339(delivery.next_at) if delivery.state == "pending" else None,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "created_at": rfc3339(delivery.created_at),
        "delivered_at": rfc3339(delivery.delivered_at),
    }


def portal_answer(portal: PortalRecord) -> Json:
    """A portal without its key."""
    return {
        "id": str(portal.id),
        "kind": portal.kind,
        "name": portal.name,
        "url": portal.url,
        "collection": portal.options.get("collection"),
        "subject": portal.options.get("subject"),
        "created_at": rfc3339(portal.created_at),
    }


def publication_answer(publication: PublicationRecord) -> Json:
    """A release on a portal."""
    return {
        "id": str(publication.id),
        "release_id": str(publication.release_id),
        "portal": str(publication.portal_id),
        "mode": publication.mode,
        "state": publication.state,
        "reason": publication.reason,
        "url": publication.remote.get("url"),
        "attempts": publication.attempts,
        "created_at": rfc3339(publication.created_at),
        "changed_at": rfc3339(publication.changed_at),
    }
