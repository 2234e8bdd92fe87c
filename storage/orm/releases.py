"""Releases, their artifacts, reports and comparisons."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Integer, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Release(Base):
    __tablename__ = "releases"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), unique=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"))
    lineage_id: Mapped[UUID] = mapped_column(index=True)
    kind: Mapped[str]
    name: Mapped[str]
    shape: Mapped[dict[str, Any]]
    """Columns of the released table, or nodes and edges of the released graph."""
    guarantees: Mapped[list[Any]]
    dictionary: Mapped[list[Any]]
    audience: Mapped[str] = mapped_column(server_default="tenant")
    map_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    withdrawn_at: Mapped[datetime | None]
    withdrawn_reason: Mapped[str | None]
    destroyed_at: Mapped[datetime | None]
    """When the destruction of a withdrawn release's bytes was requested."""
    mac: Mapped[bytes]
    """Binds this row and those of all artifacts, under the release key."""
    __table_args__ = (
        CheckConstraint("audience IN ('tenant','public')", "releases_audience"),
        Index("releases_by_tenant", "tenant_id", "created_at", "id"),
        Index("releases_by_dataset", "dataset_id"),
        Index("releases_destroyed", "destroyed_at", postgresql_where=text("destroyed_at IS NOT NULL")),
    )


class Artifact(Base):
    __tablename__ = "artifacts"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    release_id: Mapped[UUID] = mapped_column(ForeignKey("releases.id"), index=True)
    format: Mapped[str]
    part: Mapped[str]
    sha256: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    __table_args__ = (UniqueConstraint("release_id", "format", "part"),)


class Report(Base):
    """The full report of a finished job, with the columns that auditors query."""

    __tablename__ = "reports"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"))
    release_id: Mapped[UUID | None]
    status: Mapped[str]
    method: Mapped[str]
    guarantees: Mapped[list[str]]
    achieved_k: Mapped[int | None] = mapped_column(Integer)
    risk: Mapped[float | None]
    """The rate of the answer that is farthest above guessing; of older reports, one over the verified k."""
    private: Mapped[bool] = mapped_column(server_default="false")
    """Whether a differential-privacy guarantee hides figures of the original from everyone but the steward."""
    content: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds this row, under the release key."""
    __table_args__ = (
        Index("reports_by_tenant", "tenant_id", "created_at", "job_id"),
        Index("reports_by_release", "release_id"),
    )


class Comparison(Base):
    """The result of a comparison of policies."""

    __tablename__ = "comparisons"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    rows: Mapped[list[Any]] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds this row, under the release key."""
