"""The schema revisions that this code needs, for readiness checks."""

from sqlalchemy import Connection, inspect, text

MAIN_REVISION = "0024"
KEYRING_REVISION = "0003"


def schema_revision(c: Connection) -> str | None:
    """The revision that a database was migrated to, or None before the first migration."""
    if not inspect(c).has_table("alembic_version"):
        return None
    return c.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def is_migrated(c: Connection, revision: str) -> bool:
    """Whether a database has the schema that this code needs."""
    return schema_revision(c) == revision
