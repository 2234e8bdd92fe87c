"""Events: changes that webhooks are notified of.

A delivery is written in the transaction of the change that it reports, one for each webhook that subscribed to it. It
contains only ids: the receiver asks the API for the rest, with its own token.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, and_, any_, func, insert, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import Text, Uuid

from storage.orm import Delivery, Webhook

EVENTS = (
    *("job.released", "job.refused", "job.failed", "job.cancelled", "job.assessed"),
    *("release.published", "release.withdrawn", "release.audience"),
    *("dataset.deleted", "publication.failed", "audit.broken"),
)
"""Every event that a webhook can subscribe to."""
TEST = "webhook.test"
"""The event that tests a webhook."""
_BROKEN_AGAIN = timedelta(days=1)


def emit(c: Connection, tenant_id: UUID, event: str, ids: Mapping[str, UUID | None], also: Sequence[UUID] = ()) -> None:
    """Write a delivery for every webhook of the tenant that subscribed to the event, and for those in ``also``."""
    wanted = or_(literal(event) == any_(Webhook.events), Webhook.id == any_(literal(list(also), ARRAY(Uuid))))
    _deliver(c, tenant_id, event, ids, wanted)


def emit_job(c: Connection, job: Any, status: str, release_id: UUID | None = None) -> None:
    """Report the end of a job; the row has ``id``, ``tenant_id``, ``dataset_id`` and ``then``."""
    ids = {"job_id": job.id, "dataset_id": job.dataset_id, "release_id": release_id}
    emit(c, job.tenant_id, f"job.{status}", ids, webhooks_in(job.then))


def webhooks_in(then: Mapping[str, Any] | None) -> list[UUID]:
    """The webhooks to notify of a job's end, whatever they subscribed to."""
    return [UUID(step["webhook"]) for step in (then or {}).get("steps", ()) if "webhook" in step]


def emit_broken(c: Connection, tenant_id: UUID) -> None:
    """Report a broken audit chain at most once a day, since every check finds it broken again."""
    earlier = select(Delivery.id).where(
        Delivery.webhook_id == Webhook.id,
        Delivery.type == "audit.broken",
        Delivery.created_at > func.now() - _BROKEN_AGAIN,
    )
    # Selects the id only: the sweeper may not read the other columns.
    sent = earlier.correlate(Webhook).exists()
    wanted = and_(literal("audit.broken") == any_(Webhook.events), ~sent)
    _deliver(c, tenant_id, "audit.broken", {"tenant_id": tenant_id}, wanted)


def _deliver(
    c: Connection, tenant_id: UUID, event: str, ids: Mapping[str, UUID | None], wanted: ColumnElement[bool]
) -> None:
    named = {name: str(value) for name, value in ids.items() if value is not None}
    chosen = select(
        func.gen_random_uuid(),
        Webhook.id,
        literal(tenant_id, Uuid),
        literal(event, Text),
        literal(named, JSONB),
    ).where(Webhook.tenant_id == tenant_id, Webhook.deleted_at.is_(None), Webhook.disabled_at.is_(None), wanted)
    c.execute(insert(Delivery).from_select(["id", "webhook_id", "tenant_id", "type", "ids"], chosen))
