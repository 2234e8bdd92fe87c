"""Jobs that do everything but publish end as assessed."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_BEFORE = "'queued','running','verifying','released','refused','failed','cancelled','done'"


def upgrade() -> None:
    """Add a status."""
    _allow(_BEFORE.replace("'released',", "'released','assessed',"))


def downgrade() -> None:
    """Turn successful trials into internal tasks."""
    op.execute("UPDATE jobs SET status = 'done' WHERE status = 'assessed'")
    _allow(_BEFORE)


def _allow(statuses: str) -> None:
    op.drop_constraint("jobs_status", "jobs")
    op.create_check_constraint("jobs_status", "jobs", f"status IN ({statuses})")
