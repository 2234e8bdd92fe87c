"""The courier's tables: webhooks and their deliveries, portals and the publications of releases on them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Webhook(Base):
    """An address that is notified of events; its secrets are sealed to the courier."""

    __tablename__ = "webhooks"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    url: Mapped[str]
    events: Mapped[list[str]]
    description: Mapped[str | None]
    secret: Mapped[bytes]
    """The newest secret, sealed."""
    former_secret: Mapped[bytes | None]
    """The previous secret, sealed; it also signs until ``former_until``."""
    former_until: Mapped[datetime | None]
    created_by: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds tenant, address, events and secrets, under the release key."""
    failing_since: Mapped[datetime | None]
    """When the current run of failures began; None after a success."""
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]
    deleted_at: Mapped[datetime | None]
    __table_args__ = (Index("webhooks_by_tenant", "tenant_id", "created_at", "id"),)


class Delivery(Base):
    """One event for one webhook, written in the transaction of the change that it reports."""

    __tablename__ = "deliveries"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    """Sent as ``webhook-id``, the same with every attempt."""
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhooks.id"))
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    type: Mapped[str]
    ids: Mapped[dict[str, Any]]
    """Ids of the subjects of the event, and nothing else."""
    state: Mapped[str] = mapped_column(server_default="pending")
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime] = mapped_column(server_default=func.now())
    lease_until: Mapped[datetime | None]
    last_status: Mapped[int | None]
    last_error: Mapped[str | None]
    """Why the last attempt failed, in our own words."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    delivered_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("state IN ('pending','delivered','failed')", "deliveries_state"),
        Index("deliveries_by_webhook", "webhook_id", "created_at", "id"),
        Index("deliveries_due", "next_at", postgresql_where=text("state = 'pending'")),
        Index("deliveries_by_age", "created_at"),
    )


class Portal(Base):
    """A data portal that releases can be sent to; its credentials are sealed to the courier."""

    __tablename__ = "portals"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    kind: Mapped[str]
    name: Mapped[str]
    url: Mapped[str]
    options: Mapped[dict[str, Any]]
    """Such as the collection that releases are put into."""
    credentials: Mapped[bytes]
    created_by: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds all of the above, under the release key."""
    deleted_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("kind IN ('ckan','dataverse','invenio')", "portals_kind"),
        Index("portals_by_tenant", "tenant_id", "created_at", "id"),
    )


class Publication(Base):
    """A release on a portal: its intended and its actual state."""

    __tablename__ = "publications"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    release_id: Mapped[UUID] = mapped_column(ForeignKey("releases.id"))
    portal_id: Mapped[UUID] = mapped_column(ForeignKey("portals.id"))
    mode: Mapped[str]
    base: Mapped[str]
    """The base URL of links to this service."""
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds all of the above, under the release key."""
    state: Mapped[str] = mapped_column(server_default="queued")
    reason: Mapped[str | None]
    """Why it failed or could not be removed, or what is left on the portal; in our own words."""
    remote: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    """The portal's ids of it."""
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime] = mapped_column(server_default=func.now())
    lease_until: Mapped[datetime | None]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    __table_args__ = (
        CheckConstraint("mode IN ('link','upload')", "publications_mode"),
        CheckConstraint(
            "state IN ('queued','published','failed','withdrawing','withdrawn','could_not_be_removed')",
            "publications_state",
        ),
        UniqueConstraint("release_id", "portal_id"),
        Index("publications_by_portal", "portal_id"),
        Index("publications_due", "next_at", postgresql_where=text("state IN ('queued','withdrawing')")),
    )
