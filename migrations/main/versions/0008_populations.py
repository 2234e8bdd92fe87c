"""Which datasets may be used as populations, and who uploaded a dataset.

Nothing is known about existing uploads: none of them is a population, and errors show their rows to nobody.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both columns."""
    op.add_column("datasets", sa.Column("population", JSONB(), nullable=True))
    op.add_column("datasets", sa.Column("created_by", sa.Uuid(), nullable=True))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("datasets", "created_by")
    op.drop_column("datasets", "population")
