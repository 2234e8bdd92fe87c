"""Questions under differential privacy: accounts of two measures, declarations, analysts' grants and answers.

The first charge to an account fixes its measure and total; afterwards the total can only be lowered.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.roles import SERVICE, WORKER, grant

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

RIGHTS = {
    SERVICE: {
        "TABLE budgets": "UPDATE (spent, delta_spent, total, delta_total, measure)",
        "TABLE declarations": "SELECT, INSERT",
        "TABLE grants": "SELECT, INSERT, UPDATE (spent, total, dataset_id)",
        "TABLE query_answers": "SELECT",
    },
    WORKER: {
        "TABLE declarations": "SELECT",
        "TABLE query_answers": "SELECT, INSERT",
    },
}
_RULES = """
    CREATE OR REPLACE FUNCTION budgets_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent OR NEW.delta_spent < OLD.delta_spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        IF (OLD.spent > 0 OR OLD.delta_spent > 0) AND (
            NEW.measure <> OLD.measure OR NEW.total > OLD.total
            OR COALESCE(NEW.delta_total > OLD.delta_total, NEW.delta_total IS NULL AND OLD.delta_total IS NOT NULL)
        ) THEN
            RAISE EXCEPTION 'an account that was charged keeps its measure and total' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$
"""
_FORMER_RULES = """
    CREATE OR REPLACE FUNCTION budgets_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$
"""
_RULES_OF_GRANTS = """
    CREATE FUNCTION grants_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.spent < OLD.spent THEN
            RAISE EXCEPTION 'what was spent stays spent' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$
"""
_TRIGGER = """
    CREATE TRIGGER grants_only_grow BEFORE UPDATE ON grants
    FOR EACH ROW EXECUTE FUNCTION grants_only_grow()
"""


def upgrade() -> None:
    """Widen accounts and charges, then create the new tables."""
    op.add_column("budgets", sa.Column("measure", sa.Text(), nullable=False, server_default="pure"))
    op.add_column("budgets", sa.Column("delta_total", sa.BigInteger(), nullable=True))
    op.add_column("budgets", sa.Column("delta_spent", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_check_constraint("budgets_measure", "budgets", "measure IN ('pure','zcdp')")
    within = "0 <= delta_spent AND (delta_total IS NULL OR delta_spent <= delta_total)"
    op.create_check_constraint("budgets_delta_spent", "budgets", within)
    op.alter_column("charges", "micro_epsilon", new_column_name="units")
    op.execute("ALTER TABLE charges RENAME CONSTRAINT charges_micro_epsilon TO charges_units")
    op.add_column("charges", sa.Column("delta", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("charges", sa.Column("token_id", sa.Uuid(), nullable=True))
    op.create_check_constraint("charges_delta", "charges", "delta >= 0")
    op.create_table(
        "declarations",
        _belongs("lineage_id", "budgets.lineage_id", "declarations_lineage_id_fkey"),
        sa.Column("version", sa.Integer(), nullable=False),
        _belongs("tenant_id", "tenants.id", "declarations_tenant_id_fkey"),
        sa.Column("content", JSONB(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        _moment("created_at"),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("lineage_id", "version", name="declarations_pkey"),
    )
    op.create_table(
        "grants",
        _belongs("lineage_id", "budgets.lineage_id", "grants_lineage_id_fkey"),
        _belongs("token_id", "tokens.id", "grants_token_id_fkey"),
        _belongs("tenant_id", "tenants.id", "grants_tenant_id_fkey"),
        _belongs("dataset_id", "datasets.id", "grants_dataset_id_fkey"),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False, server_default="0"),
        _moment("created_at"),
        sa.PrimaryKeyConstraint("lineage_id", "token_id", name="grants_pkey"),
        sa.CheckConstraint("0 <= spent AND spent <= total", "grants_spent"),
    )
    op.create_index("grants_by_token", "grants", ["token_id"])
    op.create_index("grants_by_tenant", "grants", ["tenant_id"])
    op.create_table(
        "query_answers",
        _belongs("job_id", "jobs.id", "query_answers_job_id_fkey"),
        _belongs("tenant_id", "tenants.id", "query_answers_tenant_id_fkey"),
        sa.Column("content", JSONB(), nullable=False),
        _moment("created_at"),
        sa.Column("mac", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="query_answers_pkey"),
    )
    for statement in (_RULES, _RULES_OF_GRANTS, _TRIGGER):
        op.execute(statement)
    for role, rights in RIGHTS.items():
        for statement in grant(role, rights):
            op.execute(statement)


def downgrade() -> None:
    """Drop all of it; charges in rho cannot be distinguished from others afterwards."""
    for table in ("query_answers", "grants", "declarations"):
        op.drop_table(table)
    op.execute("DROP FUNCTION grants_only_grow()")
    op.drop_constraint("charges_delta", "charges")
    for column in ("token_id", "delta"):
        op.drop_column("charges", column)
    op.execute("ALTER TABLE charges RENAME CONSTRAINT charges_units TO charges_micro_epsilon")
    op.alter_column("charges", "units", new_column_name="micro_epsilon")
    op.execute(_FORMER_RULES)
    for name in ("budgets_delta_spent", "budgets_measure"):
        op.drop_constraint(name, "budgets")
    op.execute(f"REVOKE UPDATE (total) ON TABLE budgets FROM {SERVICE}")
    for column in ("delta_spent", "delta_total", "measure"):
        op.drop_column("budgets", column)


def _belongs(name: str, to: str, constraint: str) -> sa.Column[object]:
    return sa.Column(name, sa.Uuid(), sa.ForeignKey(to, name=constraint), nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
