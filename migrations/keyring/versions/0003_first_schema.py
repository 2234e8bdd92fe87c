"""The schema of the keyring: sealed keys and signed anchors, and the rights of the two processes that use them."""

from pathlib import Path

from alembic import op

from migrations.roles import SERVICE, WORKER, create_role

revision = "0003"
down_revision = None
branch_labels = None
depends_on = None

ROLES = (SERVICE, WORKER)


def upgrade() -> None:
    """Create the roles, the tables, and the rights of the roles."""
    for role in ROLES:
        op.execute(create_role(role))
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """Drop the tables, and with them every key: no original can be read anymore. The roles stay."""
    op.execute("DROP TABLE sealed_keys, audit_anchors, ledger_anchors")
    for role in ROLES:
        op.execute(f"REVOKE ALL ON alembic_version FROM {role}")
        op.execute(f"REVOKE USAGE ON SCHEMA public FROM {role}")
