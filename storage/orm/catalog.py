"""Cards of releases, and when a release's entry in the open catalog last changed."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Card(Base):
    """One version of a card; versions are only ever added."""

    __tablename__ = "cards"
    subject: Mapped[UUID] = mapped_column(primary_key=True)
    """The release, the dataset (as uploaded) or the tenant (for all its releases) that it describes."""
    version: Mapped[int] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    content: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds this row, under the release key."""


class Listing(Base):
    """A release that is or was public. It holds only a time; the release's own row shows whether it is public now."""

    __tablename__ = "listings"
    release_id: Mapped[UUID] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    __table_args__ = (
        Index("listings_by_change", "changed_at", "release_id"),
        Index("listings_by_tenant", "tenant_id"),
    )
