"""Uploads: streamed, encrypted, bounded in memory, and removed without a trace if they break off."""

import asyncio
import os
import secrets
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.blobs.intake import OriginalUpload, StoredOriginal, UploadAbandoned, store_original
from storage.blobs.keyring import store_sealed
from storage.blobs.originals import read_original
from storage.database.session import async_main_engine
from storage.orm import Blob, OriginalChunk
from storage.settings import Settings

MEBIBYTE = 1 << 20


def with_connection(settings: Settings, work: Callable[[AsyncConnection], Awaitable[Any]]) -> Any:
    """Run work on one connection of the service, in a separate event loop."""

    async def run() -> Any:
        engine = async_main_engine(settings, "test")
        try:
            async with engine.connect() as connection:
                return await work(connection)
        finally:
            await engine.dispose()

    return asyncio.run(run())


@pytest.fixture
def upload(service_settings: Settings, tenant_id: UUID, private_key: X25519PrivateKey) -> Callable[..., StoredOriginal]:
    """Uploads pieces as the service does, and commits."""

    def upload_pieces(pieces: Any) -> StoredOriginal:
        async def work(connection: AsyncConnection) -> StoredOriginal:
            async with OriginalUpload(connection, private_key.public_key(), tenant_id) as running:
                for piece in pieces:
                    await running.write(piece)
                stored = await running.finish()
            await connection.commit()
            return stored

        return with_connection(service_settings, work)  # type: ignore[no-any-return]

    return upload_pieces


def read(worker: Any, private_key: X25519PrivateKey, tenant_id: UUID, stored: StoredOriginal) -> bytes:
    with worker.keyring.begin() as kc:
        store_sealed(kc, stored.blob_id, stored.sealed)
    with worker.main.connect() as c, worker.keyring.connect() as kc:
        return b"".join(read_original(c, kc, private_key, tenant_id, stored.blob_id))


@pytest.mark.parametrize("size", [0, 1, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE])
def test_what_the_service_uploads_a_worker_reads(
    upload: Any, worker: Any, private_key: X25519PrivateKey, tenant_id: UUID, size: int
) -> None:
    content = secrets.token_bytes(size)
    stored = upload(content[start : start + 70_000] for start in range(0, size, 70_000))
    assert (stored.size, stored.chunks) == (size, max(1, -(-size // MEBIBYTE)))
    assert read(worker, private_key, tenant_id, stored) == content


def test_twenty_mebibytes_need_the_memory_of_a_few_chunks(upload: Any) -> None:
    piece = secrets.token_bytes(64 * 1024)
    upload([piece])
    tracemalloc.start()
    stored = upload(piece for _ in range(320))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert stored.size == 20 * MEBIBYTE
    assert peak < 8 * MEBIBYTE


def test_nothing_of_the_content_stands_in_the_database(upload: Any, owner: Any) -> None:
    canary = b"cnry_" + secrets.token_hex(12).encode()
    stored = upload([canary * 50])
    with owner.main.connect() as c:
        chunks = c.execute(select(OriginalChunk.content).where(OriginalChunk.blob_id == stored.blob_id)).scalars().all()
    assert len(chunks) == 1
    assert canary not in chunks[0]


def break_off(settings: Settings, key: X25519PrivateKey, tenant_id: UUID, error: BaseException) -> tuple[UUID, bool]:
    """Leave an upload by an error, roll back, and say whether the connection still works."""

    async def work(connection: AsyncConnection) -> tuple[UUID, bool]:
        running = OriginalUpload(connection, key.public_key(), tenant_id)

        async def fail() -> None:
            async with running:
                await running.write(bytes(3 * MEBIBYTE))
                raise error

        with pytest.raises(type(error)):
            await fail()
        with pytest.raises(DBAPIError):
            await connection.execute(text("SELECT 1"))
        await connection.rollback()
        return running.blob_id, (await connection.execute(text("SELECT 1"))).scalar_one() == 1

    return with_connection(settings, work)  # type: ignore[no-any-return]


@pytest.mark.parametrize("error", [ValueError("broken"), asyncio.CancelledError()], ids=["error", "cancelled"])
def test_an_upload_that_breaks_off_leaves_nothing(
    service_settings: Settings, owner: Any, private_key: X25519PrivateKey, tenant_id: UUID, error: BaseException
) -> None:
    blob_id, usable = break_off(service_settings, private_key, tenant_id, error)
    assert usable
    with owner.main.connect() as c:
        assert c.execute(select(func.count()).where(Blob.id == blob_id)).scalar_one() == 0
        assert c.execute(select(func.count()).where(OriginalChunk.blob_id == blob_id)).scalar_one() == 0


@pytest.mark.skipif("ANTIFAZ_TEST_DATABASE_URL" in os.environ, reason="the log of a given server is out of reach")
def test_an_error_of_the_upload_is_not_told_to_the_database(
    service_settings: Settings, server_folder: Path, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    canary = f"cnry_{secrets.token_hex(12)}"
    break_off(service_settings, private_key, tenant_id, ValueError(canary))
    files = [path.read_bytes() for path in server_folder.rglob("*") if path.is_file()]
    assert any(b"the upload was abandoned" in content for content in files)
    assert not any(canary.encode() in content for content in files)


def test_a_task_cancelled_again_and_again_still_ends_the_copy(
    service_settings: Settings, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    async def work(connection: AsyncConnection) -> bool:
        started = asyncio.Event()

        async def hang() -> None:
            async with OriginalUpload(connection, private_key.public_key(), tenant_id) as running:
                await running.write(bytes(2 * MEBIBYTE))
                started.set()
                await asyncio.sleep(60)

        task = asyncio.create_task(hang())
        await started.wait()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)
        assert task.cancelled()
        await connection.rollback()
        return (await connection.execute(text("SELECT 1"))).scalar_one() == 1

    assert with_connection(service_settings, work)


def test_an_upload_that_is_left_unfinished_cannot_be_committed(
    service_settings: Settings, owner: Any, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    async def work(connection: AsyncConnection) -> UUID:
        async with OriginalUpload(connection, private_key.public_key(), tenant_id) as running:
            await running.write(bytes(MEBIBYTE + 1))
        with pytest.raises(UploadAbandoned):
            await running.finish()
        await connection.commit()
        return running.blob_id

    blob_id = with_connection(service_settings, work)
    with owner.main.connect() as c:
        assert c.execute(select(func.count()).where(Blob.id == blob_id)).scalar_one() == 0


def test_a_slow_upload_outlasts_the_statement_timeout(
    service_settings: Settings, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    async def work(connection: AsyncConnection) -> tuple[int, str]:
        await connection.execute(text("SET statement_timeout = '300ms'"))
        async with OriginalUpload(connection, private_key.public_key(), tenant_id) as running:
            await running.write(b"first")
            await asyncio.sleep(0.5)
            stored = await running.finish()
        return stored.size, (await connection.execute(text("SHOW statement_timeout"))).scalar_one()

    assert with_connection(service_settings, work) == (5, "30s")


def test_two_uploads_share_one_transaction(
    service_settings: Settings, owner: Any, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    async def work(connection: AsyncConnection) -> list[UUID]:
        stored = []
        for content in (b"nodes", b"edges"):
            async with OriginalUpload(connection, private_key.public_key(), tenant_id) as running:
                await running.write(content)
                stored.append((await running.finish()).blob_id)
        await connection.commit()
        return stored

    ids = with_connection(service_settings, work)
    with owner.main.connect() as c:
        assert c.execute(select(func.count()).where(OriginalChunk.blob_id.in_(ids))).scalar_one() == 2


def test_content_in_memory_is_stored_like_an_upload(
    service: Any, worker: Any, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    content = secrets.token_bytes(MEBIBYTE + 5)
    with service.main.begin() as c:
        stored = store_original(c, private_key.public_key(), tenant_id, content)
    assert (stored.size, stored.chunks) == (len(content), 2)
    assert read(worker, private_key, tenant_id, stored) == content
    assert repr(stored.sealed) not in repr(stored)


def test_the_service_can_store_through_its_asynchronous_connection(
    service_settings: Settings, worker: Any, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    async def work(connection: AsyncConnection) -> StoredOriginal:
        stored = await connection.run_sync(store_original, private_key.public_key(), tenant_id, b"policy")
        await connection.commit()
        return stored

    stored = with_connection(service_settings, work)
    assert read(worker, private_key, tenant_id, stored) == b"policy"


def test_an_upload_for_an_unknown_tenant_stores_nothing(
    service_settings: Settings, private_key: X25519PrivateKey
) -> None:
    async def work(connection: AsyncConnection) -> None:
        async with OriginalUpload(connection, private_key.public_key(), uuid4()) as running:
            await running.finish()

    with pytest.raises(DBAPIError):
        with_connection(service_settings, work)
