"""Sealed columns now keep the rows of a person together; existing ones are deleted and made again when needed."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Delete sealed columns; the next question about a dataset seals them again."""
    op.execute("DELETE FROM original_chunks WHERE blob_id IN (SELECT blob_id FROM projections)")
    op.execute("CREATE TEMPORARY TABLE gone ON COMMIT DROP AS SELECT blob_id FROM projections")
    op.execute("DELETE FROM projections")
    op.execute("DELETE FROM blobs WHERE id IN (SELECT blob_id FROM gone)")
    # Another revision may follow in the same transaction.
    op.execute("DROP TABLE gone")


downgrade = upgrade
