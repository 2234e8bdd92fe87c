"""Deleting a dataset: no backup of the main database brings the original back, and the release stays."""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from cli.databases import create_database, drop_database
from storage.errors import Shredded
from storage.keys import load_private_key
from storage.originals import read_original
from storage.session import keyring_engine, main_engine
from storage.settings import Settings
from tests.system.samples import patients, table_policy

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"

Backup = dict[str, bytes]


@pytest.fixture
def restored(templates: Any) -> Iterator[Any]:
    """A migrated database to restore a backup into."""
    made = replace(templates, main=f"restored_{secrets.token_hex(4)}")
    create_database(templates.address, made.main, template=templates.main)
    yield made
    drop_database(templates.address, made.main)


def back_up(address: Any, database: str) -> Backup:
    """Every row of every table, as a dump has them."""
    with address.connect(database) as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        return {name: copy_out(connection, name) for (name,) in connection.execute(_TABLES).fetchall()}


def copy_out(connection: "psycopg.Connection[Any]", table: str) -> bytes:
    statement = sql.SQL("COPY {} TO STDOUT (FORMAT BINARY)").format(sql.Identifier(table))
    with connection.cursor().copy(statement) as copy:
        return b"".join(bytes(piece) for piece in copy)


def restore(address: Any, database: str, backup: Backup) -> None:
    """Put a backup into an empty database, whatever the order of its tables."""
    with address.connect(database) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        for table, content in backup.items():
            statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(sql.Identifier(table))
            with connection.cursor().copy(statement) as copy:
                copy.write(content)


def read_with_the_workers_key(stack: Any, main_url: str, dataset_id: str) -> bytes:
    """Whatever a thief of the backup could read who also has the workers' key and the keyring as it is now."""
    settings = Settings(database_url=main_url, keyring_url=stack.keyring_url)
    main, keyring = main_engine(settings), keyring_engine(settings)
    try:
        with main.connect() as c, keyring.connect() as kc:
            ask = "SELECT tenant_id, blob_id FROM datasets WHERE id = %s"
            tenant_id, blob_id = c.exec_driver_sql(ask, (UUID(dataset_id),)).one()
            key = load_private_key(Path(stack.worker_environment["ANTIFAZ_WORKER_KEY_FILE"]))
            return b"".join(read_original(c, kc, key, tenant_id, blob_id))
    finally:
        main.dispose()
        keyring.dispose()


def test_a_restored_backup_holds_an_original_that_nobody_can_read(stack: Any, restored: Any) -> None:
    content = patients(80)
    job = stack.publish(content, table_policy(4, None))
    assert job["status"] == "released", job
    restore(restored.address, restored.main, back_up(restored.address, stack.database_url.rpartition("/")[2]))
    assert read_with_the_workers_key(stack, restored.url, job["dataset_id"]) == content
    with stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{job['dataset_id']}").status_code == 204
    with pytest.raises(Shredded):
        read_with_the_workers_key(stack, restored.url, job["dataset_id"])
    assert stack.data(job["release_id"])
    with stack.client("auditor") as auditor:
        deleted = auditor.get("/v1/audit-events", params={"action": "dataset.delete"}).json()["items"]
        assert [event["subject"] for event in deleted] == [job["dataset_id"]]
        assert deleted[0]["details"]["shredded"] >= 2
        assert auditor.get("/v1/audit-events/verify").json()["intact"] is True
