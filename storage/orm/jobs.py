"""Jobs, the wake-up messages that announce them, and the accounts that they charge."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Job(Base):
    """One piece of work for a worker. Tasks ``publish``, ``trial`` and ``comparison`` are the API's jobs, and ``query``
    its questions; ``profile``, ``project``, ``hierarchy`` and ``preview`` are internal."""

    __tablename__ = "jobs"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    task: Mapped[str] = mapped_column(server_default="publish")
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"))
    hierarchy_id: Mapped[UUID | None] = mapped_column(ForeignKey("hierarchies.id"))
    policy: Mapped[dict[str, Any] | None]
    """The policy without hierarchy rows; or the question, with the version of the declarations."""
    policy_id: Mapped[UUID | None] = mapped_column(ForeignKey("policies.id"))
    policy_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    policy_name: Mapped[str | None]
    """The policy's name, if the blob holds the policies of a comparison."""
    queue: Mapped[str]
    status: Mapped[str] = mapped_column(server_default="queued")
    stage: Mapped[str | None]
    progress: Mapped[float] = mapped_column(server_default="0")
    attempt: Mapped[int] = mapped_column(server_default="0")
    fence: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """The fencing token: a worker can write only while it holds the newest."""
    lease_until: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(server_default="false")
    release_id: Mapped[UUID | None]
    refusal: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    rung_at: Mapped[datetime] = mapped_column(server_default=func.now())
    """When a message for the job was last put into the outbox."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    fingerprint: Mapped[bytes | None]
    """For a job with differential privacy: a keyed digest of its policy, to recognize the same request."""
    mac: Mapped[bytes]
    """Binds the job's work, under the release key."""
    noise_at: Mapped[datetime | None]
    """When a worker was first about to draw noise for it; the noise counts as drawn, however the job ended."""
    then: Mapped[dict[str, Any] | None]
    """What follows its release: publications on portals, and webhooks to notify."""
    __table_args__ = (
        CheckConstraint(
            "status IN ('queued','running','verifying','released','assessed','refused','failed','cancelled','done')",
            "jobs_status",
        ),
        CheckConstraint("status <> 'released' OR release_id IS NOT NULL", "jobs_released"),
        Index("jobs_by_tenant", "tenant_id", "created_at", "id"),
        Index("jobs_unfinished", "status", "lease_until", postgresql_where=text("finished_at IS NULL")),
        Index("jobs_by_dataset", "dataset_id"),
        Index("jobs_by_start", "tenant_id", "started_at"),
        Index("jobs_by_fingerprint", "dataset_id", "fingerprint", postgresql_where=text("fingerprint IS NOT NULL")),
    )


class Outbox(Base):
    """The messages: a row for each job that must still be announced to the broker."""

    __tablename__ = "outbox"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=True)
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Budget(Base):
    """The account of a lineage, in whole units of its measure; the amount spent can only grow."""

    __tablename__ = "budgets"
    lineage_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    total: Mapped[int] = mapped_column(BigInteger)
    spent: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    measure: Mapped[str] = mapped_column(server_default="pure")
    """``pure``, counted in millionths of epsilon, or ``zcdp``, in 10⁻⁹ of rho."""
    delta_total: Mapped[int | None] = mapped_column(BigInteger)
    """Limit on the sum of all deltas, in 10⁻¹⁵; None if there is none."""
    delta_spent: Mapped[int] = mapped_column(BigInteger, server_default="0")
    fixed: Mapped[bool] = mapped_column(server_default="false")
    """Whether it was set with an upload: it can then only be lowered, even before the first charge."""
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
    __table_args__ = (
        CheckConstraint("0 <= spent AND spent <= total", "budgets_spent"),
        CheckConstraint("measure IN ('pure','zcdp')", "budgets_measure"),
        CheckConstraint(
            "0 <= delta_spent AND (delta_total IS NULL OR delta_spent <= delta_total)", "budgets_delta_spent"
        ),
    )


class Charge(Base):
    """The charge of one job; rows are only ever added."""

    __tablename__ = "charges"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    lineage_id: Mapped[UUID] = mapped_column(ForeignKey("budgets.lineage_id"))
    units: Mapped[int] = mapped_column(BigInteger)
    """In the units of the account's measure."""
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    delta: Mapped[int] = mapped_column(BigInteger, server_default="0")
    token_id: Mapped[UUID | None]
    """The token whose grant was charged as well, if it was an analyst's question."""
    spent: Mapped[int] = mapped_column(BigInteger)
    """The amount that the account had spent after it: an account with less was restored from an older state."""
    granted: Mapped[int | None] = mapped_column(BigInteger)
    """The amount that the grant had spent after it."""
    mac: Mapped[bytes]
    """Binds the row, under the release key."""
    __table_args__ = (
        CheckConstraint("units > 0", "charges_units"),
        CheckConstraint("delta >= 0", "charges_delta"),
        Index("charges_by_lineage", "lineage_id", "at", "job_id"),
        Index("charges_by_spending", "lineage_id", "spent"),
        Index("charges_by_token", "lineage_id", "token_id", "granted"),
    )
