"""Webhooks: addresses that receive events, and their deliveries (Standard Webhooks)."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api_schemas.schema import Answer, Body, Name, Page

EventName = Literal[
    "job.released",
    "job.refused",
    "job.failed",
    "job.cancelled",
    "job.assessed",
    "release.published",
    "release.withdrawn",
    "release.audience",
    "dataset.deleted",
    "publication.failed",
    "audit.broken",
]
OutboundUrl = Annotated[str, StringConstraints(min_length=8, max_length=2000)]


class WebhookRequest(Body):
    """An address that will receive events."""

    url: OutboundUrl
    """Public https address; operators may allow others."""
    events: Annotated[list[EventName], Field(min_length=1, max_length=20)]
    description: Name | None = None


class Webhook(Answer):
    """A stored webhook: everything except its secret."""

    id: str
    url: str
    events: list[EventName]
    description: str | None = None
    created_at: str
    former_until: str | None = None
    """Until when deliveries are also signed with the secret from before the last rotation."""
    failing_since: str | None = None
    disabled_at: str | None = None
    """When it was disabled because it answered 410 or failed for days. Create a new webhook instead."""
    disabled_reason: str | None = None


class NewWebhook(Webhook):
    """A webhook with its new secret, which is shown only this once and not when the request is repeated."""

    secret: str | None = None
    """Secret that verifies the signatures of its deliveries; begins with ``whsec_``."""


class WebhookPage(Page):
    """Webhooks, newest first."""

    items: list[Webhook]


class Delivery(Answer):
    """One event for one webhook."""

    id: str
    """Sent as ``webhook-id``; the same for every attempt."""
    webhook_id: str
    type: str
    data: dict[str, str]
    """Ids of the resources that the event is about."""
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    next_at: str | None = None
    """When the next attempt is due."""
    last_status: int | None = None
    last_error: str | None = None
    created_at: str
    delivered_at: str | None = None


class DeliveryPage(Page):
    """Deliveries, newest first."""

    items: list[Delivery]
