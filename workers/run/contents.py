"""Contents: recognize data that a tenant uploaded before in another file.

The same cells in other bytes (line ends, delimiter, quotes, compression, format, encoding, order of rows and columns,
spelling of values) would otherwise start a second lineage: its releases would not be checked together with those of the
first, and its budget of differential privacy would start again.
"""

from uuid import UUID

from antifaz.errors import InvalidDataset
from publication.digests import Digest
from storage.audit import audit
from storage.datasets import contents
from storage.datasets.contents import ContentRecord
from storage.datasets.datasets import DatasetRecord
from workers.run.context import Context


class KnownContent(InvalidDataset):
    """The same data is stored as another dataset."""

    def __init__(self, dataset_id: UUID) -> None:
        detail = (
            "the same data is already stored, in a file with other bytes: run a job on that dataset, or upload the "
            "file again with `supersedes` and that id, or with `unrelated` if releases of the two need not be checked "
            "together"
        )
        super().__init__("known_file", detail, shred=True)
        self.dataset_id = dataset_id


def recognize(ctx: Context, record: DatasetRecord, digest: Digest) -> UUID | None:
    """Store what recognizes a dataset that is read for the first time. Returns the dataset with the same content that
    it is declared unrelated to; `KnownContent` if it is not."""
    if not ctx.settings.recognize_files:
        return record.unrelated_to
    with ctx.main.connect() as connection:
        known = contents.get_content(connection, ctx.release_key, record.id)
    if known is None:
        known = _store(ctx, record, digest(contents.keys_of_content(ctx.release_key, record.tenant_id)))
    return known.same_as or record.unrelated_to


def _store(ctx: Context, record: DatasetRecord, digests: list[bytes]) -> ContentRecord:
    with ctx.main.begin() as connection:
        # Another job of the dataset may have been faster: the search takes a lock, under which it is seen.
        same = contents.find_same(connection, ctx.release_key, record.tenant_id, record.lineage_id, digests)
        known = contents.get_content(connection, ctx.release_key, record.id)
        if known is not None:
            return known
        # A dataset that was read before there were digests stays as it is.
        if same is not None and not record.unrelated and record.status == "stored":
            raise KnownContent(same)
        made = ContentRecord(record.id, record.tenant_id, digests[0], same)
        contents.add_content(connection, ctx.release_key, made)
        if same is not None:
            details = {"unrelated_to": str(same)}
            audit.append(connection, record.tenant_id, "worker", "dataset.same_content", str(record.id), details)
    return made
