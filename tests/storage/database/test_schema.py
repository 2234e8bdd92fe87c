"""The code requires the revisions that the migrations lead to."""

from typing import Any

from migrations.databases import newest
from storage.database.schema import KEYRING_REVISION, MAIN_REVISION, is_migrated, schema_revision


def test_the_code_asks_for_the_newest_revisions() -> None:
    assert (newest("main"), newest("keyring")) == (MAIN_REVISION, KEYRING_REVISION)


def test_both_roles_see_that_the_databases_are_migrated(service: Any, worker: Any) -> None:
    for engines in (service, worker):
        with engines.main.connect() as c, engines.keyring.connect() as kc:
            assert is_migrated(c, MAIN_REVISION)
            assert is_migrated(kc, KEYRING_REVISION)
            assert not is_migrated(c, "9999")


def test_an_empty_database_has_no_revision(owner: Any) -> None:
    with owner.main.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE alembic_version RENAME TO elsewhere")
        assert schema_revision(connection) is None
        connection.rollback()
