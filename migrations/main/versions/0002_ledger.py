"""The ledger of differential privacy: an account for each lineage, and its charges.

Charges can only be added; the amount that an account has spent can only grow, up to its total. Requests for
differentially private releases are marked, so that a repeated request is answered without a second charge.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, WORKER, grant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

RIGHTS = {
    SERVICE: {"TABLE budgets": "SELECT, INSERT, UPDATE (spent)", "TABLE charges": "SELECT, INSERT"},
    WORKER: {"TABLE budgets": "SELECT", "TABLE charges": "SELECT"},
}
_ONLY_GROWS = """
    CREATE FUNCTION budgets_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$
"""
_TRIGGER = """
    CREATE TRIGGER budgets_only_grow BEFORE UPDATE ON budgets
    FOR EACH ROW EXECUTE FUNCTION budgets_only_grow()
"""


def upgrade() -> None:
    """Create the accounts, the charges and the marks."""
    op.create_table(
        "budgets",
        sa.Column("lineage_id", sa.Uuid(), nullable=False),
        sa.Column("tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="budgets_tenant_id_fkey"), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False, server_default="0"),
        _moment("created_at"),
        sa.PrimaryKeyConstraint("lineage_id", name="budgets_pkey"),
        sa.CheckConstraint("0 <= spent AND spent <= total", "budgets_spent"),
    )
    op.create_table(
        "charges",
        sa.Column("job_id", sa.Uuid(), sa.ForeignKey("jobs.id", name="charges_job_id_fkey"), nullable=False),
        sa.Column(
            "lineage_id", sa.Uuid(), sa.ForeignKey("budgets.lineage_id", name="charges_lineage_id_fkey"), nullable=False
        ),
        sa.Column("micro_epsilon", sa.BigInteger(), nullable=False),
        _moment("at"),
        sa.PrimaryKeyConstraint("job_id", name="charges_pkey"),
        sa.CheckConstraint("micro_epsilon > 0", "charges_micro_epsilon"),
    )
    op.create_index("charges_by_lineage", "charges", ["lineage_id", "at", "job_id"])
    for table in ("jobs", "policies"):
        op.add_column(table, sa.Column("fingerprint", sa.LargeBinary()))
    marked = sa.text("fingerprint IS NOT NULL")
    op.create_index("jobs_by_fingerprint", "jobs", ["dataset_id", "fingerprint"], postgresql_where=marked)
    op.execute(_ONLY_GROWS)
    op.execute(_TRIGGER)
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop all of it."""
    op.drop_index("jobs_by_fingerprint", "jobs")
    for table in ("jobs", "policies"):
        op.drop_column(table, "fingerprint")
    for table in ("charges", "budgets"):
        op.drop_table(table)
    op.execute("DROP FUNCTION budgets_only_grow()")


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
