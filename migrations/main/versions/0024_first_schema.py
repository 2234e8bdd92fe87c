"""The schema of the main database: its tables, functions and triggers by topic, and the rights of each process."""

from pathlib import Path

from alembic import op

from migrations.roles import COURIER, SERVICE, WORKER, create_role

revision = "0024"
down_revision = None
branch_labels = None
depends_on = None

TOPICS = ("tenancy", "data", "jobs", "accounts", "releases", "outbound", "rights")
ROLES = (SERVICE, WORKER, COURIER)
TABLES = (
    "tenants", "tokens", "idempotency", "audit_events",
    "blobs", "original_chunks", "release_chunks", "datasets", "contents", "advice", "policies", "hierarchies",
    "jobs", "outbox", "consumers", "tallies",
    "budgets", "charges", "declarations", "grants", "projections", "query_answers",
    "releases", "artifacts", "reports", "comparisons", "cards", "listings",
    "webhooks", "deliveries", "portals", "publications",
)  # fmt: skip
FUNCTIONS = ("budgets_only_grow", "grants_only_grow", "tally_jobs", "tally_originals")


def upgrade() -> None:
    """Create the roles, the tables, and the rights of the roles."""
    for role in ROLES:
        op.execute(create_role(role))
    for topic in TOPICS:
        op.execute(Path(__file__).with_name(f"{revision}_{topic}.sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """Drop everything but the roles: they belong to the cluster, and the keyring uses them too."""
    op.execute(f"DROP TABLE {', '.join(TABLES)}")
    op.execute("DROP SEQUENCE tally_changes")
    for function in FUNCTIONS:
        op.execute(f"DROP FUNCTION {function}()")
    for role in ROLES:
        op.execute(f"REVOKE ALL ON alembic_version FROM {role}")
        op.execute(f"REVOKE USAGE ON SCHEMA public FROM {role}")
