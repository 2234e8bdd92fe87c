"""Advice on datasets."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Advice(Base):
    """What a worker proposes for a dataset that it profiled; without a value of it."""

    __tablename__ = "advice"
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    content: Mapped[dict[str, Any]]
    """A policy, and the reasons for it."""
    findings: Mapped[dict[str, Any]]
    """For each column that should not be released as it is, why."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
