"""Encrypted blobs and their chunks."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Blob(Base):
    """A run of encrypted chunks. Originals' keys are in the keyring; releases' keys are stored wrapped in this row."""

    __tablename__ = "blobs"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    purpose: Mapped[str]
    """``original`` (datasets, node tables, policies, hierarchies, maps: sealed to the workers) or ``release``."""
    chunks: Mapped[int]
    size: Mapped[int] = mapped_column(BigInteger)
    """Stored bytes of plaintext."""
    wrapped_key: Mapped[bytes | None]
    """For releases: the data key under the release key."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    published: Mapped[bool] = mapped_column(server_default="false")
    """Whether anything refers to it; unpublished release blobs are deleted when the attempt at their job is over."""
    job_id: Mapped[UUID | None]
    """For releases: the job that rendered it."""
    fence: Mapped[int | None] = mapped_column(BigInteger)
    """For releases: the fencing token under which it was rendered."""
    __table_args__ = (
        CheckConstraint("purpose IN ('original','release')", "blobs_purpose"),
        Index("blobs_by_tenant", "tenant_id", "purpose", "size"),
        Index("blobs_unpublished", "created_at", postgresql_where=text("purpose = 'release' AND NOT published")),
    )


class OriginalChunk(Base):
    __tablename__ = "original_chunks"
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes]


class ReleaseChunk(Base):
    __tablename__ = "release_chunks"
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes]
