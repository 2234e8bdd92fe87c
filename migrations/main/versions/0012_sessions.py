"""Browser sessions: tokens that act as a parent token, and end with it."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the parent."""
    reference = sa.ForeignKey("tokens.id", name="tokens_parent_id_fkey")
    op.add_column("tokens", sa.Column("parent_id", sa.Uuid(), reference, nullable=True))


def downgrade() -> None:
    """Delete the sessions and drop the parent."""
    op.execute("DELETE FROM tokens WHERE parent_id IS NOT NULL")
    op.drop_column("tokens", "parent_id")
