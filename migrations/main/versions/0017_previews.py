"""Previews of hierarchies: their shape is stored, no label is."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_BEFORE = "'ready','generating','failed'"


def upgrade() -> None:
    """Add a status."""
    _allow(f"{_BEFORE},'preview'")


def downgrade() -> None:
    """Mark previews as failed, and remove the status."""
    op.execute("UPDATE hierarchies SET status = 'failed' WHERE status = 'preview'")
    _allow(_BEFORE)


def _allow(statuses: str) -> None:
    op.drop_constraint("hierarchies_status", "hierarchies")
    op.create_check_constraint("hierarchies_status", "hierarchies", f"status IN ({statuses})")
