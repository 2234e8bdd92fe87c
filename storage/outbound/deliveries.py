"""Deliveries: events sent, or still to be sent, to webhooks.

The courier claims due deliveries with one statement on the database's clock, which gives it a lease; an attempt is
counted when it begins. If a courier dies between sending and recording, its lease expires and the same delivery is
sent again under the same id: at least once, never under two ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Delivery, Webhook
from storage.outbound.webhooks import COLUMNS as WEBHOOK_COLUMNS
from storage.outbound.webhooks import WebhookRecord, fail_pending
from storage.trail.events import TEST

KEPT_DAYS = 30
"""Days for which a delivery is listed after it was written."""


@dataclass(frozen=True)
class DeliveryRecord:
    """One event for one webhook."""

    id: UUID
    webhook_id: UUID
    tenant_id: UUID
    type: str
    ids: dict[str, Any]
    state: str
    attempts: int
    next_at: datetime
    last_status: int | None
    last_error: str | None
    created_at: datetime
    delivered_at: datetime | None


@dataclass(frozen=True)
class Parcel:
    """A claimed delivery, and the webhook to send it to."""

    delivery: DeliveryRecord
    webhook: WebhookRecord


_COLUMNS = columns_of(DeliveryRecord, Delivery)
_IDLE = or_(Delivery.lease_until.is_(None), Delivery.lease_until < func.now())
DUE = and_(Delivery.state == "pending", Delivery.next_at <= func.now(), _IDLE)


def list_deliveries(
    c: Connection, tenant_id: UUID, webhook_id: UUID, limit: int, cursor: str | None = None
) -> Page[DeliveryRecord]:
    """Deliveries of a webhook, newest first."""
    statement = select(*_COLUMNS).where(Delivery.webhook_id == webhook_id, Delivery.tenant_id == tenant_id)
    order = (Delivery.created_at, Delivery.id)
    return fetch_page(
        c, statement, order, limit, cursor, lambda row: DeliveryRecord(*row), lambda item: (item.created_at, item.id)
    )


def get_delivery(c: Connection, tenant_id: UUID, delivery_id: UUID) -> DeliveryRecord | None:
    """A delivery of the tenant."""
    statement = select(*_COLUMNS).where(Delivery.id == delivery_id, Delivery.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    return None if row is None else DeliveryRecord(*row)


def send_test(c: Connection, webhook: WebhookRecord) -> DeliveryRecord:
    """Write a test delivery, which contains only the webhook's own id."""
    ids = {"webhook_id": str(webhook.id)}
    values = {"id": uuid4(), "webhook_id": webhook.id, "tenant_id": webhook.tenant_id, "type": TEST, "ids": ids}
    return DeliveryRecord(*c.execute(insert(Delivery).values(**values).returning(*_COLUMNS)).one())


def send_again(c: Connection, delivery_id: UUID) -> DeliveryRecord:
    """Queue a delivery to be sent once more, now, under the same id."""
    statement = update(Delivery).where(Delivery.id == delivery_id).values(state="pending", next_at=func.now())
    return DeliveryRecord(*c.execute(statement.returning(*_COLUMNS)).one())


def claim(c: Connection, lease_seconds: float, most: int, most_of_one: int, busy: Sequence[UUID] = ()) -> list[Parcel]:
    """Claim due deliveries, at most ``most_of_one`` per webhook and none of busy webhooks.

    A webhook with a long queue leaves room for the others.
    """
    place = func.row_number().over(partition_by=Delivery.webhook_id, order_by=(Delivery.next_at, Delivery.id))
    ranked = select(Delivery.id, place.label("place")).where(DUE, Delivery.webhook_id.not_in(busy)).subquery("ranked")
    chosen = select(ranked.c.id).where(ranked.c.place <= most_of_one).order_by(ranked.c.place).limit(most)
    # Due is checked again on the locked rows: another courier may have claimed them since they were ranked.
    locked = select(Delivery.id).where(Delivery.id.in_(chosen), DUE).with_for_update(skip_locked=True).subquery("due")
    lease = func.now() + timedelta(seconds=lease_seconds)
    taken = (
        update(Delivery)
        .where(Delivery.id == locked.c.id, Webhook.id == Delivery.webhook_id)
        .values(lease_until=lease, attempts=Delivery.attempts + 1)
        .returning(*_COLUMNS, *WEBHOOK_COLUMNS)
    )
    width = len(_COLUMNS)
    return [Parcel(DeliveryRecord(*row[:width]), WebhookRecord(*row[width:])) for row in c.execute(taken)]


def note_delivered(c: Connection, delivery: DeliveryRecord, status: int) -> None:
    """Record that a webhook received a delivery; this ends its run of failures."""
    _lock_webhook(c, delivery.webhook_id)
    values = {"state": "delivered", "last_status": status, "last_error": None, "delivered_at": func.now()}
    _note(c, delivery, values)
    failing = update(Webhook).where(Webhook.id == delivery.webhook_id, Webhook.failing_since.is_not(None))
    c.execute(failing.values(failing_since=None))


def note_failed(c: Connection, delivery: DeliveryRecord, status: int | None, error: str, again_after: float) -> None:
    """Record why an attempt failed, and schedule the next one."""
    _lock_webhook(c, delivery.webhook_id)
    again = func.now() + timedelta(seconds=again_after)
    _note(c, delivery, {"next_at": again, "last_status": status, "last_error": error})
    working = update(Webhook).where(Webhook.id == delivery.webhook_id, Webhook.failing_since.is_(None))
    c.execute(working.values(failing_since=func.now()))


def give_up(c: Connection, delivery: DeliveryRecord, status: int | None, error: str) -> None:
    """Record that a delivery will not be tried again."""
    _lock_webhook(c, delivery.webhook_id)
    _note(c, delivery, {"state": "failed", "last_status": status, "last_error": error})


def _lock_webhook(c: Connection, webhook_id: UUID) -> None:
    """Lock a webhook before its deliveries, in the same order as deleting or disabling it, to avoid deadlocks."""
    c.execute(select(Webhook.id).where(Webhook.id == webhook_id).with_for_update())


def _note(c: Connection, delivery: DeliveryRecord, values: dict[str, Any]) -> None:
    """Write nothing if the lease was lost meanwhile: the delivery then belongs to a later attempt."""
    # The number of the attempt is the fence: it grows with every claim.
    mine = and_(Delivery.id == delivery.id, Delivery.attempts == delivery.attempts, Delivery.state == "pending")
    c.execute(update(Delivery).where(mine).values(**values, lease_until=None))


def failing_longer_than(c: Connection, webhook_id: UUID, days: float) -> bool:
    """Whether a webhook has failed without a success for this long."""
    since = Webhook.failing_since < func.now() - timedelta(days=days)
    return c.execute(select(Webhook.id).where(Webhook.id == webhook_id, since)).one_or_none() is not None


def disable(c: Connection, webhook_id: UUID, reason: str) -> bool:
    """Stop calling a webhook, and fail its pending deliveries; False if it already was disabled."""
    statement = update(Webhook).where(Webhook.id == webhook_id, Webhook.disabled_at.is_(None))
    if c.execute(statement.values(disabled_at=func.now(), disabled_reason=reason)).rowcount != 1:
        return False
    fail_pending(c, webhook_id)
    return True


def forget_old(c: Connection) -> int:
    """Delete deliveries that are no longer listed; return the count."""
    old = Delivery.created_at < func.now() - timedelta(days=KEPT_DAYS)
    return c.execute(delete(Delivery).where(old, Delivery.state != "pending")).rowcount
