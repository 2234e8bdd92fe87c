"""Datasets: descriptions of uploads, without any of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, literal, or_, select, union_all, update
from sqlalchemy.dialects.postgresql import JSONB

from storage.blobs.chunks import ORIGINALS
from storage.crypto.authenticity import digests_of, mac_of, require_authentic
from storage.database.locks import lock_name
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.errors import Missing as Missing
from storage.orm import Blob, Charge, Dataset, Hierarchy, Job, Policy, Projection, Release
from storage.trail.events import emit


@dataclass(frozen=True, kw_only=True)
class DatasetDraft:
    """A dataset about to be stored, its blobs already written in the same transaction."""

    tenant_id: UUID
    name: str
    kind: str
    format: str
    size: int
    """Uploaded bytes, of all files."""
    blob_id: UUID
    nodes_blob_id: UUID | None = None
    details: dict[str, Any] = field(default_factory=dict)
    columns: list[Any] | None = None
    supersedes: UUID | None = None
    """An earlier dataset of the tenant, whose lineage this one joins."""
    population: dict[str, Any] | None = None
    """The roles of its columns, if it may be used as a population."""
    created_by: UUID | None = None
    """The token that uploads it."""
    digest: bytes | None = None
    """A keyed digest of its file."""
    unrelated_to: UUID | None = None
    """An earlier dataset with the same file, which the upload declares to be unrelated."""
    unrelated: bool | None = None
    """Whether the upload declares that its data is unrelated to any earlier dataset with the same content."""
    id: UUID = field(default_factory=uuid4)


@dataclass(frozen=True)
class DatasetRecord:
    """One dataset."""

    id: UUID
    tenant_id: UUID
    name: str
    kind: str
    format: str
    details: dict[str, Any]
    status: str
    problem: dict[str, Any] | None
    columns: list[Any] | None
    counts: dict[str, int] | None
    size: int
    blob_id: UUID
    nodes_blob_id: UUID | None
    lineage_id: UUID
    supersedes: UUID | None
    population: dict[str, Any] | None
    created_by: UUID | None
    created_at: datetime
    deleted_at: datetime | None
    mac: bytes
    digest: bytes | None = field(default=None, repr=False)
    unrelated_to: UUID | None = None
    unrelated: bool | None = None


_KIND = "dataset"
COLUMNS = columns_of(DatasetRecord, Dataset)
"""Columns that fill a `DatasetRecord`."""
_DATASET = select(*COLUMNS).where(Dataset.id == bindparam("dataset_id"), Dataset.tenant_id == bindparam("tenant_id"))


def create_dataset(c: Connection, keys: bytes, draft: DatasetDraft) -> DatasetRecord:
    """Store a dataset; `Missing` if the dataset that it supersedes is not the tenant's."""
    values = asdict(draft) | {"status": "stored", "lineage_id": _lineage(c, keys, draft)}
    values["mac"] = mac_of(keys, _KIND, _bound(values))
    return DatasetRecord(*c.execute(insert(Dataset).values(**values).returning(*COLUMNS)).one())


def _lineage(c: Connection, keys: bytes, draft: DatasetDraft) -> UUID:
    if draft.supersedes is None:
        return draft.id
    earlier = get_dataset(c, draft.tenant_id, draft.supersedes)
    if earlier is None:
        raise Missing("the superseded dataset does not exist")
    require_bound(keys, earlier)
    return earlier.lineage_id


def require_bound(keys: bytes, dataset: DatasetRecord) -> None:
    """Raise `Forged` if the dataset's content or lineage was changed after it was stored."""
    require_authentic(keys, _KIND, _bound(vars(dataset)), dataset.mac)


def _bound(dataset: Mapping[str, Any]) -> list[Any]:
    """The values that decide what a job reads, which releases it is checked against, what the dataset may be used for,
    and to whom its rows are shown."""
    names = (
        *("id", "tenant_id", "kind", "blob_id", "nodes_blob_id", "lineage_id", "supersedes"),
        *("population", "created_by"),
    )
    # Datasets of earlier versions of Antifaz have none of these, and their codes cover none.
    later = [dataset[name] for name in ("digest", "unrelated_to", "unrelated") if dataset[name] is not None]
    return [*(dataset[name] for name in names), *later]


def get_dataset(c: Connection, tenant_id: UUID, dataset_id: UUID) -> DatasetRecord | None:
    """A dataset of the tenant; deleted ones too, with that status."""
    row = c.execute(_DATASET, {"dataset_id": dataset_id, "tenant_id": tenant_id}).one_or_none()
    return None if row is None else DatasetRecord(*row)


IS_KNOWN_OUTSIDE = or_(
    exists().where(Release.lineage_id == Dataset.lineage_id), exists().where(Charge.lineage_id == Dataset.lineage_id)
)
"""Whether a lineage has a release or was charged for an answer, so that its history counts after its deletion."""


def digests_of_file(keys: bytes, tenant_id: UUID, digest: bytes) -> list[bytes]:
    """Keyed digests by which a tenant's file is recognized, one for each key, newest first. Without a key, nobody can
    find out whether a file is stored here."""
    return digests_of(keys, "file", tenant_id.bytes + digest)


def find_known(c: Connection, tenant_id: UUID, digests: Sequence[bytes]) -> DatasetRecord | None:
    """The newest dataset of the tenant with this file; concurrent uploads of the file wait for each other.

    Datasets whose file could not be read are ignored, and so are deleted ones of which nothing is known outside.
    """
    lock_name(c, "file", str(tenant_id), digests[-1].hex())
    counts = or_(Dataset.status.in_(["stored", "ready"]), and_(Dataset.status == "deleted", IS_KNOWN_OUTSIDE))
    statement = select(*COLUMNS).where(Dataset.tenant_id == tenant_id, Dataset.digest.in_(digests), counts)
    row = c.execute(statement.order_by(Dataset.created_at.desc()).limit(1)).one_or_none()
    return None if row is None else DatasetRecord(*row)


def list_datasets(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[DatasetRecord]:
    """The tenant's datasets that were not deleted."""
    statement = select(*COLUMNS).where(Dataset.tenant_id == tenant_id, Dataset.status != "deleted")
    keys = (Dataset.created_at, Dataset.id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: DatasetRecord(*row), lambda item: (item.created_at, item.id)
    )


def mark_profiled(
    c: Connection,
    dataset_id: UUID,
    columns: list[Any] | None,
    counts: dict[str, int],
    found_out: dict[str, Any] | None = None,
) -> bool:
    """Store the columns and counts that a worker found; False if the dataset was deleted meanwhile.

    ``found_out``, the detected dialect of the file, is merged into the details.
    """
    found: dict[str, Any] = {"columns": columns, "counts": counts}
    if found_out:
        found["details"] = Dataset.details.op("||")(literal(found_out, JSONB))
    return _update_kept(c, dataset_id, {"status": "ready", "problem": None, **found})


def mark_invalid(c: Connection, dataset_id: UUID, problem: dict[str, Any]) -> bool:
    """Record that the file cannot be read as declared; False if the dataset was deleted meanwhile."""
    return _update_kept(c, dataset_id, {"status": "invalid", "problem": problem})


def _update_kept(c: Connection, dataset_id: UUID, values: dict[str, Any]) -> bool:
    statement = update(Dataset).where(Dataset.id == dataset_id, Dataset.status != "deleted")
    return c.execute(statement.values(**values)).rowcount == 1


def mark_deleted(c: Connection, dataset_id: UUID) -> bool:
    """Mark a dataset as deleted and the hierarchies generated from it as failed; False if it already was deleted."""
    gone = update(Dataset).where(Dataset.id == dataset_id, Dataset.status != "deleted")
    gone = gone.values(status="deleted", deleted_at=func.now())
    tenant_id = c.execute(gone.returning(Dataset.tenant_id)).scalar_one_or_none()
    if tenant_id is None:
        return False
    emit(c, tenant_id, "dataset.deleted", {"dataset_id": dataset_id})
    statement = update(Hierarchy).where(Hierarchy.dataset_id == dataset_id)
    c.execute(statement.values(status="failed", problem=SOURCE_DELETED))
    return True


SOURCE_DELETED = {
    "type": "urn:antifaz:problem:source-deleted",
    "title": "The dataset that this hierarchy was generated from is deleted",
    "status": 410,
}


def blobs_of_dataset(c: Connection, dataset_id: UUID) -> list[UUID]:
    """Every sealed blob that contains values of a dataset, to be shredded with it.

    These are the original and its nodes, the maps of its releases, the unnamed policies of its jobs (their hierarchies
    list values), the hierarchies generated from it, and its projections; no projection is added until the transaction
    ends. Named policies stay: they belong to no dataset.
    """
    lock_name(c, "projections", str(dataset_id))
    named = select(Policy.blob_id)
    holders = union_all(
        select(Dataset.blob_id.label("blob_id")).where(Dataset.id == dataset_id),
        select(Dataset.nodes_blob_id).where(Dataset.id == dataset_id),
        select(Release.map_blob_id).where(Release.dataset_id == dataset_id),
        select(Job.policy_blob_id).where(Job.dataset_id == dataset_id, Job.policy_blob_id.not_in(named)),
        select(Hierarchy.blob_id).where(Hierarchy.dataset_id == dataset_id),
        select(Projection.blob_id).where(Projection.dataset_id == dataset_id),
    ).subquery()
    statement = select(holders.c.blob_id).where(holders.c.blob_id.is_not(None)).distinct()
    return list(c.execute(statement).scalars())


def delete_chunks(c: Connection, blob_ids: Sequence[UUID]) -> int:
    """Delete the chunks of originals whose keys an earlier committed transaction shredded; return the count."""
    c.execute(update(Blob).where(Blob.id.in_(blob_ids)).values(size=0))
    return ORIGINALS.delete(c, blob_ids)
