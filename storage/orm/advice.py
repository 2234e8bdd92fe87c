"""Advice on datasets."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Advice(Base):
    """A worker's proposal for a dataset that it profiled; it contains no value of the dataset."""

    __tablename__ = "advice"
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    content: Mapped[dict[str, Any]]
    """A policy, and the reasons for it."""
    findings: Mapped[dict[str, Any]]
    """For each column that should not be released unchanged, the reason."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
