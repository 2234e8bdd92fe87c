"""Advice on datasets."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.roles import SERVICE, WORKER, grant

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

RIGHTS = {SERVICE: {"TABLE advice": "SELECT, DELETE"}, WORKER: {"TABLE advice": "SELECT, INSERT"}}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "advice",
        sa.Column("dataset_id", sa.Uuid(), sa.ForeignKey("datasets.id", name="advice_dataset_id_fkey"), nullable=False),
        sa.Column("tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="advice_tenant_id_fkey"), nullable=False),
        sa.Column("content", JSONB(), nullable=False),
        sa.Column("findings", JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", name="advice_pkey"),
    )
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("advice")
