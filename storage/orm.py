"""The schema of both databases, as SQLAlchemy models.

Main database: everything but keys. Keyring database: the sealed data keys of originals and the anchored heads of the
audit chains. Who may do what to which table stands in the migrations (roles ``antifaz_service``, ``antifaz_worker``).
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMES = {
    "pk": "%(table_name)s_pkey",
    "fk": "%(table_name)s_%(column_0_name)s_fkey",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ix": "%(table_name)s_by_%(column_0_N_name)s",
}
"""How constraints are named where the model does not say."""


class Base(DeclarativeBase):
    """Tables of the main database."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {
        str: Text,
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        list[str]: ARRAY(Text),
        bytes: LargeBinary,
        UUID: Uuid,
        float: Double,
    }


class KeyringBase(DeclarativeBase):
    """Tables of the keyring database."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {str: Text, datetime: DateTime(timezone=True), bytes: LargeBinary, UUID: Uuid}


class Tenant(Base):
    __tablename__ = "tenants"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


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
    mac: Mapped[bytes]
    """Binds whom the token stands for and until when to its digest, under the token key."""


class Blob(Base):
    """A run of encrypted chunks. Originals' keys are in the keyring; releases' keys are wrapped beside the blob."""

    __tablename__ = "blobs"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    purpose: Mapped[str]
    """``original`` (datasets, node tables, policies, hierarchies, maps: sealed to the workers) or ``release``."""
    chunks: Mapped[int]
    size: Mapped[int] = mapped_column(BigInteger)
    """Bytes of plaintext that are stored."""
    wrapped_key: Mapped[bytes | None]
    """For releases: the data key under the release key."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    published: Mapped[bool] = mapped_column(server_default="false")
    """Whether anything refers to it; unpublished release blobs go when the attempt at their job is over."""
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


class Dataset(Base):
    __tablename__ = "datasets"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    kind: Mapped[str]
    format: Mapped[str]
    details: Mapped[dict[str, Any]]
    """Of the envelope: compression, delimiter, encoding, decimal, header; directed, strict; nodes' own dialect."""
    status: Mapped[str]
    """``stored``, ``ready``, ``invalid`` or ``deleted``."""
    problem: Mapped[dict[str, Any] | None]
    columns: Mapped[list[Any] | None]
    """``[{"name": ..., "type": ...}]``; names are known from the first megabyte, types once profiled."""
    counts: Mapped[dict[str, Any] | None]
    """How large it is by what its kind counts, such as ``rows``, or ``nodes`` and ``edges``; once profiled."""
    size: Mapped[int] = mapped_column(BigInteger)
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    nodes_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    lineage_id: Mapped[UUID]
    supersedes: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    population: Mapped[dict[str, Any] | None]
    """The roles of its columns where the upload lets it be used as a population."""
    created_by: Mapped[UUID | None]
    """The token that uploaded it: errors show the numbers of rows to this one alone."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deleted_at: Mapped[datetime | None]
    mac: Mapped[bytes]
    """Binds the dataset to its blobs and its lineage, under the release key."""
    __table_args__ = (
        CheckConstraint("status IN ('stored','ready','invalid','deleted')", "datasets_status"),
        Index("datasets_by_tenant", "tenant_id", "created_at", "id"),
        Index("datasets_by_lineage", "lineage_id"),
    )


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
    """``ready``, ``generating`` or ``failed``."""
    shape: Mapped[dict[str, Any] | None]
    """Levels and how many groups each has; never a label."""
    problem: Mapped[dict[str, Any] | None]
    dataset_id: Mapped[UUID | None] = mapped_column(ForeignKey("datasets.id"))
    column: Mapped[str | None]
    blob_id: Mapped[UUID] = mapped_column(ForeignKey("blobs.id"))
    """The hierarchy as JSON, sealed to the workers."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the hierarchy to its content, under the release key."""
    __table_args__ = (
        CheckConstraint("status IN ('ready','generating','failed')", "hierarchies_status"),
        Index("hierarchies_by_tenant", "tenant_id", "created_at", "id"),
        Index("hierarchies_by_dataset", "dataset_id"),
    )


class Job(Base):
    """One piece of work for a worker. Tasks ``publish``, ``trial`` and ``comparison`` are the API's jobs; ``profile``
    and ``hierarchy`` are internal."""

    __tablename__ = "jobs"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    task: Mapped[str] = mapped_column(server_default="publish")
    dataset_id: Mapped[UUID] = mapped_column(ForeignKey("datasets.id"))
    hierarchy_id: Mapped[UUID | None] = mapped_column(ForeignKey("hierarchies.id"))
    policy: Mapped[dict[str, Any] | None]
    """The policy without hierarchy rows."""
    policy_id: Mapped[UUID | None] = mapped_column(ForeignKey("policies.id"))
    policy_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    policy_name: Mapped[str | None]
    """Which of a comparison's policies, if the blob holds those."""
    queue: Mapped[str]
    status: Mapped[str] = mapped_column(server_default="queued")
    stage: Mapped[str | None]
    progress: Mapped[float] = mapped_column(server_default="0")
    attempt: Mapped[int] = mapped_column(server_default="0")
    fence: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """The fencing token: a worker writes only while it holds the newest."""
    lease_until: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(server_default="false")
    release_id: Mapped[UUID | None]
    refusal: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    rung_at: Mapped[datetime] = mapped_column(server_default=func.now())
    """When a bell for it was last put into the outbox."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    fingerprint: Mapped[bytes | None]
    """Of a job that promises differential privacy: a keyed digest of its policy, by which the same request is known."""
    mac: Mapped[bytes]
    """Binds what the job is to do, under the release key."""
    noise_at: Mapped[datetime | None]
    """When a worker was first about to draw noise for it; whatever became of it then, it drew."""
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


class Budget(Base):
    """The account of a lineage, in millionths of epsilon; what was spent can only grow."""

    __tablename__ = "budgets"
    lineage_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    total: Mapped[int] = mapped_column(BigInteger)
    spent: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    __table_args__ = (CheckConstraint("0 <= spent AND spent <= total", "budgets_spent"),)


class Charge(Base):
    """What one job was charged; rows are only ever added."""

    __tablename__ = "charges"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    lineage_id: Mapped[UUID] = mapped_column(ForeignKey("budgets.lineage_id"))
    micro_epsilon: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    __table_args__ = (
        CheckConstraint("micro_epsilon > 0", "charges_micro_epsilon"),
        Index("charges_by_lineage", "lineage_id", "at", "job_id"),
    )


class Outbox(Base):
    """The bell: a row for each job that still has to be announced to the broker."""

    __tablename__ = "outbox"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=True)
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


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
    """Columns of a table, or nodes and edges of a graph, of the release itself."""
    guarantees: Mapped[list[Any]]
    dictionary: Mapped[list[Any]]
    audience: Mapped[str] = mapped_column(server_default="tenant")
    map_blob_id: Mapped[UUID | None] = mapped_column(ForeignKey("blobs.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    withdrawn_at: Mapped[datetime | None]
    withdrawn_reason: Mapped[str | None]
    destroyed_at: Mapped[datetime | None]
    """When it was asked to destroy the bytes of a withdrawn release."""
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
    """The highest re-identification risk of the release."""
    private: Mapped[bool] = mapped_column(server_default="false")
    """Whether a differential-privacy guarantee hides what was computed from the original, but from the steward."""
    content: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds this row, under the release key."""
    __table_args__ = (
        Index("reports_by_tenant", "tenant_id", "created_at", "job_id"),
        Index("reports_by_release", "release_id"),
    )


class Comparison(Base):
    """What came out of a comparison of policies."""

    __tablename__ = "comparisons"
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    rows: Mapped[list[Any]] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds this row, under the release key."""


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


class Idempotency(Base):
    """The answer to a creating request that came with a key; written in the transaction of what it created."""

    __tablename__ = "idempotency"
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    status: Mapped[int]
    headers: Mapped[dict[str, Any]]
    body: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    mac: Mapped[bytes]
    """Binds the answer to its key, under the release key."""
    __table_args__ = (Index("idempotency_by_age", "created_at"),)


class SealedKey(KeyringBase):
    """The data key of an original, sealed to the workers' public key."""

    __tablename__ = "sealed_keys"
    blob_id: Mapped[UUID] = mapped_column(primary_key=True)
    sealed: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AuditAnchor(KeyringBase):
    """The signed head of a tenant's audit chain at some time: a cut-off chain no longer reaches it."""

    __tablename__ = "audit_anchors"
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    digest: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    signature: Mapped[bytes]
