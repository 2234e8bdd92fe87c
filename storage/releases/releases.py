"""Releases, and the artifacts that are served.

Every release carries a code under the release key over its whole row and its artifacts' rows. The worker that
publishes it computes the code, the service computes it again when it changes the audience or withdraws the release,
and a record whose code does not match is never returned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, select, update

from storage.blobs.blobs import destroy_release_blobs, mark_published
from storage.crypto.authenticity import mac_of, require_authentic, with_codes
from storage.database.locks import lock_name
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Artifact, Blob, Release
from storage.outbound.publications import withdraw_all
from storage.trail.events import emit

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
    audience: str = "tenant"
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
    destroyed_at: datetime | None
    mac: bytes


@dataclass(frozen=True)
class ReleaseRecord(_ReleaseRow):
    """One release with its artifacts."""

    artifacts: tuple[ArtifactRecord, ...]


_COLUMNS = columns_of(_ReleaseRow, Release)
_ARTIFACT_COLUMNS = columns_of(ArtifactRecord, Artifact)
_KIND = "release"
_CHANGING = ("audience", "withdrawn_at", "withdrawn_reason", "destroyed_at")
"""Columns that the service may change."""


LISTED = and_(Release.audience == "public", Release.withdrawn_at.is_(None))
"""Whether the open catalog shows a release."""


def is_of_kind(kind: str) -> ColumnElement[bool]:
    """Whether a release is of this kind of data."""
    return Release.kind == kind


def promises(guarantee: str) -> ColumnElement[bool]:
    """Whether a guarantee with this name was verified."""
    return Release.guarantees.contains([{"model": guarantee}])


def made_since(moment: datetime) -> ColumnElement[bool]:
    """Whether a release is not older than this."""
    return Release.created_at >= moment


def lock_lineage(c: Connection, lineage_id: UUID) -> None:
    """Wait until no other release of the lineage is being published, so that checks see all earlier releases."""
    lock_name(c, "lineage", str(lineage_id))


def publish(c: Connection, keys: bytes, draft: ReleaseDraft) -> ReleaseRecord:
    """Write a release and its artifacts; a second one of the same job violates a constraint."""
    # Ids and time are chosen here and not by the database: the code covers them and is computed before the insert.
    files = tuple(ArtifactRecord(id=uuid4(), release_id=draft.id, **vars(file)) for file in draft.artifacts)
    record = bind(keys, ReleaseRecord(**(_initial_state(c) | vars(draft) | {"artifacts": files})))
    c.execute(insert(Release).values({each.name: getattr(record, each.name) for each in fields(_ReleaseRow)}))
    for artifact in record.artifacts:
        c.execute(insert(Artifact).values(vars(artifact)))
    # From here on no sweeper deletes them as leftovers of an attempt; it takes effect with the release, or not at all.
    blobs = [artifact.blob_id for artifact in draft.artifacts]
    mark_published(c, blobs if draft.map_blob_id is None else [*blobs, draft.map_blob_id])
    _announce(c, record, "published")
    return record


def _announce(c: Connection, release: ReleaseRecord, what: str) -> None:
    """Notify webhooks of a change of a release."""
    ids = {"release_id": release.id, "job_id": release.job_id, "dataset_id": release.dataset_id}
    emit(c, release.tenant_id, f"release.{what}", ids)


def _initial_state(c: Connection) -> dict[str, Any]:
    """The initial state of a release, which the service may change later."""
    withdrawn = {"withdrawn_at": None, "withdrawn_reason": None, "destroyed_at": None}
    return {"created_at": _now(c), **withdrawn, "mac": b""}


def _now(c: Connection) -> datetime:
    """The time of the transaction, by the database's clock."""
    now: datetime = c.execute(select(func.now())).scalar_one()
    return now


def bind(keys: bytes, record: ReleaseRecord) -> ReleaseRecord:
    """The release with its code."""
    return replace(record, mac=mac_of(keys, _KIND, _values(record)))


def _values(record: ReleaseRecord) -> list[Any]:
    """All values of a release, in an order that does not depend on how it was read."""
    row = [getattr(record, each.name) for each in fields(_ReleaseRow) if each.name != "mac"]
    files = sorted(record.artifacts, key=lambda file: (file.part, file.format))
    return [*row, [list(vars(file).values()) for file in files]]


def get_release(c: Connection, keys: bytes, tenant_id: UUID | None, release_id: UUID) -> ReleaseRecord | None:
    """A release of the tenant; without a tenant, one that is public."""
    row = c.execute(_visible(tenant_id).where(Release.id == release_id)).one_or_none()
    return None if row is None else _with_artifacts(c, keys, [row])[0]


def list_releases(
    c: Connection,
    keys: bytes,
    tenant_id: UUID | None,
    limit: int,
    cursor: str | None = None,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> Page[ReleaseRecord]:
    """The tenant's releases that meet all conditions, withdrawn ones too; without a tenant, those of the catalog."""
    order = (Release.created_at, Release.id)
    statement = _visible(tenant_id).where(*conditions)
    if tenant_id is None:
        statement = statement.where(LISTED)
    page = fetch_page(c, statement, order, limit, cursor, lambda row: row, lambda row: (row.created_at, row.id))
    # One changed row must not make the whole list an error: it is left out, and counted elsewhere.
    return Page(_authentic(keys, _records(c, page.items)), page.next_cursor)


def get_listed(c: Connection, keys: bytes, release_ids: Sequence[UUID]) -> dict[UUID, ReleaseRecord | None]:
    """Those of the releases that the catalog shows; None for one that was changed, which nothing may show."""
    found = _records(c, c.execute(select(*_COLUMNS).where(LISTED, Release.id.in_(release_ids))).all())
    shown: dict[UUID, ReleaseRecord | None] = {record.id: None for record in found}
    return shown | {record.id: record for record in _authentic(keys, found)}


def listed_of_tenant(c: Connection, keys: bytes, tenant_id: UUID) -> list[ReleaseRecord]:
    """All releases of a tenant that the catalog shows."""
    return _authentic(keys, _records(c, c.execute(_visible(tenant_id).where(LISTED)).all()))


def forged_releases(c: Connection, keys: bytes, tenant_id: UUID | None) -> list[UUID]:
    """The releases of a tenant, or of all, that were changed."""
    statement = select(*_COLUMNS) if tenant_id is None else _visible(tenant_id)
    found = _records(c, c.execute(statement).all())
    kept = {record.id for record in _authentic(keys, found)}
    return [record.id for record in found if record.id not in kept]


def _authentic(keys: bytes, found: Sequence[ReleaseRecord]) -> list[ReleaseRecord]:
    """Those of a list that were not changed."""
    return with_codes(keys, _KIND, found, lambda record: (_values(record), record.mac))


def count_listed(c: Connection, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
    """The number of releases in the catalog that meet all conditions."""
    return int(c.execute(select(func.count()).select_from(Release).where(LISTED, *conditions)).scalar_one())


def earlier_releases(c: Connection, keys: bytes, lineage_id: UUID) -> list[ReleaseRecord]:
    """Every release of a lineage, oldest first, withdrawn ones too: they may have been downloaded."""
    statement = select(*_COLUMNS).where(Release.lineage_id == lineage_id)
    return _with_artifacts(c, keys, c.execute(statement.order_by(Release.created_at, Release.id)).all())


def _visible(tenant_id: UUID | None) -> Select[Any]:
    statement = select(*_COLUMNS)
    if tenant_id is None:
        return statement.where(Release.audience == "public")
    return statement.where(Release.tenant_id == tenant_id)


def _with_artifacts(c: Connection, keys: bytes, rows: Sequence[Any]) -> list[ReleaseRecord]:
    """The releases of these rows with their artifacts; `Forged` if one of them was changed."""
    records = _records(c, rows)
    for record in records:
        require_authentic(keys, _KIND, _values(record), record.mac)
    return records


def _records(c: Connection, rows: Sequence[Any]) -> list[ReleaseRecord]:
    """The releases of these rows with their artifacts, whether or not they were changed."""
    statement = select(*_ARTIFACT_COLUMNS).where(Artifact.release_id.in_([row.id for row in rows]))
    by_release: dict[UUID, list[ArtifactRecord]] = {row.id: [] for row in rows}
    for found in c.execute(statement.order_by(Artifact.part.desc(), Artifact.format)):
        artifact = ArtifactRecord(*found)
        by_release[artifact.release_id].append(artifact)
    return [ReleaseRecord(*(*row, tuple(by_release[row.id]))) for row in rows]


def withdraw(c: Connection, keys: bytes, tenant_id: UUID, release_id: UUID, reason: str) -> bool:
    """Stop serving a release, here and on every portal; False if the tenant does not have it, or it is withdrawn."""
    held = _held(c, keys, tenant_id, release_id)
    if held is None or held.withdrawn_at is not None:
        return False
    # Under the row's lock: a change of audience at the same moment would compute its code from the older state.
    _restate(c, keys, replace(held, withdrawn_at=_now(c), withdrawn_reason=reason))
    withdraw_all(c, release_id)
    _announce(c, held, "withdrawn")
    return True


def request_destruction(c: Connection, keys: bytes, tenant_id: UUID, release_id: UUID) -> bool:
    """Mark the bytes of a withdrawn release for destruction; False if it is not withdrawn, or already marked."""
    held = _held(c, keys, tenant_id, release_id)
    if held is None or held.withdrawn_at is None or held.destroyed_at is not None:
        return False
    _restate(c, keys, replace(held, destroyed_at=_now(c)))
    return True


def destroy_marked(c: Connection, limit: int = 100) -> int:
    """Destroy bytes and keys of releases marked for destruction; return the number of files."""
    marked = (
        select(Blob.id)
        .join(Artifact, Artifact.blob_id == Blob.id)
        .join(Release, Release.id == Artifact.release_id)
        # A key that is still there marks what remains to be done, so a sweeper that was killed is simply continued.
        .where(Release.destroyed_at.is_not(None), Release.withdrawn_at.is_not(None), Blob.wrapped_key.is_not(None))
        .limit(limit)
        .with_for_update(of=Blob, skip_locked=True)
    )
    found = list(c.execute(marked).scalars())
    destroy_release_blobs(c, found)
    return len(found)


def set_audience(c: Connection, keys: bytes, tenant_id: UUID, release_id: UUID, audience: str) -> bool:
    """Set who may read a release; False if the tenant has none with that id."""
    if audience not in AUDIENCES:
        raise ValueError(f"an audience is one of {', '.join(AUDIENCES)}")
    held = _held(c, keys, tenant_id, release_id)
    if held is None:
        return False
    _restate(c, keys, replace(held, audience=audience))
    if audience != held.audience:
        if audience != "public":
            # Portals show public releases only.
            withdraw_all(c, release_id)
        _announce(c, held, "audience")
    return True


def _held(c: Connection, keys: bytes, tenant_id: UUID, release_id: UUID) -> ReleaseRecord | None:
    """A release of the tenant, locked against other changes until the transaction ends."""
    row = c.execute(_visible(tenant_id).where(Release.id == release_id).with_for_update()).one_or_none()
    return None if row is None else _with_artifacts(c, keys, [row])[0]


def _restate(c: Connection, keys: bytes, record: ReleaseRecord) -> None:
    """Update the columns that may change, and the code."""
    changing = {name: getattr(record, name) for name in _CHANGING}
    statement = update(Release).where(Release.id == record.id)
    c.execute(statement.values(**changing, mac=bind(keys, record).mac))
