"""Chunks: changed, moved, dropped or truncated chunks do not authenticate."""

import secrets
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, insert, select, update

from storage.blobs.blobs import (
    CHUNK_BYTES,
    ChunkCipher,
    ChunkWriter,
    CorruptBlob,
    chunk_numbers,
    delete_release_blobs,
    delete_unpublished,
    mark_published,
    open_release_blob,
    read_release_chunk,
    read_release_chunks,
    unwrap_key,
    wrap_key,
    write_release_blob,
)
from storage.orm import Blob, ReleaseChunk

TENANT, BLOB = uuid4(), uuid4()
KEY = secrets.token_bytes(32)


def cipher(key: bytes = KEY, tenant_id: UUID = TENANT, blob_id: UUID = BLOB) -> ChunkCipher:
    return ChunkCipher(key, tenant_id, blob_id)


def test_a_chunk_comes_back_as_it_was() -> None:
    assert cipher().decrypt(3, True, cipher().encrypt(3, True, b"content")) == b"content"


def test_a_ciphertext_does_not_hold_its_plaintext() -> None:
    assert b"a recognizable text" not in cipher().encrypt(0, True, b"a recognizable text")


@pytest.mark.parametrize(
    ("reader", "number", "last"),
    [
        (cipher(), 1, False),
        (cipher(), 0, True),
        (cipher(tenant_id=uuid4()), 0, False),
        (cipher(blob_id=uuid4()), 0, False),
        (cipher(key=secrets.token_bytes(32)), 0, False),
    ],
    ids=["another number", "as the last", "another tenant", "another blob", "another key"],
)
def test_a_chunk_authenticates_only_where_it_was_written(reader: ChunkCipher, number: int, last: bool) -> None:
    with pytest.raises(CorruptBlob):
        reader.decrypt(number, last, cipher().encrypt(0, False, b"content"))


@given(st.integers(0, 23), st.integers(1, 255))
@settings(deadline=None, max_examples=50)
def test_any_changed_byte_is_noticed(place: int, change: int) -> None:
    ciphertext = bytearray(cipher().encrypt(0, True, b"contents"))
    ciphertext[place] ^= change
    with pytest.raises(CorruptBlob):
        cipher().decrypt(0, True, bytes(ciphertext))


def test_a_chunk_too_short_for_its_tag_is_corrupt() -> None:
    with pytest.raises(CorruptBlob):
        cipher().decrypt(0, True, b"short")


@given(st.lists(st.binary(max_size=40), max_size=12), st.integers(1, 16))
@settings(deadline=None, max_examples=2 * settings().max_examples)
def test_a_stream_is_cut_into_full_chunks_and_a_last_one(pieces: list[bytes], chunk_bytes: int) -> None:
    writer = ChunkWriter(cipher(), chunk_bytes)
    chunks = [chunk for piece in pieces for chunk in writer.feed(piece)]
    chunks.append(writer.finish())
    assert [number for number, _ in chunks] == list(range(writer.chunks))
    plain = [cipher().decrypt(number, number == writer.chunks - 1, content) for number, content in chunks]
    assert b"".join(plain) == b"".join(pieces)
    assert all(len(chunk) == chunk_bytes for chunk in plain[:-1])
    assert writer.size == sum(map(len, pieces))
    assert plain[-1] or writer.chunks == 1


def test_a_writer_holds_no_more_than_one_chunk() -> None:
    writer = ChunkWriter(cipher(), 1000)
    for _ in range(50):
        writer.feed(bytes(300))
        assert len(writer._held) <= 1000


def test_an_empty_blob_has_one_empty_last_chunk() -> None:
    number, content = ChunkWriter(cipher()).finish()
    assert (number, cipher().decrypt(0, True, content)) == (0, b"")


def test_a_wrapped_key_opens_for_its_blob_alone() -> None:
    release_key, data_key = secrets.token_bytes(32), secrets.token_bytes(32)
    wrapped = wrap_key(release_key, BLOB, data_key)
    assert unwrap_key(release_key, BLOB, wrapped) == data_key
    for other_key, blob_id, text in (
        (release_key, uuid4(), wrapped),
        (secrets.token_bytes(32), BLOB, wrapped),
        (release_key, BLOB, wrapped[:-1]),
        (release_key, BLOB, b""),
    ):
        with pytest.raises(CorruptBlob):
            unwrap_key(other_key, blob_id, text)


@pytest.mark.parametrize(("start", "stop", "numbers"), [(0, 0, []), (0, 1, [0]), (5, 5, []), (9, 3, [])])
def test_a_range_names_the_chunks_that_it_overlaps(start: int, stop: int, numbers: list[int]) -> None:
    assert list(chunk_numbers(start, stop)) == numbers


def test_a_range_up_to_a_border_leaves_the_next_chunk_alone() -> None:
    assert list(chunk_numbers(CHUNK_BYTES - 1, CHUNK_BYTES)) == [0]
    assert list(chunk_numbers(CHUNK_BYTES - 1, CHUNK_BYTES + 1)) == [0, 1]


CONTENT = secrets.token_bytes(2 * CHUNK_BYTES + 777)
Written = tuple[Connection, UUID, UUID]


def pieces(content: bytes, size: int = 100_000) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


@pytest.fixture
def written(worker: Any, tenant_id: UUID, release_key: bytes) -> Iterator[Written]:
    with worker.main.connect() as connection:
        stored = write_release_blob(connection, release_key, tenant_id, pieces(CONTENT))
        assert (stored.size, stored.chunks) == (len(CONTENT), 3)
        yield connection, tenant_id, stored.id


def read(written: Written, release_key: bytes, start: int = 0, stop: int | None = None) -> bytes:
    c, tenant_id, blob_id = written
    return b"".join(read_release_chunks(c, release_key, tenant_id, blob_id, start, stop))


def test_a_release_is_read_as_it_was_written(written: Written, release_key: bytes) -> None:
    assert read(written, release_key) == CONTENT


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 1),
        (10, 20),
        (CHUNK_BYTES - 1, CHUNK_BYTES + 1),
        (CHUNK_BYTES, 2 * CHUNK_BYTES),
        (2 * CHUNK_BYTES + 776, None),
        (5, 10 * CHUNK_BYTES),
        (len(CONTENT), None),
        (7, 7),
    ],
)
def test_a_range_is_cut_out_exactly(written: Written, release_key: bytes, start: int, stop: int | None) -> None:
    assert read(written, release_key, start, stop) == CONTENT[start:stop]


def test_single_chunks_are_read_for_serving(written: Written, release_key: bytes) -> None:
    c, tenant_id, blob_id = written
    blob = open_release_blob(c, release_key, tenant_id, blob_id)
    assert (blob.size, blob.chunks) == (len(CONTENT), 3)
    parts = [read_release_chunk(c, release_key, tenant_id, blob_id, number, blob.chunks) for number in range(3)]
    assert b"".join(parts) == CONTENT
    assert blob.data_key.hex() not in repr(blob)
    assert repr(blob.data_key) not in repr(blob)


def test_an_empty_release_is_one_chunk(worker: Any, tenant_id: UUID, release_key: bytes) -> None:
    with worker.main.connect() as connection:
        stored = write_release_blob(connection, release_key, tenant_id, [])
        assert (stored.size, stored.chunks) == (0, 1)
        assert list(read_release_chunks(connection, release_key, tenant_id, stored.id)) == []
        assert read_release_chunk(connection, release_key, tenant_id, stored.id, 0, 1) == b""


def chunk_of(c: Connection, blob_id: UUID, number: int) -> bytes:
    where = (ReleaseChunk.blob_id == blob_id, ReleaseChunk.number == number)
    return c.execute(select(ReleaseChunk.content).where(*where)).scalar_one()


def overwrite(c: Connection, blob_id: UUID, number: int, content: bytes) -> None:
    where = (ReleaseChunk.blob_id == blob_id, ReleaseChunk.number == number)
    c.execute(update(ReleaseChunk).where(*where).values(content=content))


def swap_within(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    first, second = chunk_of(c, blob_id, 0), chunk_of(c, blob_id, 1)
    overwrite(c, blob_id, 0, second)
    overwrite(c, blob_id, 1, first)


def swap_between(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    other = write_release_blob(c, release_key, tenant_id, pieces(CONTENT))
    overwrite(c, blob_id, 0, chunk_of(c, other.id, 0))


def truncate(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    overwrite(c, blob_id, 1, chunk_of(c, blob_id, 1)[:-1])


def drop_last(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    c.execute(ReleaseChunk.__table__.delete().where(ReleaseChunk.blob_id == blob_id, ReleaseChunk.number == 2))


def cut_off(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    drop_last(c, tenant_id, blob_id, release_key)
    c.execute(update(Blob).where(Blob.id == blob_id).values(chunks=2, size=2 * CHUNK_BYTES))


def swap_keys(c: Connection, tenant_id: UUID, blob_id: UUID, release_key: bytes) -> None:
    other = write_release_blob(c, release_key, tenant_id, [b"other"])
    wrapped = c.execute(select(Blob.wrapped_key).where(Blob.id == other.id)).scalar_one()
    c.execute(update(Blob).where(Blob.id == blob_id).values(wrapped_key=wrapped))


@pytest.mark.parametrize("tamper", [swap_within, swap_between, truncate, drop_last, cut_off, swap_keys])
def test_a_tampered_release_is_never_served_whole(
    written: Written, release_key: bytes, tamper: Callable[..., None]
) -> None:
    c, tenant_id, blob_id = written
    tamper(c, tenant_id, blob_id, release_key)
    with pytest.raises(CorruptBlob):
        read(written, release_key)


@pytest.mark.parametrize("tamper", [swap_within, swap_between, swap_keys])
def test_a_tampered_chunk_is_not_served(written: Written, release_key: bytes, tamper: Callable[..., None]) -> None:
    c, tenant_id, blob_id = written
    tamper(c, tenant_id, blob_id, release_key)
    with pytest.raises(CorruptBlob):
        read_release_chunk(c, release_key, tenant_id, blob_id, 0, 3)


def test_another_tenant_cannot_open_a_release(written: Written, release_key: bytes) -> None:
    c, _, blob_id = written
    with pytest.raises(CorruptBlob):
        read_release_chunks(c, release_key, uuid4(), blob_id)
    with pytest.raises(CorruptBlob):
        read_release_chunk(c, release_key, uuid4(), blob_id, 0, 3)


def test_only_unpublished_blobs_are_deleted(written: Written, release_key: bytes) -> None:
    c, tenant_id, blob_id = written
    refused = write_release_blob(c, release_key, tenant_id, [b"refused"])
    mark_published(c, [blob_id])
    assert delete_release_blobs(c, [blob_id, refused.id]) == 1
    assert read(written, release_key) == CONTENT
    with pytest.raises(CorruptBlob):
        open_release_blob(c, release_key, tenant_id, refused.id)


def test_blobs_that_no_release_came_to_refer_to_are_swept_after_a_day(c: Connection, tenant_id: UUID) -> None:
    for hours, published, purpose in ((25, False, "release"), (23, False, "release"), (25, True, "release")):
        _insert_blob(c, tenant_id, hours, published, purpose)
    _insert_blob(c, tenant_id, 25, False, "original")
    assert delete_unpublished(c, older_than_hours=24) == 1
    assert c.execute(select(func.count()).where(Blob.tenant_id == tenant_id)).scalar_one() == 3


def _insert_blob(c: Connection, tenant_id: UUID, hours: int, published: bool, purpose: str) -> None:
    made = func.now() - timedelta(hours=hours)
    values = {"id": uuid4(), "tenant_id": tenant_id, "purpose": purpose, "published": published, "created_at": made}
    c.execute(insert(Blob).values(**values, chunks=0, size=0))
