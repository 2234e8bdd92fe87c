"""The size of a dataset, in the units of its kind, in one column for all kinds."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_COUNTED = ("rows", "nodes", "edges")


def upgrade() -> None:
    """Merge the counts."""
    op.add_column("datasets", sa.Column("counts", JSONB(), nullable=True))
    pairs = ", ".join(f"'{name}', {name}" for name in _COUNTED)
    known = " OR ".join(f"{name} IS NOT NULL" for name in _COUNTED)
    op.execute(f"UPDATE datasets SET counts = jsonb_strip_nulls(jsonb_build_object({pairs})) WHERE {known}")
    for name in _COUNTED:
        op.drop_column("datasets", name)


def downgrade() -> None:
    """Split them."""
    for name in _COUNTED:
        op.add_column("datasets", sa.Column(name, sa.BigInteger(), nullable=True))
        op.execute(f"UPDATE datasets SET {name} = (counts->>'{name}')::bigint")
    op.drop_column("datasets", "counts")
