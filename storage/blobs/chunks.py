"""Chunks: the store of the blobs' ciphertext. Only this module changes for another store, such as object storage.

Two stores with separate rights: originals, which the service can only write, and releases. A chunk belongs to a blob
and has a number; its content is encrypted before it is stored and authenticated after it is read.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self, cast
from uuid import UUID

import psycopg
from psycopg.abc import PQGen
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait
from sqlalchemy import BindParameter, Connection, Insert, Integer, ScalarSelect, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.errors import CorruptBlob
from storage.orm import OriginalChunk, ReleaseChunk

NumberedChunk = tuple[int, bytes]
"""A chunk's number and ciphertext."""
_TYPES = ("uuid", "int4", "bytea")


@dataclass(frozen=True)
class Chunks:
    """The chunks of all blobs of one purpose."""

    table: type[OriginalChunk] | type[ReleaseChunk]

    def put(self, c: Connection, blob_id: UUID, chunks: Iterable[NumberedChunk]) -> None:
        """Store the chunks of a blob as they arrive, with one of them in memory at a time."""
        driver = cast("psycopg.Connection[tuple[object, ...]]", c.connection.driver_connection)
        with driver.cursor() as cursor, cursor.copy(self.copying()) as copy:
            copy.set_types(_TYPES)
            for number, content in chunks:
                copy.write_row((blob_id, number, content))
                driver.wait(_flushed(driver.pgconn))

    def putting(
        self,
        blob_id: BindParameter[UUID],
        count: BindParameter[int],
        width: BindParameter[int],
        content: BindParameter[bytes],
    ) -> Insert:
        """The same for chunks in memory, as part of a larger statement: one value holds all of them, each of that width
        except the last, because the driver takes longer to encode a list."""
        number = func.generate_series(0, count - 1, type_=Integer).column_valued("number")
        rows = select(blob_id, number, func.substr(content, number * width + 1, width))
        return insert(self.table).from_select(["blob_id", "number", "content"], rows)

    def copying(self) -> str:
        """The statement that takes chunks as a stream."""
        return f"COPY {self.table.__tablename__} (blob_id, number, content) FROM STDIN (FORMAT BINARY)"

    def get(self, c: Connection, blob_id: UUID, number: int) -> bytes:
        """The ciphertext of one chunk; `CorruptBlob` if it is missing."""
        content = c.execute(select(self.getting(blob_id, number))).scalar_one_or_none()
        if content is None:
            raise CorruptBlob(f"chunk {number} is missing")
        return content

    def getting(self, blob_id: UUID, number: int) -> ScalarSelect[bytes]:
        """The same as part of a larger statement; NULL if it is missing."""
        table = self.table
        return select(table.content).where(table.blob_id == blob_id, table.number == number).scalar_subquery()

    def get_all(self, c: Connection, blob_id: UUID, numbers: Iterable[int]) -> Iterator[NumberedChunk]:
        """Some chunks of a blob, one in memory at a time."""
        for number in numbers:
            yield number, self.get(c, blob_id, number)

    def delete(self, c: Connection, blob_ids: Sequence[UUID]) -> int:
        """Delete all chunks of some blobs; return the count."""
        return c.execute(delete(self.table).where(self.table.blob_id.in_(blob_ids))).rowcount


ORIGINALS = Chunks(OriginalChunk)
RELEASES = Chunks(ReleaseChunk)


class ChunkStream:
    """Stores the chunks of a blob as they arrive from a client; meanwhile the connection serves nothing else."""

    def __init__(self, chunks: Chunks, connection: AsyncConnection, blob_id: UUID) -> None:
        self._chunks = chunks
        self._connection = connection
        self._blob_id = blob_id
        self._driver: psycopg.AsyncConnection[Any] | None = None
        self._copy: psycopg.AsyncCopy | None = None
        self._exits = AsyncExitStack()

    @property
    def is_open(self) -> bool:
        return self._copy is not None

    async def open(self) -> Self:
        """Begin."""
        pooled = await self._connection.get_raw_connection()
        self._driver = cast("psycopg.AsyncConnection[Any]", pooled.driver_connection)
        cursor = await self._exits.enter_async_context(self._driver.cursor())
        self._copy = await self._exits.enter_async_context(cursor.copy(self._chunks.copying()))
        self._copy.set_types(_TYPES)
        return self

    async def put(self, chunk: NumberedChunk) -> None:
        """Store the next chunk."""
        assert self._copy is not None
        assert self._driver is not None
        await self._copy.write_row((self._blob_id, *chunk))
        await self._driver.wait(_flushed(self._driver.pgconn))

    async def close(self, error: Exception | None = None) -> None:
        """End: all chunks are stored in the transaction; with an error, none are, and it can only be rolled back."""
        self._copy = None
        await self._exits.__aexit__(type(error) if error else None, error, None)


def _flushed(pgconn: PGconn) -> PQGen[None]:
    """A generator for a connection to wait on until the server has received everything written.

    Without it, the client library buffers without limit if the server is slower than the client.
    """
    while pgconn.flush():
        yield Wait.W
