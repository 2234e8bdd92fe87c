"""Authentication codes for rows, under keys that no database holds.

From here on, tokens are found by a keyed digest: existing tokens are useless and are removed.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Delete the tokens, then add the codes."""
    op.execute("DELETE FROM tokens")
    op.add_column("tokens", sa.Column("mac", sa.LargeBinary(), nullable=False))


def downgrade() -> None:
    """Delete the tokens, which are no longer valid, and drop the codes."""
    op.execute("DELETE FROM tokens")
    op.drop_column("tokens", "mac")
