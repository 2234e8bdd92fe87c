"""Tenants, their tokens, and the responses stored for repeated requests."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Tenant(Base):
    __tablename__ = "tenants"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Tally(Base):
    """Running totals of a tenant's usage; the database itself updates them as each transaction commits."""

    __tablename__ = "tallies"
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), primary_key=True)
    change: Mapped[int] = mapped_column(BigInteger, primary_key=True, server_default="0")
    """0 for the total; another number for a change that is not in it yet. The usage is the sum of all rows."""
    originals: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Stored bytes of originals."""
    jobs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Jobs that wait or run."""


class Token(Base):
    """An access token; only a keyed digest of its text is kept."""

    __tablename__ = "tokens"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), index=True)
    name: Mapped[str]
    role: Mapped[str]
    digest: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    parent_id: Mapped[UUID | None] = mapped_column(ForeignKey("tokens.id"))
    """For a session: the token that it acts as."""
    mac: Mapped[bytes]
    """Binds the token's principal and expiry to its digest, under the token key."""


class Idempotency(Base):
    """The response to a creating request that came with a key; written in the transaction that created the resource."""

    __tablename__ = "idempotency"
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    status: Mapped[int]
    headers: Mapped[dict[str, Any]]
    body: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the response to its key, under the release key."""
    __table_args__ = (Index("idempotency_by_age", "created_at"),)
