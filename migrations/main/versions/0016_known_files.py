"""Digests that recognize files, and datasets that are declared unrelated to one with the same file."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; files of existing uploads are not recognized."""
    op.add_column("datasets", sa.Column("digest", sa.LargeBinary(), nullable=True))
    op.add_column(
        "datasets",
        sa.Column(
            "unrelated_to", sa.Uuid(), sa.ForeignKey("datasets.id", name="datasets_unrelated_to_fkey"), nullable=True
        ),
    )
    op.create_index("datasets_by_digest", "datasets", ["tenant_id", "digest"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("datasets_by_digest", "datasets")
    op.drop_column("datasets", "unrelated_to")
    op.drop_column("datasets", "digest")
