"""Codes under the release key, which no database holds, beside releases, reports and kept answers.

What was published before has no code and is not served any more; answers kept for an Idempotency-Key are forgotten.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, grant

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BOUND = ("releases", "reports", "idempotency")


def upgrade() -> None:
    """Add the codes; what is there gets one that fits nothing."""
    op.execute("DELETE FROM idempotency")
    for table in BOUND:
        op.add_column(table, sa.Column("mac", sa.LargeBinary(), nullable=False, server_default=""))
        op.alter_column(table, "mac", server_default=None)
    for statement in grant(SERVICE, {"TABLE releases": "UPDATE (mac)"}):
        op.execute(statement)


def downgrade() -> None:
    """Drop the codes."""
    for table in BOUND:
        op.drop_column(table, "mac")
