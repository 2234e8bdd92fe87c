"""The first schema of the keyring, and the rights of each role.

The service stores and removes sealed keys without ever reading one; anchors of the audit chains are only ever added.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, WORKER, create_role, grant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERVICE_RIGHTS = {
    "alembic_version": "SELECT",
    "sealed_keys": "SELECT (blob_id), INSERT, DELETE",
    "audit_anchors": "SELECT, INSERT",
}
WORKER_RIGHTS = {
    "alembic_version": "SELECT",
    "sealed_keys": "SELECT, INSERT, DELETE",
    "audit_anchors": "SELECT, INSERT",
}


def upgrade() -> None:
    """Create the tables, then the roles and their rights."""
    op.create_table(
        "sealed_keys",
        sa.Column("blob_id", sa.Uuid(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("blob_id", name="sealed_keys_pkey"),
    )
    # A removed key should soon be gone from the disk pages too.
    op.execute("ALTER TABLE sealed_keys SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)")
    op.create_table(
        "audit_anchors",
        sa.Column("tenant_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("tenant_id", "number", name="audit_anchors_pkey"),
    )
    op.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    for role, rights in ((SERVICE, SERVICE_RIGHTS), (WORKER, WORKER_RIGHTS)):
        op.execute(create_role(role))
        for statement in (f"GRANT USAGE ON SCHEMA public TO {role}", *grant(role, rights)):
            op.execute(statement)


def downgrade() -> None:
    """Drop the tables, and with them every key: no original can be read anymore. The roles stay."""
    op.drop_table("audit_anchors")
    op.drop_table("sealed_keys")
    for role in (SERVICE, WORKER):
        op.execute(f"REVOKE ALL ON alembic_version FROM {role}")
        op.execute(f"REVOKE USAGE ON SCHEMA public FROM {role}")
