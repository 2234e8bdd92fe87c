"""Intake: the write-only side of originals.

Uploads are encrypted on arrival under a data key that stays in memory only until it is sealed to the workers. The
caller stores the sealed key in the keyring and commits that *before* it commits the blob: a sealed key without a blob
is swept, a blob without its key would be lost.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from sqlalchemy import (
    CTE,
    BigInteger,
    Connection,
    Insert,
    Integer,
    LargeBinary,
    Uuid,
    bindparam,
    insert,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.blobs.blobs import ChunkCipher, ChunkWriter, announce_blob, new_data_key, settle_blob
from storage.blobs.chunks import ORIGINALS, ChunkStream, NumberedChunk
from storage.blobs.keyring import seal
from storage.errors import StorageError
from storage.orm import Blob


@dataclass(frozen=True)
class StoredOriginal:
    """A stored original; its sealed key must still be written to the keyring."""

    blob_id: UUID
    size: int
    chunks: int
    sealed: bytes = field(repr=False)


class UploadAbandoned(StorageError):
    """The error sent to the database when an upload breaks off: the real error might quote the upload."""


class OriginalUpload:
    """Streams an original into the connection's transaction, with at most two chunks in memory.

    While it is open, the connection serves the copy only. Leaving it without `finish`, by any error or cancellation,
    ends the copy on the wire and leaves a transaction that can only be rolled back.
    """

    def __init__(self, connection: AsyncConnection, public_key: X25519PublicKey, tenant_id: UUID) -> None:
        self._connection = connection
        self._public_key = public_key
        self._tenant_id = tenant_id
        self._data_key = new_data_key()
        self.blob_id = uuid4()
        self._writer = ChunkWriter(ChunkCipher(self._data_key, tenant_id, self.blob_id))
        self._stream = ChunkStream(ORIGINALS, connection, self.blob_id)

    @property
    def size(self) -> int:
        """Bytes taken so far."""
        return self._writer.size

    async def __aenter__(self) -> Self:
        await self._connection.run_sync(announce_blob, self._tenant_id, self.blob_id, "original", None)
        # A slow client must not cause a failure: the copy is one statement that lasts as long as the upload.
        await self._connection.execute(text("SET LOCAL statement_timeout = 0"))
        await self._stream.open()
        return self

    async def write(self, content: bytes) -> None:
        """Take the next bytes of the upload."""
        for chunk in self._writer.feed(content):
            await self._send(chunk)

    async def finish(self) -> StoredOriginal:
        """Store the last chunk and seal the key."""
        await self._send(self._writer.finish())
        await self._stream.close()
        await self._connection.execute(text("SET LOCAL statement_timeout TO DEFAULT"))
        await self._connection.run_sync(settle_blob, self.blob_id, self._writer)
        return self._stored()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream.is_open:
            await _outlive_cancellation(self._stream.close(UploadAbandoned("the upload was abandoned")))

    async def _send(self, chunk: NumberedChunk) -> None:
        if not self._stream.is_open:
            raise UploadAbandoned("the upload is not open")
        await self._stream.put(chunk)

    def _stored(self) -> StoredOriginal:
        sealed = seal(self._public_key, self.blob_id, self._data_key)
        return StoredOriginal(self.blob_id, self._writer.size, self._writer.chunks, sealed)


async def _outlive_cancellation(work: Coroutine[Any, Any, None]) -> None:
    """Await work to its end even if the task is cancelled meanwhile, even repeatedly; then raise the cancellation."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError


@dataclass(frozen=True)
class SealedOriginal:
    """Content that was encrypted in memory and must still be stored."""

    stored: StoredOriginal
    tenant_id: UUID
    width: int
    """Bytes of each chunk of ciphertext but the last."""
    content: bytes = field(repr=False)

    def parameters(self) -> dict[str, Any]:
        """The parameters of `storing`."""
        blob = {"blob_id": self.stored.blob_id, "blob_tenant_id": self.tenant_id, "size": self.stored.size}
        return blob | {"count": self.stored.chunks, "width": self.width, "content": self.content}


def seal_original(public_key: X25519PublicKey, tenant_id: UUID, content: bytes) -> SealedOriginal:
    """Encrypt content that is already in memory: a policy, a hierarchy, a map."""
    blob_id, data_key = uuid4(), new_data_key()
    writer = ChunkWriter(ChunkCipher(data_key, tenant_id, blob_id))
    chunks = [chunk for _, chunk in (*writer.feed(content), writer.finish())]
    stored = StoredOriginal(blob_id, writer.size, writer.chunks, seal(public_key, blob_id, data_key))
    return SealedOriginal(stored, tenant_id, len(chunks[0]), b"".join(chunks))


def store_original(c: Connection, public_key: X25519PublicKey, tenant_id: UUID, content: bytes) -> StoredOriginal:
    """Encrypt and store content that is already in memory."""
    sealed = seal_original(public_key, tenant_id, content)
    blob, chunks = storing()
    c.execute(chunks.add_cte(blob), sealed.parameters())
    return sealed.stored


@cache
def storing() -> tuple[CTE, Insert]:
    """The parts of a statement that store a sealed original: its blob, and its chunks."""
    blob_id, tenant_id = bindparam("blob_id", type_=Uuid), bindparam("blob_tenant_id", type_=Uuid)
    count, width = bindparam("count", type_=Integer), bindparam("width", type_=Integer)
    amount = {"chunks": count, "size": bindparam("size", type_=BigInteger)}
    blob = insert(Blob).values(id=blob_id, tenant_id=tenant_id, purpose="original", **amount).cte("blob")
    return blob, ORIGINALS.putting(blob_id, count, width, bindparam("content", type_=LargeBinary))
