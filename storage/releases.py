"""Releases: what was published, and the artifacts that are served."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Select, func, insert, select, update

from storage.blobs import mark_published
from storage.locks import lock_name
from storage.orm import Artifact, Release
from storage.paging import Page, fetch_page
from storage.records import columns_of

AUDIENCES = ("tenant", "public")


@dataclass(frozen=True)
class ArtifactDraft:
    """One rendered and verified file of a release."""

    format: str
    part: str
    sha256: str
    size: int
    blob_id: UUID


@dataclass(frozen=True, kw_only=True)
class ReleaseDraft:
    """A release about to be published, its blobs already written."""

    job_id: UUID
    tenant_id: UUID
    dataset_id: UUID
    lineage_id: UUID
    kind: str
    name: str
    shape: dict[str, Any]
    guarantees: list[Any]
    dictionary: list[Any]
    artifacts: Sequence[ArtifactDraft]
    map_blob_id: UUID | None = None
    id: UUID = field(default_factory=uuid4)


@dataclass(frozen=True)
class ArtifactRecord:
    """One file of a release."""

    id: UUID
    release_id: UUID
    format: str
    part: str
    sha256: str
    size: int
    blob_id: UUID


@dataclass(frozen=True)
class _ReleaseRow:
    id: UUID
    job_id: UUID
    tenant_id: UUID
    dataset_id: UUID
    lineage_id: UUID
    kind: str
    name: str
    shape: dict[str, Any]
    guarantees: list[Any]
    dictionary: list[Any]
    audience: str
    map_blob_id: UUID | None
    created_at: datetime
    withdrawn_at: datetime | None
    withdrawn_reason: str | None


@dataclass(frozen=True)
class ReleaseRecord(_ReleaseRow):
    """One release with its artifacts."""

    artifacts: tuple[ArtifactRecord, ...]


_COLUMNS = columns_of(_ReleaseRow, Release)
_ARTIFACT_COLUMNS = columns_of(ArtifactRecord, Artifact)


def lock_lineage(c: Connection, lineage_id: UUID) -> None:
    """Wait until no other release of the lineage is being published: what it was checked against is then complete."""
    lock_name(c, "lineage", str(lineage_id))


def publish(c: Connection, draft: ReleaseDraft) -> None:
    """Write a release and its artifacts; a second one of the same job violates a constraint."""
    values = asdict(draft)
    artifacts = values.pop("artifacts")
    c.execute(insert(Release).values(**values))
    for artifact in artifacts:
        c.execute(insert(Artifact).values(id=uuid4(), release_id=draft.id, **artifact))
    blobs = [artifact.blob_id for artifact in draft.artifacts]
    mark_published(c, blobs if draft.map_blob_id is None else [*blobs, draft.map_blob_id])


def get_release(c: Connection, tenant_id: UUID | None, release_id: UUID) -> ReleaseRecord | None:
    """A release of the tenant; without a tenant, one that is public."""
    row = c.execute(_visible(tenant_id).where(Release.id == release_id)).one_or_none()
    return None if row is None else _with_artifacts(c, [row])[0]


def list_releases(c: Connection, tenant_id: UUID | None, limit: int, cursor: str | None = None) -> Page[ReleaseRecord]:
    """The tenant's releases, withdrawn ones too; without a tenant, the public ones."""
    keys = (Release.created_at, Release.id)
    page = fetch_page(
        c, _visible(tenant_id), keys, limit, cursor, lambda row: row, lambda row: (row.created_at, row.id)
    )
    return Page(_with_artifacts(c, page.items), page.next_cursor)


def earlier_releases(c: Connection, lineage_id: UUID) -> list[ReleaseRecord]:
    """Every release of a lineage, oldest first. Withdrawn ones count: what is out is out."""
    statement = select(*_COLUMNS).where(Release.lineage_id == lineage_id)
    return _with_artifacts(c, c.execute(statement.order_by(Release.created_at, Release.id)).all())


def _visible(tenant_id: UUID | None) -> Select[Any]:
    statement = select(*_COLUMNS)
    if tenant_id is None:
        return statement.where(Release.audience == "public")
    return statement.where(Release.tenant_id == tenant_id)


def _with_artifacts(c: Connection, rows: Sequence[Any]) -> list[ReleaseRecord]:
    statement = select(*_ARTIFACT_COLUMNS).where(Artifact.release_id.in_([row.id for row in rows]))
    by_release: dict[UUID, list[ArtifactRecord]] = {row.id: [] for row in rows}
    for found in c.execute(statement.order_by(Artifact.part.desc(), Artifact.format)):
        artifact = ArtifactRecord(*found)
        by_release[artifact.release_id].append(artifact)
    return [ReleaseRecord(*(*row, tuple(by_release[row.id]))) for row in rows]


def get_artifact(
    c: Connection,
    release_id: UUID,
    format: str,  # noqa: A002  the column's and the query parameter's own name
    part: str,
) -> ArtifactRecord | None:
    """The file of a release in some format."""
    statement = select(*_ARTIFACT_COLUMNS).where(
        Artifact.release_id == release_id, Artifact.format == format, Artifact.part == part
    )
    row = c.execute(statement).one_or_none()
    return None if row is None else ArtifactRecord(*row)


def withdraw(c: Connection, tenant_id: UUID, release_id: UUID, reason: str) -> bool:
    """Stop serving a release; False if the tenant has none of that id or it is withdrawn already."""
    statement = update(Release).where(
        Release.id == release_id, Release.tenant_id == tenant_id, Release.withdrawn_at.is_(None)
    )
    return c.execute(statement.values(withdrawn_at=func.now(), withdrawn_reason=reason)).rowcount == 1


def set_audience(c: Connection, tenant_id: UUID, release_id: UUID, audience: str) -> bool:
    """Say who may read a release; False if the tenant has none of that id."""
    if audience not in AUDIENCES:
        raise ValueError(f"an audience is one of {', '.join(AUDIENCES)}")
    statement = update(Release).where(Release.id == release_id, Release.tenant_id == tenant_id)
    return c.execute(statement.values(audience=audience)).rowcount == 1
