"""Every consumer of a queue proves that it takes work, so that readiness is known for each queue."""

import sqlalchemy as sa
from alembic import op

from migrations.roles import COURIER, SERVICE, WORKER, grant

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_RIGHTS = {
    SERVICE: {"TABLE consumers": "SELECT"},
    WORKER: {"TABLE consumers": "SELECT, INSERT, UPDATE, DELETE"},
    COURIER: {"TABLE consumers": "SELECT, INSERT, UPDATE"},
}


def upgrade() -> None:
    """Create the table of heartbeats."""
    op.create_table(
        "consumers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consumed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", "queue", name="consumers_pkey"),
    )
    # Rows change every few seconds: their versions stay on the page and are pruned there.
    op.execute("ALTER TABLE consumers SET (fillfactor = 20)")
    for role, rights in _RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop it; the rights go with it."""
    op.drop_table("consumers")
