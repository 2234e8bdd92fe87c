"""The audit trail."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class AuditEvent(Base):
    """One link of a tenant's audit chain; rows are only ever added."""

    __tablename__ = "audit_events"
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str]
    """``token:<id>``, ``worker`` or ``system``."""
    action: Mapped[str]
    """Such as ``dataset.upload``, ``job.submit``, ``release.publish``, ``token.revoke``."""
    subject: Mapped[str]
    details: Mapped[dict[str, Any]]
    previous: Mapped[bytes]
    digest: Mapped[bytes]
