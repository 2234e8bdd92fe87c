"""Codes under the release key beside what jobs do and what they read: jobs, datasets, policies and hierarchies.

Rows made before have no code: datasets have to be uploaded again, and jobs that wait end in a failure.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BOUND = ("jobs", "datasets", "policies", "hierarchies")


def upgrade() -> None:
    """Add the codes; what is there gets one that fits nothing."""
    for table in BOUND:
        op.add_column(table, sa.Column("mac", sa.LargeBinary(), nullable=False, server_default=""))
        op.alter_column(table, "mac", server_default=None)


def downgrade() -> None:
    """Drop the codes."""
    for table in BOUND:
        op.drop_column(table, "mac")
