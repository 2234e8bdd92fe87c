"""Anchors of the audit chains are signed.

Those made before are removed: the sweeper anchors every chain again within seconds.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forget the anchors, then ask for signatures."""
    op.execute("DELETE FROM audit_anchors")
    op.add_column("audit_anchors", sa.Column("signature", sa.LargeBinary(), nullable=False))


def downgrade() -> None:
    """Drop the signatures."""
    op.drop_column("audit_anchors", "signature")
