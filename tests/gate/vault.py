"""Attacks on stored artifacts by a thief of the database and the release key; the gate must not be fooled."""

import csv
import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, create_engine, text

from storage.blobs.blobs import CHUNK_BYTES, ChunkCipher, open_release_blob, read_release_chunks, write_release_blob
from storage.crypto.keys import load_release_key
from tests.system.conftest import Stack
from workers.process.tasks import run_job
from workers.run.context import Context

Change = Callable[[bytes], bytes]


@contextmanager
def owner(stack: Stack) -> Iterator[Connection]:
    """A connection of the main database's owner."""
    engine = create_engine(stack.database_url, hide_parameters=True)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def release_key(stack: Stack) -> bytes:
    """The key that the API and the workers hold."""
    return load_release_key(Path(stack.api_environment["ANTIFAZ_RELEASE_KEY_FILE"]))


def unpublished(stack: Stack) -> list[tuple[UUID, UUID]]:
    """Blob and tenant of every sealed artifact that is not yet part of a release."""
    with owner(stack) as connection:
        rows = connection.execute(
            text("SELECT id, tenant_id FROM blobs WHERE purpose = 'release' AND NOT published ORDER BY created_at")
        )
        return [(row.id, row.tenant_id) for row in rows]


def plaintext(stack: Stack, blob_id: UUID, tenant_id: UUID) -> bytes:
    """The bytes of an artifact."""
    with owner(stack) as connection:
        return b"".join(read_release_chunks(connection, release_key(stack), tenant_id, blob_id))


def rewrite(stack: Stack, blob_id: UUID, tenant_id: UUID, change: Change) -> None:
    """Change an artifact of one chunk and encrypt it again under its own data key, so that it authenticates."""
    with owner(stack) as connection:
        blob = open_release_blob(connection, release_key(stack), tenant_id, blob_id)
        content = b"".join(read_release_chunks(connection, release_key(stack), tenant_id, blob_id))
        changed = change(content)
        assert changed != content
        assert len(changed) <= CHUNK_BYTES
        sealed = ChunkCipher(blob.data_key, tenant_id, blob_id).encrypt(0, True, changed)
        _update(connection, "UPDATE release_chunks SET content = :content WHERE blob_id = :id", blob_id, content=sealed)
        _update(connection, "UPDATE blobs SET size = :size WHERE id = :id", blob_id, size=len(changed))


def flip(stack: Stack, blob_id: UUID, number: int = 0) -> None:
    """Change one bit of a stored chunk, as a failing disk would."""
    statement = (
        "UPDATE release_chunks SET content = set_byte(content, 9, get_byte(content, 9) # 1)"
        " WHERE blob_id = :id AND number = :number"
    )
    with owner(stack) as connection:
        _update(connection, statement, blob_id, number=number)


def artifact(stack: Stack, release_id: str, form: str = "csv") -> Any:
    """The stored row of a release's artifact, with its tenant."""
    statement = (
        "SELECT a.blob_id, a.sha256, a.size, r.tenant_id FROM artifacts a JOIN releases r ON r.id = a.release_id"
        " WHERE r.id = :id AND a.format = :form"
    )
    with owner(stack) as connection:
        return connection.execute(text(statement), {"id": release_id, "form": form}).one()


@contextmanager
def exchanged(stack: Stack, release_id: str, change: Change) -> Iterator[None]:
    """Point a release's csv at another blob of the same size, correctly encrypted but never verified.

    It is restored afterwards: a list that contains a forged release is never answered.
    """
    stored = artifact(stack, release_id)
    content = plaintext(stack, stored.blob_id, stored.tenant_id)
    changed = change(content)
    assert len(changed) == len(content)
    assert hashlib.sha256(changed).hexdigest() != stored.sha256
    with owner(stack) as connection:
        other = write_release_blob(connection, release_key(stack), stored.tenant_id, [changed])
    statement = "UPDATE artifacts SET blob_id = :other WHERE blob_id = :id"
    with owner(stack) as connection:
        _update(connection, statement, stored.blob_id, other=other.id)
    yield
    with owner(stack) as connection:
        _update(connection, statement, other.id, other=stored.blob_id)


def releases_of(stack: Stack, job_id: str) -> int:
    """How many releases a job has."""
    with owner(stack) as connection:
        statement = text("SELECT count(*) FROM releases WHERE job_id = :id")
        return int(connection.execute(statement, {"id": job_id}).scalar_one())


def _update(connection: Connection, statement: str, item_id: UUID, **values: Any) -> None:
    assert connection.execute(text(statement), {"id": item_id, **values}).rowcount == 1


def run_here(stack: Stack, context: Context, content: bytes, policy: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Submit a job and run it in this process."""
    answer = stack.upload(content, policy, **more)
    assert answer.status_code == 202, answer.text
    job_id = answer.json()["job"]["id"]
    run_job(context, UUID(job_id))
    return stack.finish(job_id)


def with_another_cell(content: bytes) -> bytes:
    """One quasi-identifier of one row is changed, so that the row is alone in its class."""
    rows = list(csv.reader(io.StringIO(content.decode())))
    rows[7][rows[0].index("sex")] = "X"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def assert_not_released(stack: Stack, job: dict[str, Any]) -> None:
    """The job ended without a release."""
    assert job["status"] in ("failed", "refused")
    assert job["release_id"] is None
    assert releases_of(stack, job["id"]) == 0
