"""Each tenant's usage is kept as running totals, so that a submission does not sum up everything before it.

Triggers update the totals when a transaction commits: an upload or a worker's long transaction does not keep the
tenant's other requests waiting for the row, and nothing can be stored without being counted. They run with the rights
of the table's owner, since no process may write to it.

Originals are stored one by one but deleted by the thousand, a dataset together with its policies, and changing one row
n times in a transaction takes n² steps. So each deletion adds its own row, which the next upload or submission merges
into the total: a tenant's usage is the sum of its few rows.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, grant

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_COUNT_ORIGINALS = """
    CREATE FUNCTION tally_originals() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        tenant uuid := COALESCE(NEW.tenant_id, OLD.tenant_id);
        bytes bigint := COALESCE(NEW.size, 0) - COALESCE(OLD.size, 0);
    BEGIN
        IF bytes < 0 THEN
            INSERT INTO public.tallies (tenant_id, change, originals)
                VALUES (tenant, nextval('public.tally_changes'), bytes);
            RETURN NULL;
        END IF;
        -- This locks the total: of two at once the second sees that the first has added the changes.
        INSERT INTO public.tallies AS t (tenant_id, originals) VALUES (tenant, bytes)
            ON CONFLICT (tenant_id, change) DO UPDATE SET originals = t.originals + EXCLUDED.originals;
        WITH added AS (DELETE FROM public.tallies WHERE tenant_id = tenant AND change > 0 RETURNING originals)
            SELECT SUM(originals) INTO bytes FROM added;
        IF bytes IS NOT NULL THEN
            UPDATE public.tallies SET originals = originals + bytes WHERE tenant_id = tenant AND change = 0;
        END IF;
        RETURN NULL;
    END $$
"""
_COUNT_JOBS = """
    CREATE FUNCTION tally_jobs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
        INSERT INTO public.tallies AS t (tenant_id, jobs) VALUES (
            COALESCE(NEW.tenant_id, OLD.tenant_id),
            CASE WHEN TG_OP = 'DELETE' OR NEW.finished_at IS NOT NULL THEN -1 ELSE 1 END
        ) ON CONFLICT (tenant_id, change) DO UPDATE SET jobs = t.jobs + EXCLUDED.jobs;
        RETURN NULL;
    END $$
"""
_TRIGGERS = {
    "tally_stored": ("INSERT ON blobs", "NEW.purpose = 'original' AND NEW.size <> 0", "tally_originals"),
    "tally_settled": (
        "UPDATE OF size ON blobs",
        "NEW.purpose = 'original' AND NEW.size <> OLD.size",
        "tally_originals",
    ),
    "tally_deleted": ("DELETE ON blobs", "OLD.purpose = 'original' AND OLD.size <> 0", "tally_originals"),
    "tally_submitted": ("INSERT ON jobs", "NEW.finished_at IS NULL", "tally_jobs"),
    "tally_finished": (
        "UPDATE OF finished_at ON jobs",
        "(NEW.finished_at IS NULL) <> (OLD.finished_at IS NULL)",
        "tally_jobs",
    ),
    "tally_forgotten": ("DELETE ON jobs", "OLD.finished_at IS NULL", "tally_jobs"),
}
_FILL = """
    INSERT INTO tallies (tenant_id, originals, jobs) SELECT
        id,
        (SELECT COALESCE(SUM(size), 0) FROM blobs WHERE tenant_id = tenants.id AND purpose = 'original'),
        (SELECT COUNT(*) FROM jobs WHERE tenant_id = tenants.id AND finished_at IS NULL)
    FROM tenants
"""


def upgrade() -> None:
    """Create the totals and their triggers, then fill them: creating a trigger blocks writers until the commit."""
    op.create_table(
        "tallies",
        sa.Column("tenant_id", sa.Uuid(), sa.ForeignKey("tenants.id", name="tallies_tenant_id_fkey"), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("originals", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("jobs", sa.BigInteger(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("tenant_id", "change", name="tallies_pkey"),
    )
    # A row that changes at every submission stays on its page, and its versions are pruned there.
    op.execute("ALTER TABLE tallies SET (fillfactor = 20)")
    op.execute("CREATE SEQUENCE tally_changes")
    for function in (_COUNT_ORIGINALS, _COUNT_JOBS):
        op.execute(function)
    for name, (event, condition, function) in _TRIGGERS.items():
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {name} AFTER {event} DEFERRABLE INITIALLY DEFERRED"
            f" FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {function}()"
        )
    op.execute(_FILL)
    for statement in grant(SERVICE, {"TABLE tallies": "SELECT"}):
        op.execute(statement)
    op.drop_index("jobs_unfinished_by_tenant", "jobs")


def downgrade() -> None:
    """Drop all of it, and restore the index for counting."""
    unfinished = sa.text("finished_at IS NULL")
    op.create_index("jobs_unfinished_by_tenant", "jobs", ["tenant_id"], postgresql_where=unfinished)
    for name, (event, _, _) in _TRIGGERS.items():
        op.execute(f"DROP TRIGGER {name} ON {event.split()[-1]}")
    for function in ("tally_originals", "tally_jobs"):
        op.execute(f"DROP FUNCTION {function}()")
    op.execute("DROP SEQUENCE tally_changes")
    op.drop_table("tallies")
