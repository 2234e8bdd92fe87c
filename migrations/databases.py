"""Running the migrations of one database: under a lock, so that several starting processes do not collide."""

import threading
from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text

DATABASES = ("main", "keyring")
_LOCK = 0x616E7469
"""Key of the advisory lock that a migration holds."""
_ONE_AT_A_TIME = threading.Lock()
"""Alembic keeps its state in globals of the process."""


class UnknownRevision(Exception):
    """A database is at a revision that this version of Antifaz has no migration for."""


def upgrade(database: str, url: str, revision: str = "head") -> None:
    """Bring a database up to a revision."""
    _run(database, url, lambda config: command.upgrade(config, revision))


def downgrade(database: str, url: str, revision: str = "base") -> None:
    """Take a database back to a revision; everything that later revisions added is lost."""
    _run(database, url, lambda config: command.downgrade(config, revision))


def current(database: str, url: str) -> str | None:
    """The current revision of a database."""
    found: list[str | None] = []
    _with_connection(url, lambda c: found.append(MigrationContext.configure(c).get_current_revision()))
    return found[0]


def newest(database: str) -> str | None:
    """The revision that an upgrade leads to."""
    return ScriptDirectory.from_config(_config(database)).get_current_head()


def _run(database: str, url: str, work: Callable[[Config], None]) -> None:
    config = _config(database)

    def migrate(connection: Connection) -> None:
        connection.execute(text("SET LOCAL lock_timeout = '60s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        _refuse_unknown(database, connection, config)
        config.attributes["connection"] = connection
        work(config)

    with _ONE_AT_A_TIME:
        _with_connection(url, migrate)


def _refuse_unknown(database: str, connection: Connection, config: Config) -> None:
    found = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise UnknownRevision(
            f"The {database} database is at revision {found}, which this version cannot migrate: it was made by "
            "a newer version, or by one from before the first release. Use that version, or a new database."
        )


def _config(database: str) -> Config:
    if database not in DATABASES:
        raise ValueError(f"a database is one of {', '.join(DATABASES)}")
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name(database)).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _with_connection(url: str, work: Callable[[Connection], None]) -> None:
    engine = create_engine(
        url,
        poolclass=NullPool,
        hide_parameters=True,
        connect_args={"connect_timeout": 10, "application_name": "antifaz-migrations"},
    )
    with engine.begin() as connection:
        work(connection)
