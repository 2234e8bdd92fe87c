"""Fair shares for tenants: turns in the queue, bytes counted by tenant, and bytes freed again.

A release blob records the job and the attempt that made it, so that it is deleted as soon as that attempt ends without
a release. The bytes of a withdrawn release can be destroyed; its row records when that was requested.
"""

import sqlalchemy as sa
from alembic import op

from migrations.roles import SERVICE, grant

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RIGHTS = {"TABLE releases": "UPDATE (destroyed_at)"}


def upgrade() -> None:
    """Add the marks and the indexes."""
    op.add_column("blobs", sa.Column("job_id", sa.Uuid()))
    op.add_column("blobs", sa.Column("fence", sa.BigInteger()))
    op.add_column("releases", sa.Column("destroyed_at", sa.DateTime(timezone=True)))
    op.create_index("blobs_by_tenant", "blobs", ["tenant_id", "purpose", "size"])
    op.create_index("jobs_by_start", "jobs", ["tenant_id", "started_at"])
    kept = sa.text("destroyed_at IS NOT NULL")
    op.create_index("releases_destroyed", "releases", ["destroyed_at"], postgresql_where=kept)
    for statement in grant(SERVICE, RIGHTS):
        op.execute(statement)


def downgrade() -> None:
    """Drop all of it."""
    op.drop_index("releases_destroyed", "releases")
    op.drop_index("jobs_by_start", "jobs")
    op.drop_index("blobs_by_tenant", "blobs")
    op.drop_column("releases", "destroyed_at")
    op.drop_column("blobs", "fence")
    op.drop_column("blobs", "job_id")
