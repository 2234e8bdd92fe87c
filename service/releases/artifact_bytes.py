"""The bytes of artifacts, read chunk by chunk and compared with the verified digest."""

import hashlib
from collections.abc import AsyncIterator
from uuid import UUID

from fastapi import Request

from service.access.auth import anyone, not_allowed
from service.access.visibility import may_read_data
from service.runtime.state import Service, service_of
from storage.blobs.blobs import chunk_numbers, open_release_blob, read_release_chunk, trim
from storage.errors import CorruptBlob
from storage.releases.releases import ArtifactRecord, ReleaseRecord


async def open_artifact(
    request: Request, release: ReleaseRecord, artifact: ArtifactRecord, start: int = 0, stop: int | None = None
) -> AsyncIterator[bytes]:
    """The bytes [start, stop), for a caller who may read data of this release.

    No other function of the service reads released bytes, so no operation can give them to a role without data. The
    first chunk is read and authenticated here, so an early failure is an error and not half a file.
    """
    if not may_read_data(request, release):
        raise not_allowed("get_release_data", anyone(request))
    service, tenant_id = service_of(request), release.tenant_id
    end = artifact.size if stop is None else stop
    async with service.reading() as connection:
        blob = await connection.run_sync(open_release_blob, service.release_key, tenant_id, artifact.blob_id)
    if blob.size != artifact.size:
        raise CorruptBlob("an artifact and its blob differ in size")
    chunks = _chunks(service, tenant_id, artifact.blob_id, blob.chunks, start, end)
    if end - start == artifact.size:
        chunks = _as_verified(chunks, artifact.sha256)
    first = await anext(chunks, b"")
    return _rest(first, chunks, service)


async def _as_verified(chunks: AsyncIterator[bytes], sha256: str) -> AsyncIterator[bytes]:
    """A whole artifact. The last chunk is held back until the digest of all of it matches the verified one.

    Chunks authenticate as parts of their blob; only the digest shows that the blob is this artifact's.
    """
    digest, held = hashlib.sha256(), b""
    async for chunk in chunks:
        digest.update(chunk)
        if held:
            yield held
        held = chunk
    if digest.hexdigest() != sha256:
        raise CorruptBlob("the stored artifact is not the one that was verified")
    yield held


async def _rest(first: bytes, chunks: AsyncIterator[bytes], service: Service) -> AsyncIterator[bytes]:
    service.metrics.served.inc(len(first))
    yield first
    async for chunk in chunks:
        service.metrics.served.inc(len(chunk))
        yield chunk


async def _chunks(
    service: Service, tenant_id: UUID, blob_id: UUID, count: int, start: int, stop: int
) -> AsyncIterator[bytes]:
    """Chunk by chunk, each on its own connection: a slow reader holds none."""
    for number in chunk_numbers(start, stop):
        async with service.reading() as connection:
            content = await connection.run_sync(
                read_release_chunk, service.release_key, tenant_id, blob_id, number, count
            )
        yield trim(content, number, start, stop)
