"""Cards of releases, and the open catalog's times of change."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.roles import SERVICE, grant

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

RIGHTS = {SERVICE: {"TABLE cards": "SELECT, INSERT", "TABLE listings": "SELECT, INSERT, UPDATE"}}


def upgrade() -> None:
    """Create two tables, and list the releases that are already public."""
    tenant = sa.ForeignKey("tenants.id", name="cards_tenant_id_fkey")
    op.create_table(
        "cards",
        sa.Column("subject", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Uuid(), tenant, nullable=False),
        sa.Column("content", JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "version", name="cards_pkey"),
    )
    op.create_table(
        "listings",
        sa.Column(
            "release_id", sa.Uuid(), sa.ForeignKey("releases.id", name="listings_release_id_fkey"), nullable=False
        ),
        sa.Column("tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="listings_tenant_id_fkey"), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("release_id", name="listings_pkey"),
    )
    op.create_index("listings_by_change", "listings", ["changed_at", "release_id"])
    op.create_index("listings_by_tenant", "listings", ["tenant_id"])
    op.execute(
        "INSERT INTO listings (release_id, tenant_id) SELECT id, tenant_id FROM releases WHERE audience = 'public'"
    )
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop both."""
    op.drop_table("listings")
    op.drop_table("cards")
