"""Migrations: up, down, up again, and equal to the models."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, NullPool, create_engine, inspect, text

from migrations.__main__ import main
from migrations.databases import DATABASES, UnknownRevision, current, downgrade, newest, upgrade
from stack.servers.databases import create_database, drop_database
from storage.database.schema import KEYRING_REVISION
from storage.orm import Base, KeyringBase
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
METADATA = {"main": Base.metadata, "keyring": KeyringBase.metadata}


@pytest.fixture
def url(databases: Any) -> Iterator[str]:
    """An empty database."""
    name = f"empty_{secrets.token_hex(8)}"
    create_database(databases.address, name)
    yield databases.address.url(name)
    drop_database(databases.address, name)


def tables(url: str) -> set[str]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return set(inspect(connection).get_table_names())


def differences(url: str, metadata: MetaData) -> list[Any]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


@pytest.mark.parametrize("database", DATABASES)
def test_the_migrated_schema_is_that_of_the_models(url: str, database: str) -> None:
    upgrade(database, url)
    assert differences(url, METADATA[database]) == []
    assert tables(url) == {*METADATA[database].tables, "alembic_version"}


@pytest.mark.parametrize("database", DATABASES)
def test_a_difference_would_be_noticed(url: str, database: str) -> None:
    upgrade(database, url)
    engine = create_engine(url, poolclass=NullPool)
    table = next(iter(METADATA[database].tables))
    with engine.begin() as connection:
        connection.execute(text(f"ALTER TABLE {table} ADD COLUMN surplus text"))
    assert differences(url, METADATA[database])


@pytest.mark.parametrize("database", DATABASES)
def test_constraints_and_indexes_are_named_like_the_models(url: str, database: str) -> None:
    upgrade(database, url)
    migrated = names(url)
    engine = create_engine(url, poolclass=NullPool)
    downgrade(database, url)
    with engine.begin() as connection:
        METADATA[database].create_all(connection)
    assert names(url) == migrated


def names(url: str) -> set[tuple[str, str]]:
    """Every constraint, index and check with its definition; models know no triggers."""
    statement = """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid <> 'alembic_version'::regclass AND contype <> 't'
        UNION ALL
        SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    """
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return {(row[0], row[1]) for row in connection.execute(text(statement))}


@pytest.mark.parametrize("database", DATABASES)
def test_there_and_back_and_there_again(url: str, database: str) -> None:
    assert current(database, url) is None
    upgrade(database, url)
    assert current(database, url) == newest(database)
    downgrade(database, url)
    assert current(database, url) is None
    assert tables(url) == {"alembic_version"}
    upgrade(database, url)
    assert differences(url, METADATA[database]) == []


def test_processes_that_start_at_once_migrate_once(url: str) -> None:
    processes = [start_upgrade(url) for _ in range(2)]
    outputs = [process.communicate(timeout=patience())[0] for process in processes]
    assert outputs == [f"keyring: {KEYRING_REVISION}\n".encode()] * 2
    assert [process.returncode for process in processes] == [0, 0]


def start_upgrade(url: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "migrations", "upgrade", "keyring"]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "ANTIFAZ_KEYRING_URL": url}, stdout=subprocess.PIPE, stderr=None
    )


def test_threads_of_one_process_take_turns(url: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: upgrade("keyring", url), range(3)))
    assert current("keyring", url) == newest("keyring")


def test_chunks_are_stored_as_they_come(databases: Any) -> None:
    statement = """
        SELECT attrelid::regclass::text, attstorage::text FROM pg_attribute
        WHERE attrelid IN ('original_chunks'::regclass, 'release_chunks'::regclass) AND attname = 'content'
    """
    engine = create_engine(databases.url, poolclass=NullPool)
    with engine.connect() as connection:
        found = {row[0]: row[1] for row in connection.execute(text(statement))}
    assert found == {"original_chunks": "e", "release_chunks": "e"}


def at_revision(url: str, revision: str) -> None:
    """Pretend that a database was migrated by another version."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


@pytest.mark.parametrize("work", [upgrade, downgrade])
@pytest.mark.parametrize("database", DATABASES)
def test_a_database_of_another_version_is_refused_and_left_alone(url: str, database: str, work: Any) -> None:
    upgrade(database, url)
    at_revision(url, "0002")
    with pytest.raises(UnknownRevision, match=f"{database} database is at revision 0002"):
        work(database, url)
    assert current(database, url) == "0002"
    assert differences(url, METADATA[database]) == []


@pytest.mark.parametrize("database", DATABASES)
def test_a_downgrade_leaves_no_function_sequence_or_right_behind(url: str, database: str) -> None:
    statement = """
        SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT relname FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relname NOT IN ('alembic_version', 'alembic_version_pkc')
        UNION ALL SELECT rolname FROM pg_roles
            WHERE rolname LIKE 'antifaz!_%' ESCAPE '!' AND has_table_privilege(oid, 'alembic_version', 'SELECT')
            AND NOT rolsuper
    """
    engine = create_engine(url, poolclass=NullPool)
    for work, leftovers in ((upgrade, True), (downgrade, False)):
        work(database, url)
        with engine.connect() as connection:
            assert bool(connection.execute(text(statement)).all()) is leftovers


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(ValueError, match="main"):
        newest("other")


def test_the_command_line_migrates_what_the_settings_name(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTIFAZ_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("ANTIFAZ_KEYRING_URL", url)
    main(["upgrade", "keyring"])
    main(["current", "keyring"])
    main(["downgrade", "keyring"])
    assert capsys.readouterr().out.splitlines() == [f"keyring: {KEYRING_REVISION}"] * 2 + ["keyring: empty"]


def test_the_command_line_refuses_another_version_in_one_sentence(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTIFAZ_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("ANTIFAZ_KEYRING_URL", url)
    main(["upgrade", "keyring"])
    at_revision(url, "0001")
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", "keyring"])
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("The keyring database is at revision 0001, which this version cannot")
