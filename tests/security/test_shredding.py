"""Deleting a dataset: no backup of the main database restores the original, and the release stays."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Connection

from stack.servers.databases import create_database, drop_database
from storage.audit import audit
from storage.blobs.originals import read_original
from storage.crypto.heads import HeadSigner
from storage.crypto.keys import load_audit_keys, load_private_key
from storage.database.session import keyring_engine, main_engine
from storage.errors import Shredded
from storage.settings import Settings
from tests.patience import wait_for
from tests.system.samples import patients, table_policy

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"

Backup = dict[str, bytes]


@pytest.fixture
def restored(templates: Any) -> Iterator[Any]:
    """A migrated database to restore a backup into."""
    made = replace(templates, main=f"restored_{secrets.token_hex(8)}")
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
    """Restore a backup into an empty database, whatever the order of its tables."""
    with address.connect(database) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        for table, content in backup.items():
            statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(sql.Identifier(table))
            with connection.cursor().copy(statement) as copy:
                copy.write(content)


@contextmanager
def connected(stack: Any, main_url: str) -> Iterator[tuple[Connection, Connection]]:
    """A restored main database, and the current keyring."""
    settings = Settings(database_url=main_url, keyring_url=stack.keyring_url)
    main, keyring = main_engine(settings), keyring_engine(settings)
    try:
        with main.connect() as c, keyring.connect() as kc:
            yield c, kc
    finally:
        main.dispose()
        keyring.dispose()


ORIGINAL = "SELECT tenant_id, blob_id FROM datasets WHERE id = %s"
MAP = "SELECT tenant_id, map_blob_id FROM releases WHERE dataset_id = %s"
POLICY = "SELECT tenant_id, policy_blob_id FROM jobs WHERE dataset_id = %s AND policy_blob_id IS NOT NULL"


def read_with_the_workers_key(stack: Any, main_url: str, dataset_id: str, ask: str = ORIGINAL) -> bytes:
    """Everything that a thief of the backup could read with the workers' key and the current keyring."""
    key = load_private_key(Path(stack.worker_environment["ANTIFAZ_WORKER_KEY_FILE"]))
    with connected(stack, main_url) as (c, kc):
        tenant_id, blob_id = c.exec_driver_sql(ask, (UUID(dataset_id),)).one()
        return b"".join(read_original(c, kc, key, tenant_id, blob_id))


def main_of(stack: Any) -> str:
    """The name of the stack's main database."""
    return str(stack.database_url.rpartition("/")[2])


def test_a_restored_backup_holds_an_original_that_nobody_can_read(stack: Any, restored: Any) -> None:
    content = patients(80)
    job = stack.publish(content, table_policy(4, None))
    assert job["status"] == "released", job
    restore(restored.address, restored.main, back_up(restored.address, main_of(stack)))
    assert read_with_the_workers_key(stack, restored.url, job["dataset_id"]) == content
    assert read_with_the_workers_key(stack, restored.url, job["dataset_id"], MAP)
    assert b"mondrian" in read_with_the_workers_key(stack, restored.url, job["dataset_id"], POLICY)
    with stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{job['dataset_id']}").status_code == 204
    for ask in (ORIGINAL, MAP, POLICY):
        with pytest.raises(Shredded):
            read_with_the_workers_key(stack, restored.url, job["dataset_id"], ask)
    assert stack.data(job["release_id"])
    with stack.client("auditor") as auditor:
        deleted = auditor.get("/v1/audit-events", params={"action": "dataset.delete"}).json()["items"]
        assert [event["subject"] for event in deleted] == [job["dataset_id"]]
        assert deleted[0]["details"]["shredded"] >= 2
        assert auditor.get("/v1/audit-events/verify").json()["intact"] is True


def test_an_original_that_could_not_be_read_is_shredded_too_and_the_trail_says_so(stack: Any, restored: Any) -> None:
    """No worker claims the job until the backup is made."""
    head, *rows = patients(500).splitlines(keepends=True)
    content = head + b"".join(rows) * 120 + b"one cell\n"
    assert len(content) > 1 << 20
    stack.stop("worker")
    try:
        answer = stack.upload(content, table_policy(4, None))
        assert answer.status_code == 202, answer.text
        restore(restored.address, restored.main, back_up(restored.address, main_of(stack)))
    finally:
        stack.start("worker")
    job = stack.finish(answer.json()["job"]["id"])
    assert job["status"] == "failed", job
    for ask in (ORIGINAL, POLICY):
        with pytest.raises(Shredded):
            read_with_the_workers_key(stack, restored.url, job["dataset_id"], ask)
    with stack.client("auditor") as auditor:
        shredded = auditor.get("/v1/audit-events", params={"action": "dataset.shred"}).json()["items"]
    assert shredded[0]["subject"] == job["dataset_id"]
    assert shredded[0]["details"]["problem"] == job["error"]["type"]


def test_a_backup_that_knows_nothing_of_a_withdrawal_is_noticed(stack: Any, restored: Any) -> None:
    """Published data is not secret, so its key is not shredded; but the trail no longer reaches its anchors."""
    job = stack.publish(patients(80), table_policy(4, None))
    assert job["status"] == "released", job
    restore(restored.address, restored.main, back_up(restored.address, main_of(stack)))
    with stack.client() as steward, stack.client("auditor") as auditor:
        withdrawn = steward.post(f"/v1/releases/{job['release_id']}/withdraw", json={"reason": "test"})
        assert withdrawn.status_code == 200, withdrawn.text
        wait_for(lambda: anchored(auditor), "an anchor of the withdrawal")
    with stack.client("consumer") as consumer:
        assert consumer.get(f"/v1/releases/{job['release_id']}/data").status_code == 410
    with connected(stack, restored.url) as (c, kc):
        tenant_id = c.exec_driver_sql(
            "SELECT tenant_id FROM releases WHERE id = %s", (UUID(job["release_id"]),)
        ).scalar()
        signer = HeadSigner(load_audit_keys(Path(stack.api_environment["ANTIFAZ_AUDIT_KEY_FILE"])))
        state = audit.verify(c, kc, signer, UUID(str(tenant_id)))
    assert not state.intact
    assert state.anchored > state.events


def anchored(auditor: Any) -> bool:
    """Whether the sweeper has copied the head of the chain into the keyring."""
    state = auditor.get("/v1/audit-events/verify").json()
    assert state["intact"] is True
    return bool(state["anchored"] == state["events"])
