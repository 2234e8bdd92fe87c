"""The first schema of the main database, and the rights of each role.

The service stores originals and cannot read them back; it serves releases and cannot create one. Both roles may add to
the audit trail and cannot change anything in it.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from migrations.roles import SERVICE, WORKER, create_role, grant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERVICE_RIGHTS = {
    "alembic_version": "SELECT",
    "tenants": "SELECT, INSERT",
    "tokens": "SELECT, INSERT, UPDATE (revoked_at)",
    "blobs": "SELECT, INSERT, UPDATE (chunks, size)",
    "original_chunks": "SELECT (blob_id, number), INSERT, DELETE",
    "release_chunks": "SELECT",
    "datasets": "SELECT, INSERT, UPDATE (status, deleted_at)",
    "policies": "SELECT, INSERT",
    "hierarchies": "SELECT, INSERT, UPDATE (status, problem)",
    "jobs": "SELECT, INSERT, UPDATE (status, cancel_requested, finished_at, rung_at)",
    "outbox": "SELECT, INSERT, UPDATE, DELETE",
    "outbox_id_seq": "USAGE",
    "releases": "SELECT, UPDATE (audience, withdrawn_at, withdrawn_reason)",
    "artifacts": "SELECT",
    "reports": "SELECT",
    "audit_events": "SELECT, INSERT",
    "idempotency": "SELECT, INSERT, DELETE",
}
WORKER_RIGHTS = {
    "alembic_version": "SELECT",
    "tenants": "SELECT",
    "blobs": "SELECT, INSERT, UPDATE, DELETE",
    "original_chunks": "SELECT, INSERT, DELETE",
    "release_chunks": "SELECT, INSERT, UPDATE, DELETE",
    "datasets": "SELECT, UPDATE",
    "policies": "SELECT",
    "hierarchies": "SELECT, UPDATE",
    "jobs": "SELECT, UPDATE",
    "outbox": "SELECT, INSERT, UPDATE, DELETE",
    "outbox_id_seq": "USAGE",
    "releases": "SELECT, INSERT",
    "artifacts": "SELECT, INSERT",
    "reports": "SELECT, INSERT",
    "audit_events": "SELECT, INSERT",
    "idempotency": "SELECT, DELETE",
}
TABLES = (
    "idempotency",
    "audit_events",
    "reports",
    "artifacts",
    "releases",
    "outbox",
    "jobs",
    "hierarchies",
    "policies",
    "datasets",
    "release_chunks",
    "original_chunks",
    "blobs",
    "tokens",
    "tenants",
)


def upgrade() -> None:
    """Create the tables, then the roles and their rights."""
    _create_tenants()
    _create_blobs()
    _create_datasets()
    _create_policies()
    _create_jobs()
    _create_releases()
    _create_trail()
    op.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    for role, rights in ((SERVICE, SERVICE_RIGHTS), (WORKER, WORKER_RIGHTS)):
        op.execute(create_role(role))
        for statement in (f"GRANT USAGE ON SCHEMA public TO {role}", *grant(role, _by_kind(rights))):
            op.execute(statement)


def downgrade() -> None:
    """Drop the tables. The roles stay: they belong to the cluster, and the keyring uses them too."""
    for table in TABLES:
        op.drop_table(table)
    for role in (SERVICE, WORKER):
        op.execute(f"REVOKE ALL ON alembic_version FROM {role}")
        op.execute(f"REVOKE USAGE ON SCHEMA public FROM {role}")


def _by_kind(rights: dict[str, str]) -> dict[str, str]:
    return {f"SEQUENCE {name}" if name.endswith("_seq") else f"TABLE {name}": right for name, right in rights.items()}


def _id() -> sa.Column[object]:
    return sa.Column("id", sa.Uuid(), primary_key=True)


def _moment(name: str, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _made(name: str = "created_at") -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _text(name: str, nullable: bool = False, default: str | None = None) -> sa.Column[object]:
    return sa.Column(name, sa.Text(), nullable=nullable, server_default=default)


def _json(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, JSONB(), nullable=nullable)


def _reference(table: str, column: str, target: str, nullable: bool = False) -> sa.Column[object]:
    key = sa.ForeignKey(f"{target}.id", name=f"{table}_{column}_fkey")
    return sa.Column(column, sa.Uuid(), key, nullable=nullable)


def _create_tenants() -> None:
    op.create_table("tenants", _id(), _text("name"), _made(), sa.UniqueConstraint("name", name="tenants_name_key"))
    op.create_table(
        "tokens",
        _id(),
        _reference("tokens", "tenant_id", "tenants"),
        _text("name"),
        _text("role"),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        _made(),
        _moment("expires_at"),
        _moment("revoked_at"),
        sa.UniqueConstraint("digest", name="tokens_digest_key"),
    )
    op.create_index("tokens_by_tenant_id", "tokens", ["tenant_id"])


def _create_blobs() -> None:
    op.create_table(
        "blobs",
        _id(),
        _reference("blobs", "tenant_id", "tenants"),
        _text("purpose"),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary()),
        _made(),
        sa.Column("published", sa.Boolean(), nullable=False, server_default="false"),
        sa.CheckConstraint("purpose IN ('original','release')", "blobs_purpose"),
    )
    unpublished = sa.text("purpose = 'release' AND NOT published")
    op.create_index("blobs_unpublished", "blobs", ["created_at"], postgresql_where=unpublished)
    for table in ("original_chunks", "release_chunks"):
        op.create_table(
            table,
            _reference(table, "blob_id", "blobs"),
            sa.Column("number", sa.Integer(), nullable=False),
            sa.Column("content", sa.LargeBinary(), nullable=False),
            sa.PrimaryKeyConstraint("blob_id", "number", name=f"{table}_pkey"),
        )
        # Ciphertext does not compress; trying would cost a pass over every chunk.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN content SET STORAGE EXTERNAL")


def _create_datasets() -> None:
    op.create_table(
        "datasets",
        _id(),
        _reference("datasets", "tenant_id", "tenants"),
        _text("name"),
        _text("kind"),
        _text("format"),
        _json("details"),
        _text("status"),
        _json("problem", nullable=True),
        _json("columns", nullable=True),
        sa.Column("rows", sa.BigInteger()),
        sa.Column("nodes", sa.BigInteger()),
        sa.Column("edges", sa.BigInteger()),
        sa.Column("size", sa.BigInteger(), nullable=False),
        _reference("datasets", "blob_id", "blobs"),
        _reference("datasets", "nodes_blob_id", "blobs", nullable=True),
        sa.Column("lineage_id", sa.Uuid(), nullable=False),
        _reference("datasets", "supersedes", "datasets", nullable=True),
        _made(),
        _moment("deleted_at"),
        sa.CheckConstraint("status IN ('stored','ready','invalid','deleted')", "datasets_status"),
    )
    op.create_index("datasets_by_tenant", "datasets", ["tenant_id", "created_at", "id"])
    op.create_index("datasets_by_lineage", "datasets", ["lineage_id"])


def _create_policies() -> None:
    op.create_table(
        "policies",
        _id(),
        _reference("policies", "tenant_id", "tenants"),
        _text("name"),
        sa.Column("version", sa.Integer(), nullable=False),
        _json("public"),
        _reference("policies", "blob_id", "blobs"),
        _made(),
        sa.UniqueConstraint("tenant_id", "name", "version", name="policies_tenant_id_name_version_key"),
    )
    op.create_index("policies_by_tenant", "policies", ["tenant_id", "created_at", "id"])
    op.create_table(
        "hierarchies",
        _id(),
        _reference("hierarchies", "tenant_id", "tenants"),
        _text("name"),
        _text("kind"),
        _text("status"),
        _json("shape", nullable=True),
        _json("problem", nullable=True),
        _reference("hierarchies", "dataset_id", "datasets", nullable=True),
        _text("column", nullable=True),
        _reference("hierarchies", "blob_id", "blobs"),
        _made(),
        sa.CheckConstraint("status IN ('ready','generating','failed')", "hierarchies_status"),
    )
    op.create_index("hierarchies_by_tenant", "hierarchies", ["tenant_id", "created_at", "id"])
    op.create_index("hierarchies_by_dataset", "hierarchies", ["dataset_id"])


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        _id(),
        _reference("jobs", "tenant_id", "tenants"),
        _text("task", default="publish"),
        _reference("jobs", "dataset_id", "datasets"),
        _reference("jobs", "hierarchy_id", "hierarchies", nullable=True),
        _json("policy", nullable=True),
        _reference("jobs", "policy_id", "policies", nullable=True),
        _reference("jobs", "policy_blob_id", "blobs", nullable=True),
        _text("queue"),
        _text("status", default="queued"),
        _text("stage", nullable=True),
        sa.Column("progress", sa.Double(), nullable=False, server_default="0"),
        sa.Column("attempt", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("fence", sa.BigInteger(), nullable=False, server_default="0"),
        _moment("lease_until"),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False, server_default="false"),
        sa.Column("release_id", sa.Uuid()),
        _json("refusal", nullable=True),
        _json("error", nullable=True),
        sa.Column("created_by", sa.Uuid()),
        _made(),
        _made("rung_at"),
        _moment("started_at"),
        _moment("finished_at"),
        sa.CheckConstraint(
            "status IN ('queued','running','verifying','released','refused','failed','cancelled','done')", "jobs_status"
        ),
        sa.CheckConstraint("status <> 'released' OR release_id IS NOT NULL", "jobs_released"),
    )
    op.create_index("jobs_by_tenant", "jobs", ["tenant_id", "created_at", "id"])
    unfinished = sa.text("finished_at IS NULL")
    op.create_index("jobs_unfinished", "jobs", ["status", "lease_until"], postgresql_where=unfinished)
    op.create_index("jobs_by_dataset", "jobs", ["dataset_id"])
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=True),
        _reference("outbox", "job_id", "jobs"),
        _made(),
    )
    op.create_index("outbox_by_job_id", "outbox", ["job_id"])


def _create_releases() -> None:
    op.create_table(
        "releases",
        _id(),
        _reference("releases", "job_id", "jobs"),
        _reference("releases", "tenant_id", "tenants"),
        _reference("releases", "dataset_id", "datasets"),
        sa.Column("lineage_id", sa.Uuid(), nullable=False),
        _text("kind"),
        _text("name"),
        _json("shape"),
        _json("guarantees"),
        _json("dictionary"),
        _text("audience", default="tenant"),
        _reference("releases", "map_blob_id", "blobs", nullable=True),
        _made(),
        _moment("withdrawn_at"),
        _text("withdrawn_reason", nullable=True),
        sa.UniqueConstraint("job_id", name="releases_job_id_key"),
        sa.CheckConstraint("audience IN ('tenant','public')", "releases_audience"),
    )
    op.create_index("releases_by_lineage_id", "releases", ["lineage_id"])
    op.create_index("releases_by_tenant", "releases", ["tenant_id", "created_at", "id"])
    op.create_index("releases_by_dataset", "releases", ["dataset_id"])
    op.create_table(
        "artifacts",
        _id(),
        _reference("artifacts", "release_id", "releases"),
        _text("format"),
        _text("part"),
        _text("sha256"),
        sa.Column("size", sa.BigInteger(), nullable=False),
        _reference("artifacts", "blob_id", "blobs"),
        sa.UniqueConstraint("release_id", "format", "part", name="artifacts_release_id_format_part_key"),
    )
    op.create_index("artifacts_by_release_id", "artifacts", ["release_id"])
    op.create_table(
        "reports",
        _reference("reports", "job_id", "jobs"),
        _reference("reports", "tenant_id", "tenants"),
        _reference("reports", "dataset_id", "datasets"),
        sa.Column("release_id", sa.Uuid()),
        _text("status"),
        _text("method"),
        sa.Column("guarantees", ARRAY(sa.Text()), nullable=False),
        sa.Column("achieved_k", sa.Integer()),
        sa.Column("risk", sa.Double()),
        sa.Column("private", sa.Boolean(), nullable=False, server_default="false"),
        _json("content"),
        _made(),
        sa.PrimaryKeyConstraint("job_id", name="reports_pkey"),
    )
    op.create_index("reports_by_tenant", "reports", ["tenant_id", "created_at", "job_id"])
    op.create_index("reports_by_release", "reports", ["release_id"])


def _create_trail() -> None:
    op.create_table(
        "audit_events",
        _reference("audit_events", "tenant_id", "tenants"),
        sa.Column("number", sa.BigInteger(), nullable=False),
        _moment("at", nullable=False),
        _text("actor"),
        _text("action"),
        _text("subject"),
        _json("details"),
        sa.Column("previous", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "number", name="audit_events_pkey"),
    )
    op.create_table(
        "idempotency",
        _reference("idempotency", "tenant_id", "tenants"),
        _text("key"),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        _json("headers"),
        _json("body"),
        _made(),
        sa.PrimaryKeyConstraint("tenant_id", "key", name="idempotency_pkey"),
    )
    op.create_index("idempotency_by_age", "idempotency", ["created_at"])
