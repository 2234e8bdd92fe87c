"""The spending of differential-privacy accounts is anchored, so that an account that was rolled back is detected."""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, WORKER, grant

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

RIGHTS = {SERVICE: {"ledger_anchors": "SELECT"}, WORKER: {"ledger_anchors": "SELECT, INSERT"}}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "ledger_anchors",
        sa.Column("lineage_id", sa.Uuid(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.Column("delta_spent", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("lineage_id", "spent", "delta_spent", name="ledger_anchors_pkey"),
    )
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("ledger_anchors")
