"""Delivering to webhooks: sign, call, record; at least once, under one id."""

import json
import logging
import time
from datetime import UTC, datetime

from sqlalchemy import Connection

from api_schemas.schema import rfc3339
from courier.backoff import wait_after
from courier.calls import NoAnswer
from courier.context import Context
from courier.signatures import signature_headers
from storage import failpoints
from storage.audit import audit
from storage.crypto.sealed_secrets import open_secret
from storage.errors import Forged
from storage.logs import log, log_failure
from storage.outbound import deliveries
from storage.outbound.deliveries import DeliveryRecord, Parcel
from storage.outbound.webhooks import WebhookRecord, require_bound

_LOGGER = logging.getLogger(__name__)
ACTOR = "courier"
_GONE = 410


async def deliver(context: Context, parcel: Parcel) -> None:
    """One attempt at one delivery."""
    status, error = None, "the stored webhook was changed"
    try:
        status, error = await _attempt(context, parcel)
    except NoAnswer as silence:
        error = str(silence)
    except Forged as forged:
        log_failure(_LOGGER, "a webhook was changed", forged, webhook=str(parcel.webhook.id))
    # A courier that dies here has sent but not recorded: after the lease the same id is sent again.
    failpoints.reach("webhook_sent")
    delivered = status is not None and 200 <= status < 300
    context.metrics.deliveries.labels("delivered" if delivered else "failed").inc()
    await context.transact(_record_attempt, context, parcel, status, None if delivered else error)
    log(
        _LOGGER,
        "a webhook was called",
        delivery=str(parcel.delivery.id),
        attempt=parcel.delivery.attempts,
        status=status,
        delivered=delivered,
    )


async def _attempt(context: Context, parcel: Parcel) -> tuple[int, str]:
    webhook, delivery = parcel.webhook, parcel.delivery
    # Before the secret is opened: an address that was changed in the database must not get anything signed.
    require_bound(context.release_key, webhook)
    body = body_of(delivery)
    headers = signature_headers(_secrets(context, webhook), str(delivery.id), int(time.time()), body)
    headers |= {"Content-Type": "application/json"}
    reply = await context.caller.call("POST", webhook.url, headers=headers, content=body)
    return reply.status, f"answered {reply.status}"


def body_of(delivery: DeliveryRecord) -> bytes:
    """The body: the type, the time of the event and ids. It has the same bytes in every attempt."""
    event = {"type": delivery.type, "timestamp": rfc3339(delivery.created_at), "data": delivery.ids}
    return json.dumps(event, sort_keys=True, separators=(",", ":")).encode()


def _secrets(context: Context, webhook: WebhookRecord) -> list[str]:
    """The secrets that sign: the newest and, for a day, the previous one."""
    # Both sign for a day, so that a receiver can change its secret without losing a delivery.
    sealed = [webhook.secret]
    if webhook.former_secret is not None and webhook.former_until is not None:
        sealed += [webhook.former_secret] if webhook.former_until > datetime.now(UTC) else []
    return [open_secret(context.private_key, webhook.id, webhook.url, secret).decode() for secret in sealed]


def _record_attempt(c: Connection, context: Context, parcel: Parcel, status: int | None, error: str | None) -> None:
    delivery, settings = parcel.delivery, context.settings
    if error is None and status is not None:
        deliveries.note_delivered(c, delivery, status)
    elif status == _GONE:
        deliveries.give_up(c, delivery, status, "answered 410: it is gone")
        _disable(c, parcel, "it answered 410")
    else:
        wait = wait_after(settings.webhook_backoff, delivery.attempts)
        deliveries.note_failed(c, delivery, status, error or "", wait)
        if deliveries.failing_longer_than(c, delivery.webhook_id, settings.webhook_failing_days):
            _disable(c, parcel, f"it failed for {settings.webhook_failing_days:g} days")


def _disable(c: Connection, parcel: Parcel, reason: str) -> None:
    if deliveries.disable(c, parcel.webhook.id, reason):
        audit.append(c, parcel.webhook.tenant_id, ACTOR, "webhook.disable", str(parcel.webhook.id), {"reason": reason})
