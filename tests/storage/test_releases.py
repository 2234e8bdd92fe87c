"""Releases: published once, served until withdrawn, counted for ever."""

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from storage.blobs import write_release_blob
from storage.jobs import JobRecord
from storage.orm import Blob
from storage.releases import (
    ArtifactDraft,
    ReleaseDraft,
    earlier_releases,
    get_artifact,
    get_release,
    list_releases,
    lock_lineage,
    publish,
    set_audience,
    withdraw,
)
from storage.tenants import create_tenant


def draft_of(c: Connection, job: JobRecord, release_key: bytes, lineage_id: UUID | None = None) -> ReleaseDraft:
    artifacts = []
    for name in ("csv", "parquet"):
        blob = write_release_blob(c, release_key, job.tenant_id, [b"age\n1\n"])
        artifacts.append(ArtifactDraft(name, "table", secrets.token_hex(32), blob.size, blob.id))
    return ReleaseDraft(
        job_id=job.id,
        tenant_id=job.tenant_id,
        dataset_id=job.dataset_id,
        lineage_id=lineage_id or uuid4(),
        kind="table",
        name="patients",
        shape={"columns": ["age"]},
        guarantees=[{"model": "k_anonymity", "k": 5}],
        dictionary=[{"name": "age"}],
        artifacts=artifacts,
    )


@pytest.fixture
def draft(worker: Any, job: JobRecord, release_key: bytes) -> ReleaseDraft:
    with worker.main.begin() as connection:
        made = draft_of(connection, job, release_key)
        publish(connection, made)
    return made


def test_a_release_is_found_with_its_artifacts(c: Connection, draft: ReleaseDraft) -> None:
    found = get_release(c, draft.tenant_id, draft.id)
    assert found is not None
    assert (found.name, found.audience, found.shape, found.withdrawn_at) == (
        "patients",
        "tenant",
        {"columns": ["age"]},
        None,
    )
    assert [(item.format, item.blob_id) for item in found.artifacts] == [
        (item.format, item.blob_id) for item in draft.artifacts
    ]
    assert list_releases(c, draft.tenant_id, 10).items == [found]


def test_its_blobs_are_kept_from_the_sweep(c: Connection, draft: ReleaseDraft) -> None:
    ids = [artifact.blob_id for artifact in draft.artifacts]
    assert all(c.execute(select(Blob.published).where(Blob.id.in_(ids))).scalars())


def test_an_artifact_is_chosen_by_format_and_part(c: Connection, draft: ReleaseDraft) -> None:
    found = get_artifact(c, draft.id, "parquet", "table")
    assert found is not None
    assert found.sha256 == draft.artifacts[1].sha256
    assert get_artifact(c, draft.id, "parquet", "nodes") is None
    assert get_artifact(c, uuid4(), "csv", "table") is None


def test_a_job_has_one_release(worker: Any, draft: ReleaseDraft) -> None:
    with pytest.raises(IntegrityError), worker.main.begin() as connection:
        publish(connection, ReleaseDraft(**(vars(draft) | {"id": uuid4()})))


def test_the_service_cannot_make_a_release(service: Any, draft: ReleaseDraft) -> None:
    with pytest.raises(Exception, match="permission denied"), service.main.begin() as connection:
        publish(connection, ReleaseDraft(**(vars(draft) | {"id": uuid4()})))


def test_another_tenant_sees_it_only_when_it_is_public(service: Any, owner: Any, draft: ReleaseDraft) -> None:
    with owner.main.begin() as connection:
        stranger = create_tenant(connection, secrets.token_hex(4)).id
    with service.main.begin() as connection:
        assert get_release(connection, stranger, draft.id) is None
        assert get_release(connection, None, draft.id) is None
        assert not set_audience(connection, stranger, draft.id, "public")
        assert set_audience(connection, draft.tenant_id, draft.id, "public")
    with service.main.begin() as connection:
        public = get_release(connection, None, draft.id)
        assert public is not None
        assert public.audience == "public"
        assert public in list_releases(connection, None, 100).items
        assert get_release(connection, stranger, draft.id) is None


def test_an_unknown_audience_is_refused(c: Connection, draft: ReleaseDraft) -> None:
    with pytest.raises(ValueError, match="audience"):
        set_audience(c, draft.tenant_id, draft.id, "everyone")


def test_a_release_is_withdrawn_once_with_its_reason(service: Any, draft: ReleaseDraft) -> None:
    with service.main.begin() as connection:
        assert not withdraw(connection, uuid4(), draft.id, "not mine")
        assert withdraw(connection, draft.tenant_id, draft.id, "a mistake")
        assert not withdraw(connection, draft.tenant_id, draft.id, "again")
        found = get_release(connection, draft.tenant_id, draft.id)
    assert found is not None
    assert found.withdrawn_reason == "a mistake"
    assert found.withdrawn_at is not None


def test_withdrawn_releases_still_count_for_their_lineage(c: Connection, draft: ReleaseDraft) -> None:
    withdraw(c, draft.tenant_id, draft.id, "a mistake")
    assert [release.id for release in earlier_releases(c, draft.lineage_id)] == [draft.id]
    assert earlier_releases(c, uuid4()) == []


def test_two_releases_of_a_lineage_are_not_published_past_each_other(worker: Any) -> None:
    lineage_id, order = uuid4(), []

    def hold(name: str, seconds: float) -> None:
        with worker.main.begin() as connection:
            lock_lineage(connection, lineage_id)
            order.append(f"{name} in")
            time.sleep(seconds)
            order.append(f"{name} out")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hold, "first", 0.2)
        time.sleep(0.05)
        second = pool.submit(hold, "second", 0.0)
        first.result()
        second.result()
    assert order == ["first in", "first out", "second in", "second out"]
