"""Projections: sealed columns that questions read instead of the whole original."""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, WORKER, grant

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

RIGHTS = {
    SERVICE: {"TABLE projections": "SELECT"},
    WORKER: {"TABLE projections": "SELECT, INSERT, DELETE"},
}


def upgrade() -> None:
    """Create the table of columns and their blobs, by dataset."""
    op.create_table(
        "projections",
        sa.Column("dataset_id", sa.Uuid(), sa.ForeignKey("datasets.id", name="projections_dataset_id_fkey")),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("blob_id", sa.Uuid(), sa.ForeignKey("blobs.id", name="projections_blob_id_fkey"), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "version", "place", name="projections_pkey"),
    )
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Delete the sealed columns, so that no orphans remain, then drop the table; questions read the originals again."""
    op.execute("DELETE FROM original_chunks WHERE blob_id IN (SELECT blob_id FROM projections)")
    op.execute("CREATE TEMPORARY TABLE gone ON COMMIT DROP AS SELECT blob_id FROM projections")
    op.drop_table("projections")
    op.execute("DELETE FROM blobs WHERE id IN (SELECT blob_id FROM gone)")
