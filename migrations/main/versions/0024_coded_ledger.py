"""Codes for accounts, charges and grants, under the release key, which no database holds; digests of datasets' content.

Existing accounts, charges and grants get an invalid code: nothing is charged to them anymore. A budget that was set
with an upload can only be lowered. Each charge keeps the amounts that its account and its grant had spent after it, so
that a row restored from before the charge is contradicted.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, WORKER, grant

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

BOUND = ("budgets", "charges", "grants")
RIGHTS = {
    SERVICE: {"TABLE budgets": "UPDATE (mac)", "TABLE grants": "UPDATE (mac)", "TABLE contents": "SELECT"},
    WORKER: {"TABLE contents": "SELECT, INSERT"},
}
_RULES = """
    CREATE OR REPLACE FUNCTION budgets_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent OR NEW.delta_spent < OLD.delta_spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        IF (OLD.spent > 0 OR OLD.delta_spent > 0{fixed}) AND (
            NEW.measure <> OLD.measure OR NEW.total > OLD.total
            OR COALESCE(NEW.delta_total > OLD.delta_total, NEW.delta_total IS NULL AND OLD.delta_total IS NOT NULL)
        ) THEN
            RAISE EXCEPTION 'an account that was charged keeps its measure and total' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$
"""


def upgrade() -> None:
    """Add the codes and what they cover."""
    op.add_column("budgets", sa.Column("fixed", sa.Boolean(), nullable=False, server_default="false"))
    op.execute(
        "UPDATE budgets SET fixed = true FROM audit_events e"
        " WHERE e.action = 'budget.open' AND e.subject = budgets.lineage_id::text"
    )
    op.add_column("charges", sa.Column("spent", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("charges", sa.Column("granted", sa.BigInteger(), nullable=True))
    op.alter_column("charges", "spent", server_default=None)
    for table in BOUND:
        op.add_column(table, sa.Column("mac", sa.LargeBinary(), nullable=False, server_default=""))
        op.alter_column(table, "mac", server_default=None)
    op.create_index("charges_by_spending", "charges", ["lineage_id", "spent"])
    op.create_index("charges_by_token", "charges", ["lineage_id", "token_id", "granted"])
    op.create_table(
        "contents",
        sa.Column(
            "dataset_id", sa.Uuid(), sa.ForeignKey("datasets.id", name="contents_dataset_id_fkey"), nullable=False
        ),
        sa.Column("tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="contents_tenant_id_fkey"), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("same_as", sa.Uuid(), sa.ForeignKey("datasets.id", name="contents_same_as_fkey"), nullable=True),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", name="contents_pkey"),
    )
    op.create_index("contents_by_digest", "contents", ["tenant_id", "digest"])
    op.add_column("datasets", sa.Column("unrelated", sa.Boolean(), nullable=True))
    op.execute(_RULES.format(fixed=" OR OLD.fixed"))
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop all of it."""
    op.execute(_RULES.format(fixed=""))
    op.drop_column("datasets", "unrelated")
    op.drop_table("contents")
    for index in ("charges_by_token", "charges_by_spending"):
        op.drop_index(index, "charges")
    for table in BOUND:
        op.drop_column(table, "mac")
    for column in ("granted", "spent"):
        op.drop_column("charges", column)
    op.drop_column("budgets", "fixed")
