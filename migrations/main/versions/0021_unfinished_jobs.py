"""A tenant's unfinished jobs get their own index: they are counted at every submission."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    unfinished = sa.text("finished_at IS NULL")
    op.create_index("jobs_unfinished_by_tenant", "jobs", ["tenant_id"], postgresql_where=unfinished)


def downgrade() -> None:
    """Drop it."""
    op.drop_index("jobs_unfinished_by_tenant", "jobs")
