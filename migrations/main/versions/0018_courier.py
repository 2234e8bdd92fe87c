"""Webhooks, deliveries, portals, publications, follow-ups of jobs, and the role of the courier that sends them.

The courier reads releases and the items that it sends, and records the results. It has no right to any original.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from migrations.roles import COURIER, SERVICE, WORKER, create_role, grant

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

RIGHTS = {
    SERVICE: {
        "TABLE webhooks": "SELECT, INSERT, UPDATE (secret, former_secret, former_until, mac, deleted_at)",
        "TABLE deliveries": "SELECT, INSERT, UPDATE (state, attempts, next_at)",
        "TABLE portals": "SELECT, INSERT, UPDATE (deleted_at)",
        "TABLE publications": (
            "SELECT, INSERT, UPDATE (mode, base, created_by, mac, state, reason, attempts, next_at, changed_at)"
        ),
    },
    WORKER: {
        "TABLE webhooks": "SELECT (id, tenant_id, events, disabled_at, deleted_at)",
        "TABLE deliveries": "SELECT (id, webhook_id, type, created_at), INSERT",
        "TABLE publications": "SELECT, INSERT",
        "TABLE cards": "SELECT",
        "TABLE listings": "SELECT, INSERT, UPDATE",
    },
    COURIER: {
        "TABLE alembic_version": "SELECT",
        "TABLE tenants": "SELECT",
        "TABLE releases": "SELECT",
        "TABLE artifacts": "SELECT",
        "TABLE cards": "SELECT",
        "TABLE blobs": "SELECT (id, tenant_id, purpose, chunks, size, wrapped_key, published)",
        "TABLE release_chunks": "SELECT",
        "TABLE webhooks": "SELECT, UPDATE (failing_since, disabled_at, disabled_reason)",
        "TABLE deliveries": (
            "SELECT, INSERT, DELETE,"
            " UPDATE (state, attempts, next_at, lease_until, last_status, last_error, delivered_at)"
        ),
        "TABLE portals": "SELECT",
        "TABLE publications": ("SELECT, UPDATE (state, reason, remote, attempts, next_at, lease_until, changed_at)"),
        "TABLE audit_events": "SELECT, INSERT",
    },
}
TABLES = ("publications", "portals", "deliveries", "webhooks")


def upgrade() -> None:
    """Add four tables, a column of jobs, and a role."""
    op.add_column("jobs", sa.Column("then", JSONB(), nullable=True))
    _create_webhooks()
    _create_portals()
    op.execute(create_role(COURIER))
    op.execute(f"GRANT USAGE ON SCHEMA public TO {COURIER}")
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop all of it; roles belong to the cluster and stay."""
    for table in TABLES:
        op.drop_table(table)
    for table in ("cards", "listings"):
        op.execute(f"REVOKE ALL ON TABLE {table} FROM {WORKER}")
    for table in ("alembic_version", "tenants", "releases", "artifacts", "cards", "blobs", "release_chunks"):
        op.execute(f"REVOKE ALL ON TABLE {table} FROM {COURIER}")
    op.execute(f"REVOKE ALL ON TABLE audit_events FROM {COURIER}")
    op.execute(f"REVOKE USAGE ON SCHEMA public FROM {COURIER}")
    op.drop_column("jobs", "then")


def _create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Uuid(), nullable=False),
        _belongs("webhooks", "tenant_id", "tenants"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", ARRAY(sa.Text()), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("former_secret", sa.LargeBinary(), nullable=True),
        _moment("former_until"),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        _now("created_at"),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        _moment("failing_since"),
        _moment("disabled_at"),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        _moment("deleted_at"),
        sa.PrimaryKeyConstraint("id", name="webhooks_pkey"),
    )
    op.create_index("webhooks_by_tenant", "webhooks", ["tenant_id", "created_at", "id"])
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Uuid(), nullable=False),
        _belongs("deliveries", "webhook_id", "webhooks"),
        _belongs("deliveries", "tenant_id", "tenants"),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("ids", JSONB(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, server_default="pending"),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        _now("next_at"),
        _moment("lease_until"),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        _now("created_at"),
        _moment("delivered_at"),
        sa.PrimaryKeyConstraint("id", name="deliveries_pkey"),
        sa.CheckConstraint("state IN ('pending','delivered','failed')", "deliveries_state"),
    )
    op.create_index("deliveries_by_webhook", "deliveries", ["webhook_id", "created_at", "id"])
    op.create_index("deliveries_due", "deliveries", ["next_at"], postgresql_where=sa.text("state = 'pending'"))
    op.create_index("deliveries_by_age", "deliveries", ["created_at"])


def _create_portals() -> None:
    op.create_table(
        "portals",
        sa.Column("id", sa.Uuid(), nullable=False),
        _belongs("portals", "tenant_id", "tenants"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("options", JSONB(), nullable=False),
        sa.Column("credentials", sa.LargeBinary(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        _now("created_at"),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        _moment("deleted_at"),
        sa.PrimaryKeyConstraint("id", name="portals_pkey"),
        sa.CheckConstraint("kind IN ('ckan','dataverse','invenio')", "portals_kind"),
    )
    op.create_index("portals_by_tenant", "portals", ["tenant_id", "created_at", "id"])
    states = "'queued','published','failed','withdrawing','withdrawn','could_not_be_removed'"
    op.create_table(
        "publications",
        sa.Column("id", sa.Uuid(), nullable=False),
        _belongs("publications", "tenant_id", "tenants"),
        _belongs("publications", "release_id", "releases"),
        _belongs("publications", "portal_id", "portals"),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        _now("created_at"),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, server_default="queued"),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("remote", JSONB(), nullable=False, server_default="{}"),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        _now("next_at"),
        _moment("lease_until"),
        _now("changed_at"),
        sa.PrimaryKeyConstraint("id", name="publications_pkey"),
        sa.UniqueConstraint("release_id", "portal_id", name="publications_release_id_portal_id_key"),
        sa.CheckConstraint("mode IN ('link','upload')", "publications_mode"),
        sa.CheckConstraint(f"state IN ({states})", "publications_state"),
    )
    op.create_index("publications_by_portal", "publications", ["portal_id"])
    due = sa.text("state IN ('queued','withdrawing')")
    op.create_index("publications_due", "publications", ["next_at"], postgresql_where=due)


def _belongs(table: str, name: str, to: str) -> sa.Column[object]:
    return sa.Column(name, sa.Uuid(), sa.ForeignKey(f"{to}.id", name=f"{table}_{name}_fkey"), nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=True)


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
