"""Codes, under the release key, for jobs and their inputs: datasets, policies and hierarchies.

Existing rows have no valid code: datasets must be uploaded again, and waiting jobs fail.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BOUND = ("jobs", "datasets", "policies", "hierarchies")


def upgrade() -> None:
    """Add the codes; existing rows get an invalid one."""
    for table in BOUND:
        op.add_column(table, sa.Column("mac", sa.LargeBinary(), nullable=False, server_default=""))
        op.alter_column(table, "mac", server_default=None)


def downgrade() -> None:
    """Drop the codes."""
    for table in BOUND:
        op.drop_column(table, "mac")
