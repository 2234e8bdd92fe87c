"""Questions: declarations of lineages, grants of analysts, answers, and the projections that answer them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Declaration(Base):
    """One version of the declarations of a lineage; rows are only ever added."""

    __tablename__ = "declarations"
    lineage_id: Mapped[UUID] = mapped_column(ForeignKey("budgets.lineage_id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    content: Mapped[dict[str, Any]]
    created_by: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the row, under the release key."""


class Grant(Base):
    """An analyst's share of a lineage's account, in its units; the amount spent can only grow."""

    __tablename__ = "grants"
    lineage_id: Mapped[UUID] = mapped_column(ForeignKey("budgets.lineage_id"), primary_key=True)
    token_id: Mapped[UUID] = mapped_column(ForeignKey("tokens.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"))
    """The version of the lineage that was last granted, for lists of grants."""
    total: Mapped[int] = mapped_column(BigInteger)
    spent: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
    __table_args__ = (
        CheckConstraint("0 <= spent AND spent <= total", "grants_spent"),
        Index("grants_by_token", "token_id"),
        Index("grants_by_tenant", "tenant_id"),
    )


class QueryAnswer(Base):
    """The answer to a question."""

    __tablename__ = "query_answers"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    content: Mapped[list[Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the row, under the release key."""


class Projection(Base):
    """One sealed column of a dataset, prepared for questions by one version of the declarations."""

    __tablename__ = "projections"
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """The column's place in the order in which a projection is written."""
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
