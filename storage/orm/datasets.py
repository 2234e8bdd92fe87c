"""Datasets, policies and hierarchies."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Dataset(Base):
    __tablename__ = "datasets"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    kind: Mapped[str]
    format: Mapped[str]
    details: Mapped[dict[str, Any]]
    """From the envelope: compression, delimiter, encoding, decimal, header; directed, strict; the nodes' dialect."""
    status: Mapped[str]
    """``stored``, ``ready``, ``invalid`` or ``deleted``."""
    problem: Mapped[dict[str, Any] | None]
    columns: Mapped[list[Any] | None]
    """``[{"name": ..., "type": ...}]``; names are known from the first megabyte, types once profiled."""
    counts: Mapped[dict[str, Any] | None]
    """Its size in the units of its kind, such as ``rows``, or ``nodes`` and ``edges``; once profiled."""
    size: Mapped[int] = mapped_column(BigInteger)
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    nodes_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    lineage_id: Mapped[UUID]
    supersedes: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    population: Mapped[dict[str, Any] | None]
    """The roles of its columns, if the upload allows its use as a population."""
    created_by: Mapped[UUID | None]
    """The token that uploaded it: errors show row numbers to this token only."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deleted_at: Mapped[datetime | None]
    mac: Mapped[bytes]
    """Binds the dataset to its blobs and its lineage, under the release key."""
    digest: Mapped[bytes | None]
    """A keyed digest of its file, to recognize a second upload of it."""
    unrelated_to: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    """An earlier dataset with the same file, if the upload declares that the two are unrelated."""
    unrelated: Mapped[bool | None]
    """Whether the upload declares that the data is unrelated to any earlier dataset with the same content."""
    __table_args__ = (
        CheckConstraint("status IN ('stored','ready','invalid','deleted')", "datasets_status"),
        Index("datasets_by_tenant", "tenant_id", "created_at", "id"),
        Index("datasets_by_lineage", "lineage_id"),
        Index("datasets_by_digest", "tenant_id", "digest"),
    )


class Content(Base):
    """What recognizes the same data in another file: written when a worker first reads a dataset, and never changed."""

    __tablename__ = "contents"
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    digest: Mapped[bytes]
    """A keyed digest of all cells or edges, whatever their order and spelling."""
    same_as: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    """An earlier dataset with the same content that this one is declared unrelated to."""
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
    __table_args__ = (Index("contents_by_digest", "tenant_id", "digest"),)


class Policy(Base):
    """A named, versioned, immutable policy."""

    __tablename__ = "policies"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    version: Mapped[int]
    public: Mapped[dict[str, Any]]
    """The policy without hierarchy rows."""
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    """The whole policy, sealed to the workers."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    fingerprint: Mapped[bytes | None]
    """A keyed digest of the whole policy."""
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
    __table_args__ = (
        UniqueConstraint("tenant_id", "name", "version"),
        Index("policies_by_tenant", "tenant_id", "created_at", "id"),
    )


class Hierarchy(Base):
    __tablename__ = "hierarchies"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    kind: Mapped[str]
    status: Mapped[str]
    """``ready``, ``generating``, ``failed``, or ``preview`` if only its shape was requested."""
    shape: Mapped[dict[str, Any] | None]
    """Levels and the number of groups in each; never a label."""
    problem: Mapped[dict[str, Any] | None]
    dataset_id: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    column: Mapped[str | None]
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    """The hierarchy as JSON, sealed to the workers."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the hierarchy to its content, under the release key."""
    __table_args__ = (
        CheckConstraint("status IN ('ready','generating','failed','preview')", "hierarchies_status"),
        Index("hierarchies_by_tenant", "tenant_id", "created_at", "id"),
        Index("hierarchies_by_dataset", "dataset_id"),
    )
