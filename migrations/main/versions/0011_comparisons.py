"""Comparisons of policies, and jobs that run one of the policies of a comparison."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.roles import SERVICE, WORKER, grant

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

RIGHTS = {SERVICE: {"TABLE comparisons": "SELECT"}, WORKER: {"TABLE comparisons": "SELECT, INSERT"}}


def upgrade() -> None:
    """Add a table for the results, and a column that names the policy."""
    op.add_column("jobs", sa.Column("policy_name", sa.Text(), nullable=True))
    op.create_table(
        "comparisons",
        sa.Column("job_id", sa.Uuid(), sa.ForeignKey("jobs.id", name="comparisons_job_id_fkey"), nullable=False),
        sa.Column(
            "tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="comparisons_tenant_id_fkey"), nullable=False
        ),
        sa.Column("rows", JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="comparisons_pkey"),
    )
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop both."""
    op.drop_table("comparisons")
    op.drop_column("jobs", "policy_name")
