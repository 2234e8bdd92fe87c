"""Webhooks: addresses that are notified of a tenant's events, with secrets that only the courier can open."""

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from sqlalchemy import Connection, func, insert, select, update

from storage.crypto.authenticity import mac_of, require_authentic
from storage.crypto.sealed_secrets import seal_secret
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Delivery, Webhook

MOST = 50
"""Most webhooks of one tenant."""
BOTH_SIGN = timedelta(hours=24)
"""Time for which the former secret signs along with the new one."""
_KIND = "webhook"
_SECRET_BYTES = 32
PREFIX = "whsec_"


@dataclass(frozen=True)
class WebhookRecord:
    """One webhook."""

    id: UUID
    tenant_id: UUID
    url: str
    events: list[str]
    description: str | None
    secret: bytes
    former_secret: bytes | None
    former_until: datetime | None
    created_by: UUID
    created_at: datetime
    mac: bytes
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_reason: str | None


COLUMNS = columns_of(WebhookRecord, Webhook)
_KEPT = Webhook.deleted_at.is_(None)
_BOUND = ("id", "tenant_id", "url", "events", "secret", "former_secret", "former_until", "created_by")


@dataclass(frozen=True)
class WebhookDraft:
    """A webhook about to be created."""

    tenant_id: UUID
    url: str
    events: Sequence[str]
    description: str | None
    created_by: UUID


def new_secret() -> str:
    """A new secret, in the form shown once to its receiver (Standard Webhooks)."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def create_webhook(
    c: Connection, keys: bytes, courier: X25519PublicKey, draft: WebhookDraft
) -> tuple[WebhookRecord, str]:
    """Create a webhook; from now on only the courier can read the returned secret."""
    text, webhook_id = new_secret(), uuid4()
    values: dict[str, Any] = {
        **vars(draft),
        "id": webhook_id,
        "events": list(draft.events),
        "secret": seal_secret(courier, webhook_id, draft.url, text.encode()),
        "former_secret": None,
        "former_until": None,
    }
    statement = insert(Webhook).values(**values, mac=mac_of(keys, _KIND, [values[name] for name in _BOUND]))
    return WebhookRecord(*c.execute(statement.returning(*COLUMNS)).one()), text


def require_bound(keys: bytes, record: WebhookRecord) -> None:
    """Raise `Forged` if the webhook was changed after it was registered."""
    require_authentic(keys, _KIND, [getattr(record, name) for name in _BOUND], record.mac)


def count_webhooks(c: Connection, tenant_id: UUID) -> int:
    """The number of webhooks of a tenant."""
    statement = select(func.count()).select_from(Webhook).where(Webhook.tenant_id == tenant_id, _KEPT)
    return int(c.execute(statement).scalar_one())


def get_webhook(c: Connection, tenant_id: UUID, webhook_id: UUID) -> WebhookRecord | None:
    """A webhook of the tenant."""
    statement = select(*COLUMNS).where(Webhook.id == webhook_id, Webhook.tenant_id == tenant_id, _KEPT)
    row = c.execute(statement).one_or_none()
    return None if row is None else WebhookRecord(*row)


def known_webhooks(c: Connection, tenant_id: UUID, webhook_ids: Sequence[UUID]) -> set[UUID]:
    """The ids, among these, of webhooks that the tenant has and may use."""
    usable = (Webhook.tenant_id == tenant_id, _KEPT, Webhook.disabled_at.is_(None))
    return set(c.execute(select(Webhook.id).where(Webhook.id.in_(webhook_ids), *usable)).scalars())


def list_webhooks(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[WebhookRecord]:
    """The tenant's webhooks, newest first."""
    statement = select(*COLUMNS).where(Webhook.tenant_id == tenant_id, _KEPT)
    order = (Webhook.created_at, Webhook.id)
    return fetch_page(
        c, statement, order, limit, cursor, lambda row: WebhookRecord(*row), lambda item: (item.created_at, item.id)
    )


def delete_webhook(c: Connection, tenant_id: UUID, webhook_id: UUID) -> bool:
    """Delete a webhook; its pending deliveries fail."""
    statement = update(Webhook).where(Webhook.id == webhook_id, Webhook.tenant_id == tenant_id, _KEPT)
    gone = c.execute(statement.values(deleted_at=func.now())).rowcount == 1
    if gone:
        fail_pending(c, webhook_id)
    return gone


def fail_pending(c: Connection, webhook_id: UUID) -> None:
    """Fail what a webhook that is never called again was still to receive."""
    # A lease may stay: only pending deliveries are claimed, and the service may not change leases.
    waiting = update(Delivery).where(Delivery.webhook_id == webhook_id, Delivery.state == "pending")
    c.execute(waiting.values(state="failed"))


def rotate_secret(
    c: Connection, keys: bytes, courier: X25519PublicKey, tenant_id: UUID, webhook_id: UUID
) -> tuple[WebhookRecord, str] | None:
    """Give a webhook a new secret; the former one also signs for a day. None if the tenant has no such webhook."""
    statement = select(*COLUMNS).where(Webhook.id == webhook_id, Webhook.tenant_id == tenant_id, _KEPT)
    row = c.execute(statement.with_for_update()).one_or_none()
    if row is None:
        return None
    held, text = WebhookRecord(*row), new_secret()
    require_bound(keys, held)
    until: datetime = c.execute(select(func.now() + BOTH_SIGN)).scalar_one()
    sealed = seal_secret(courier, webhook_id, held.url, text.encode())
    turned = replace(held, secret=sealed, former_secret=held.secret, former_until=until)
    bound = mac_of(keys, _KIND, [getattr(turned, name) for name in _BOUND])
    changed = {"secret": sealed, "former_secret": held.secret, "former_until": until, "mac": bound}
    c.execute(update(Webhook).where(Webhook.id == webhook_id).values(**changed))
    return replace(turned, mac=bound), text
