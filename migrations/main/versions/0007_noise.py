"""When noise was drawn for a job: a lineage without a budget has one draw, whatever its result."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the mark."""
    op.add_column("jobs", sa.Column("noise_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("jobs", "noise_at")
