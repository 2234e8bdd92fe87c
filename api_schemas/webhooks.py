"""Webhooks: addresses that hear of events, and what they heard (Standard Webhooks)."""

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
    """An address that is to hear of events."""

    url: OutboundUrl
    """A public https address; operators may allow others."""
    events: Annotated[list[EventName], Field(min_length=1, max_length=20)]
    description: Name | None = None


class Webhook(Answer):
    """What is kept of a webhook: everything but its secret."""

    id: str
    url: str
    events: list[EventName]
    description: str | None = None
    created_at: str
    former_until: str | None = None
    """Until then the secret before the last rotation signs too."""
    failing_since: str | None = None
    disabled_at: str | None = None
    """When it was disabled, because it answered 410 or failed for days. Make another one."""
    disabled_reason: str | None = None


class NewWebhook(Webhook):
    """A webhook with its new secret: this once only, and not in a repeated answer."""

    secret: str | None = None
    """``whsec_…``: what the signatures of its deliveries are checked with."""


class WebhookPage(Page):
    """Webhooks, newest first."""

    items: list[Webhook]


class Delivery(Answer):
    """One event for one webhook."""

    id: str
    """Sent as ``webhook-id``, the same with every attempt."""
    webhook_id: str
    type: str
    data: dict[str, str]
    """Ids of what the event is about."""
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    next_at: str | None = None
    """When it is tried again."""
    last_status: int | None = None
    last_error: str | None = None
    created_at: str
    delivered_at: str | None = None


class DeliveryPage(Page):
    """Deliveries, newest first."""

    items: list[Delivery]
