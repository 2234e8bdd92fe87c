"""Anchors of the audit chains are signed.

Existing anchors are removed: the sweeper anchors every chain again within seconds.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Delete the anchors, then require signatures."""
    op.execute("DELETE FROM audit_anchors")
    op.add_column("audit_anchors", sa.Column("signature", sa.LargeBinary(), nullable=False))


def downgrade() -> None:
    """Drop the signatures."""
    op.drop_column("audit_anchors", "signature")
