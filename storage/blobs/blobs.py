"""Blobs: content in authenticated, encrypted chunks.

A blob is a run of chunks of one mebibyte, the last one shorter, each AES-256-GCM under a data key that no other blob
has. The nonce is the chunk's number; the associated data bind tenant, blob, number and whether it is the last, so a
chunk that was changed, moved, dropped or cut off does not authenticate. Originals' data keys are sealed into the
keyring; releases' data keys are wrapped under the release key and stored in the blob's row.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, delete, func, insert, or_, select, update

from storage.blobs.chunks import RELEASES, NumberedChunk
from storage.crypto.authenticity import each_key
from storage.errors import CorruptBlob as CorruptBlob
from storage.orm import Blob, Job

CHUNK_BYTES = 1 << 20
"""Plaintext bytes of every chunk but the last: a constant of the format, because ranges are located by it."""
KEY_BYTES = 32
_NONCE_BYTES = 12
_CHUNK_LABEL = b"antifaz chunk 1"
_WRAP_LABEL = b"antifaz wrapped key 1"

_ANNOUNCE = insert(Blob)


@dataclass(frozen=True)
class StoredBlob:
    """A completely written blob."""

    id: UUID
    size: int
    chunks: int


@dataclass(frozen=True)
class OpenBlob:
    """A release blob with its data key, for reading."""

    id: UUID
    size: int
    chunks: int
    data_key: bytes = field(repr=False)


def new_data_key() -> bytes:
    """A new data key, for one blob."""
    return secrets.token_bytes(KEY_BYTES)


class ChunkCipher:
    """Encrypts and decrypts the chunks of one blob."""

    def __init__(self, data_key: bytes, tenant_id: UUID, blob_id: UUID) -> None:
        # Every blob has a key of its own, so that the chunk's number can be the nonce and nothing has to be stored.
        self._cipher = AESGCM(data_key)
        self._binding = _CHUNK_LABEL + tenant_id.bytes + blob_id.bytes

    def encrypt(self, number: int, last: bool, plaintext: bytes) -> bytes:
        """The ciphertext of a chunk. A number must never be encrypted twice under one key."""
        return self._cipher.encrypt(_nonce(number), plaintext, self._associated(number, last))

    def decrypt(self, number: int, last: bool, ciphertext: bytes) -> bytes:
        """The plaintext of a chunk; `CorruptBlob` if it is not exactly what was encrypted at this place."""
        try:
            return self._cipher.decrypt(_nonce(number), ciphertext, self._associated(number, last))
        except (InvalidTag, ValueError) as error:
            raise CorruptBlob(f"chunk {number} does not authenticate") from error

    def _associated(self, number: int, last: bool) -> bytes:
        return self._binding + number.to_bytes(8, "big") + (b"\x01" if last else b"\x00")


def _nonce(number: int) -> bytes:
    return number.to_bytes(_NONCE_BYTES, "big")


class ChunkWriter:
    """Cuts a stream into chunks and encrypts them, holding one chunk back until it knows which is the last."""

    def __init__(self, cipher: ChunkCipher, chunk_bytes: int = CHUNK_BYTES) -> None:
        self._cipher = cipher
        self._chunk_bytes = chunk_bytes
        self._held = bytearray()
        self.size = 0
        """Bytes of plaintext so far."""
        self.chunks = 0
        """Chunks returned so far."""

    def feed(self, content: bytes) -> list[NumberedChunk]:
        """Take some bytes and return the chunks that are full and certainly not the last."""
        self._held += content
        self.size += len(content)
        full: list[NumberedChunk] = []
        # A full chunk is held back: whether it is the last is part of what its tag covers.
        while len(self._held) > self._chunk_bytes:
            full.append(self._cut(last=False))
        return full

    def finish(self) -> NumberedChunk:
        """Return the last chunk, which is empty only if the blob is."""
        return self._cut(last=True)

    def _cut(self, last: bool) -> NumberedChunk:
        plaintext = bytes(self._held[: self._chunk_bytes])
        del self._held[: self._chunk_bytes]
        number = self.chunks
        self.chunks += 1
        return number, self._cipher.encrypt(number, last, plaintext)


def wrap_key(release_key: bytes, blob_id: UUID, data_key: bytes) -> bytes:
    """A release's data key under the newest release key, bound to its blob."""
    # One key wraps those of many blobs, so this nonce has to be random.
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(each_key(release_key)[0]).encrypt(nonce, data_key, _WRAP_LABEL + blob_id.bytes)


def unwrap_key(release_key: bytes, blob_id: UUID, wrapped: bytes) -> bytes:
    """The data key inside; `CorruptBlob` if it was changed or belongs to another blob or release key."""
    nonce, content = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
    # The newest first: after a rotation, older blobs are still wrapped under older keys.
    for key in each_key(release_key):
        with suppress(InvalidTag, ValueError):
            return AESGCM(key).decrypt(nonce, content, _WRAP_LABEL + blob_id.bytes)
    raise CorruptBlob("a wrapped key does not open")


class Maker(NamedTuple):
    """The attempt at a job that renders a release."""

    job_id: UUID
    fence: int


def write_release_blob(
    c: Connection, release_key: bytes, tenant_id: UUID, content: Iterable[bytes], maker: Maker | None = None
) -> StoredBlob:
    """Encrypt and store a release's bytes, chunk by chunk through one binary COPY."""
    blob_id, data_key = uuid4(), new_data_key()
    announce_blob(c, tenant_id, blob_id, "release", wrap_key(release_key, blob_id, data_key), maker)
    writer = ChunkWriter(ChunkCipher(data_key, tenant_id, blob_id))
    RELEASES.put(c, blob_id, _chunks_of(writer, content))
    settle_blob(c, blob_id, writer)
    return StoredBlob(blob_id, writer.size, writer.chunks)


def announce_blob(
    c: Connection,
    tenant_id: UUID,
    blob_id: UUID,
    purpose: str,
    wrapped_key: bytes | None,
    maker: Maker | None = None,
) -> None:
    """Insert the row that chunks refer to, before there are any."""
    blob = {"id": blob_id, "tenant_id": tenant_id, "purpose": purpose, "wrapped_key": wrapped_key}
    blob |= {"job_id": maker and maker.job_id, "fence": maker and maker.fence}
    c.execute(_ANNOUNCE, blob | {"chunks": 0, "size": 0})


def settle_blob(c: Connection, blob_id: UUID, writer: ChunkWriter) -> None:
    """Record the stored size, once it is known."""
    c.execute(update(Blob).where(Blob.id == blob_id).values(chunks=writer.chunks, size=writer.size))


def _chunks_of(writer: ChunkWriter, content: Iterable[bytes]) -> Iterator[NumberedChunk]:
    for piece in content:
        yield from writer.feed(piece)
    yield writer.finish()


def open_release_blob(c: Connection, release_key: bytes, tenant_id: UUID, blob_id: UUID) -> OpenBlob:
    """Find a release blob and unwrap its key."""
    statement = select(Blob.size, Blob.chunks, Blob.wrapped_key).where(
        Blob.id == blob_id, Blob.tenant_id == tenant_id, Blob.purpose == "release"
    )
    row = c.execute(statement).one_or_none()
    if row is None or row.wrapped_key is None:
        raise CorruptBlob("there is no such release blob")
    return OpenBlob(blob_id, row.size, row.chunks, unwrap_key(release_key, blob_id, row.wrapped_key))


def read_release_chunk(
    c: Connection, release_key: bytes, tenant_id: UUID, blob_id: UUID, number: int, chunks: int
) -> bytes:
    """The plaintext of one chunk of a release, in one SELECT."""
    content = RELEASES.getting(blob_id, number).label("content")
    row = c.execute(select(content, Blob.wrapped_key).where(Blob.id == blob_id)).one_or_none()
    if row is None or row.content is None or row.wrapped_key is None:
        raise CorruptBlob(f"chunk {number} is missing")
    cipher = ChunkCipher(unwrap_key(release_key, blob_id, row.wrapped_key), tenant_id, blob_id)
    return cipher.decrypt(number, number == chunks - 1, row.content)


def read_release_chunks(
    c: Connection, release_key: bytes, tenant_id: UUID, blob_id: UUID, start: int = 0, stop: int | None = None
) -> Iterator[bytes]:
    """The bytes [start, stop) of a release, in pieces; only the chunks that overlap are read."""
    blob = open_release_blob(c, release_key, tenant_id, blob_id)
    end = blob.size if stop is None else min(stop, blob.size)
    return _trimmed_chunks(c, ChunkCipher(blob.data_key, tenant_id, blob_id), blob, max(start, 0), end)


def _trimmed_chunks(c: Connection, cipher: ChunkCipher, blob: OpenBlob, start: int, end: int) -> Iterator[bytes]:
    for number, content in RELEASES.get_all(c, blob.id, chunk_numbers(start, end)):
        yield trim(cipher.decrypt(number, number == blob.chunks - 1, content), number, start, end)


def chunk_numbers(start: int, stop: int) -> range:
    """The numbers of the chunks that overlap the bytes [start, stop)."""
    return range(start // CHUNK_BYTES, -(-stop // CHUNK_BYTES)) if stop > start else range(0)


def trim(plaintext: bytes, number: int, start: int, stop: int) -> bytes:
    """The part of a chunk's plaintext that lies in the bytes [start, stop) of its blob."""
    offset = number * CHUNK_BYTES
    return plaintext[max(start - offset, 0) : max(stop - offset, 0)]


def mark_published(c: Connection, blob_ids: Sequence[UUID]) -> None:
    """Mark these blobs as referred to, so that they are not swept."""
    c.execute(update(Blob).where(Blob.id.in_(blob_ids)).values(published=True))


def delete_release_blobs(c: Connection, blob_ids: Sequence[UUID]) -> int:
    """Delete release blobs that no release refers to, such as those of a refused job; return the count."""
    unused = select(Blob.id).where(Blob.id.in_(blob_ids), Blob.purpose == "release", ~Blob.published)
    # A blob that is locked is just being published, or deleted by another sweeper.
    found = list(c.execute(unused.with_for_update(skip_locked=True)).scalars())
    RELEASES.delete(c, found)
    return c.execute(delete(Blob).where(Blob.id.in_(found))).rowcount


def delete_leftovers(c: Connection, job_id: UUID | None = None, limit: int = 1_000) -> int:
    """Delete the blobs of attempts that ended without a release, of one job or of all; return the count.

    An attempt is over when its job has ended, waits again or was claimed by another worker.
    """
    over = or_(Job.id.is_(None), Job.finished_at.is_not(None), Job.status == "queued", Job.fence > Blob.fence)
    left = select(Blob.id).outerjoin(Job, Job.id == Blob.job_id).where(Blob.purpose == "release", ~Blob.published, over)
    made = Blob.job_id.is_not(None) if job_id is None else Blob.job_id == job_id
    return delete_release_blobs(c, list(c.execute(left.where(made).limit(limit)).scalars()))


def destroy_release_blobs(c: Connection, blob_ids: Sequence[UUID]) -> None:
    """Destroy the bytes and the keys of a withdrawn release; the rows of its artifacts still describe them."""
    c.execute(update(Blob).where(Blob.id.in_(blob_ids)).values(size=0, wrapped_key=None))
    RELEASES.delete(c, blob_ids)


def delete_unpublished(c: Connection, older_than_hours: float = 24.0, limit: int = 1_000) -> int:
    """Delete old release blobs that no release refers to; return the count."""
    age = Blob.created_at < func.now() - timedelta(hours=older_than_hours)
    old = select(Blob.id).where(Blob.purpose == "release", ~Blob.published, age).limit(limit)
    return delete_release_blobs(c, list(c.execute(old).scalars()))
