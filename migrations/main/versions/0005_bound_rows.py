"""Codes for releases, reports and stored responses, under the release key, which no database holds.

Existing releases have no code and are no longer served; responses stored for an Idempotency-Key are deleted.
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
    """Add the codes; existing rows get an invalid one."""
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
