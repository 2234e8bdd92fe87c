"""Projections: sealed columns of a dataset, so that a question does not read the whole original. Only workers may
import this module.

Every column is a blob among the originals. Its key is not stored: it is derived from the data key of the original, and
is lost with it in every copy of the database. The derivation includes the original, the version of the declarations,
the column's place and the blob, so that a row changed to point elsewhere opens nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from sqlalchemy import Connection, delete, insert, select

from storage.blobs.blobs import KEY_BYTES, ChunkCipher, ChunkWriter, announce_blob, settle_blob
from storage.blobs.chunks import ORIGINALS, NumberedChunk
from storage.blobs.originals import derived_key
from storage.database.locks import lock_name
from storage.datasets.datasets import DatasetRecord
from storage.errors import CorruptBlob
from storage.orm import Blob, Dataset, Projection

# Raise the number whenever the packing of columns changes: columns sealed under the old label do not open.
_LABEL = b"antifaz projection 2"


@dataclass(frozen=True)
class ProjectionKey:
    """The key to the columns of one dataset under one version of the declarations."""

    dataset: DatasetRecord
    version: int
    secret: bytes = field(repr=False)

    def cipher(self, place: int, blob_id: UUID) -> ChunkCipher:
        """The cipher of one column. Every blob has its own id, so no key is ever used for two contents."""
        info = _LABEL + self.version.to_bytes(8, "big") + place.to_bytes(8, "big") + blob_id.bytes
        key = HKDFExpand(algorithm=SHA256(), length=KEY_BYTES, info=info).derive(self.secret)
        return ChunkCipher(key, self.dataset.tenant_id, blob_id)


def projection_key(
    kc: Connection, private_key: X25519PrivateKey, dataset: DatasetRecord, version: int
) -> ProjectionKey:
    """The key of a dataset's columns; `Shredded` if the dataset was deleted."""
    return ProjectionKey(dataset, version, derived_key(kc, private_key, dataset.blob_id, _LABEL))


def places(c: Connection, key: ProjectionKey) -> dict[int, UUID]:
    """The blobs of the stored columns, by place; empty if the projection does not exist yet."""
    mine = select(Projection.place, Projection.blob_id).where(
        Projection.dataset_id == key.dataset.id, Projection.version == key.version
    )
    return {row.place: row.blob_id for row in c.execute(mine)}


def read_column(c: Connection, key: ProjectionKey, place: int, blob_id: UUID) -> bytes:
    """The content of one column."""
    owned = select(Blob.chunks).where(Blob.id == blob_id, Blob.tenant_id == key.dataset.tenant_id)
    count = c.execute(owned.where(Blob.purpose == "original")).scalar_one_or_none()
    if count is None:
        raise CorruptBlob("there is no such column")
    cipher = key.cipher(place, blob_id)
    chunks = ORIGINALS.get_all(c, blob_id, range(count))
    return b"".join(cipher.decrypt(number, number == count - 1, content) for number, content in chunks)


def write_columns(c: Connection, key: ProjectionKey, columns: Iterable[bytes]) -> bool:
    """Store the columns in their places, replacing those of earlier declarations; False if there is nothing to do:
    another worker was faster, the dataset was deleted, or newer declarations were projected."""
    dataset_id = key.dataset.id
    lock_name(c, "projections", str(dataset_id))
    status = c.execute(select(Dataset.status).where(Dataset.id == dataset_id)).scalar_one_or_none()
    known = select(Projection.version).where(Projection.dataset_id == dataset_id)
    if status in (None, "deleted") or any(version >= key.version for version in c.execute(known).scalars()):
        return False
    _forget(c, dataset_id)
    for place, content in enumerate(columns):
        blob_id = uuid4()
        announce_blob(c, key.dataset.tenant_id, blob_id, "original", None)
        writer = ChunkWriter(key.cipher(place, blob_id))
        ORIGINALS.put(c, blob_id, _chunks_of(writer, content))
        settle_blob(c, blob_id, writer)
        row = {"dataset_id": dataset_id, "version": key.version, "place": place, "blob_id": blob_id}
        c.execute(insert(Projection).values(**row))
    return True


def _chunks_of(writer: ChunkWriter, content: bytes) -> Iterator[NumberedChunk]:
    yield from writer.feed(content)
    yield writer.finish()


def _forget(c: Connection, dataset_id: UUID) -> None:
    gone = delete(Projection).where(Projection.dataset_id == dataset_id).returning(Projection.blob_id)
    blobs = list(c.execute(gone).scalars())
    ORIGINALS.delete(c, blobs)
    c.execute(delete(Blob).where(Blob.id.in_(blobs)))
