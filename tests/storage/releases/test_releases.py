"""Releases: published once, served until withdrawn, counted forever."""

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import IntegrityError

from storage.blobs.blobs import write_release_blob
from storage.errors import Forged
from storage.jobs.jobs import JobRecord
from storage.orm import Blob
from storage.releases.releases import (
    ArtifactDraft,
    ReleaseDraft,
    earlier_releases,
    get_release,
    list_releases,
    lock_lineage,
    publish,
    set_audience,
    withdraw,
)
from storage.tenancy.tenants import create_tenant
from tests.patience import patience


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
        publish(connection, release_key, made)
    return made


def test_a_release_is_found_with_its_artifacts(c: Connection, draft: ReleaseDraft, release_key: bytes) -> None:
    found = get_release(c, release_key, draft.tenant_id, draft.id)
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
    assert list_releases(c, release_key, draft.tenant_id, 10).items == [found]


def test_its_blobs_are_kept_from_the_sweep(c: Connection, draft: ReleaseDraft) -> None:
    ids = [artifact.blob_id for artifact in draft.artifacts]
    assert all(c.execute(select(Blob.published).where(Blob.id.in_(ids))).scalars())


def test_a_job_has_one_release(worker: Any, draft: ReleaseDraft, release_key: bytes) -> None:
    with pytest.raises(IntegrityError), worker.main.begin() as connection:
        publish(connection, release_key, ReleaseDraft(**(vars(draft) | {"id": uuid4()})))


def test_the_service_cannot_make_a_release(service: Any, draft: ReleaseDraft, release_key: bytes) -> None:
    with pytest.raises(Exception, match="permission denied"), service.main.begin() as connection:
        publish(connection, release_key, ReleaseDraft(**(vars(draft) | {"id": uuid4()})))


def test_another_tenant_sees_it_only_when_it_is_public(
    service: Any, owner: Any, draft: ReleaseDraft, release_key: bytes
) -> None:
    with owner.main.begin() as connection:
        stranger = create_tenant(connection, secrets.token_hex(8)).id
    with service.main.begin() as connection:
        assert get_release(connection, release_key, stranger, draft.id) is None
        assert get_release(connection, release_key, None, draft.id) is None
        assert not set_audience(connection, release_key, stranger, draft.id, "public")
        assert set_audience(connection, release_key, draft.tenant_id, draft.id, "public")
    with service.main.begin() as connection:
        public = get_release(connection, release_key, None, draft.id)
        assert public is not None
        assert public.audience == "public"
        assert public in list_releases(connection, release_key, None, 100).items
        assert get_release(connection, release_key, stranger, draft.id) is None


def test_an_unknown_audience_is_refused(c: Connection, draft: ReleaseDraft, release_key: bytes) -> None:
    with pytest.raises(ValueError, match="audience"):
        set_audience(c, release_key, draft.tenant_id, draft.id, "everyone")


def test_a_release_is_withdrawn_once_with_its_reason(service: Any, draft: ReleaseDraft, release_key: bytes) -> None:
    with service.main.begin() as connection:
        assert not withdraw(connection, release_key, uuid4(), draft.id, "not mine")
        assert withdraw(connection, release_key, draft.tenant_id, draft.id, "a mistake")
        assert not withdraw(connection, release_key, draft.tenant_id, draft.id, "again")
        found = get_release(connection, release_key, draft.tenant_id, draft.id)
    assert found is not None
    assert found.withdrawn_reason == "a mistake"
    assert found.withdrawn_at is not None


def test_withdrawn_releases_still_count_for_their_lineage(
    c: Connection, draft: ReleaseDraft, release_key: bytes
) -> None:
    withdraw(c, release_key, draft.tenant_id, draft.id, "a mistake")
    assert [release.id for release in earlier_releases(c, release_key, draft.lineage_id)] == [draft.id]
    assert earlier_releases(c, release_key, uuid4()) == []


def test_two_releases_of_a_lineage_are_not_published_past_each_other(worker: Any) -> None:
    lineage_id, order = uuid4(), []

    first_is_in = threading.Event()

    def hold(name: str, seconds: float) -> None:
        with worker.main.begin() as connection:
            lock_lineage(connection, lineage_id)
            order.append(f"{name} in")
            first_is_in.set()
            time.sleep(seconds)
            order.append(f"{name} out")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hold, "first", 0.2)
        assert first_is_in.wait(patience())
        second = pool.submit(hold, "second", 0.0)
        first.result()
        second.result()
    assert order == ["first in", "first out", "second in", "second out"]


FORGERIES = {
    "the tenant": "UPDATE releases SET tenant_id = (SELECT id FROM tenants WHERE id <> :tenant LIMIT 1) WHERE id = :id",
    "the audience": "UPDATE releases SET audience = 'public' WHERE id = :id",
    "a guarantee": """UPDATE releases SET guarantees = '[{"k": 50, "model": "k_anonymity"}]' WHERE id = :id""",
    "the name": "UPDATE releases SET name = 'others' WHERE id = :id",
    "the shape": "UPDATE releases SET shape = '{}' WHERE id = :id",
    "the dictionary": "UPDATE releases SET dictionary = '[]' WHERE id = :id",
    "the lineage": "UPDATE releases SET lineage_id = gen_random_uuid() WHERE id = :id",
    "the time": "UPDATE releases SET created_at = created_at - interval '1 second' WHERE id = :id",
    "a withdrawal": "UPDATE releases SET withdrawn_at = now(), withdrawn_reason = 'x' WHERE id = :id",
    "the code": "UPDATE releases SET mac = sha256(mac) WHERE id = :id",
    "a digest": "UPDATE artifacts SET sha256 = repeat('0', 64) WHERE release_id = :id AND format = 'csv'",
    "a size": "UPDATE artifacts SET size = size + 1 WHERE release_id = :id AND format = 'csv'",
    "a format": "UPDATE artifacts SET format = 'tsv' WHERE release_id = :id AND format = 'csv'",
    "a part": "UPDATE artifacts SET part = 'nodes' WHERE release_id = :id AND format = 'csv'",
    "a file less": "DELETE FROM artifacts WHERE release_id = :id AND format = 'csv'",
    "a blob": "UPDATE artifacts a SET blob_id = b.blob_id FROM artifacts b WHERE a.release_id = :id AND b.id <> a.id",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_no_row_of_a_release_can_be_changed(
    c: Connection, draft: ReleaseDraft, forgery: str, release_key: bytes
) -> None:
    create_tenant(c, "thief")
    assert get_release(c, release_key, draft.tenant_id, draft.id) is not None
    assert c.execute(text(FORGERIES[forgery]), {"id": draft.id, "tenant": draft.tenant_id}).rowcount >= 1
    owner_now = c.execute(text("SELECT tenant_id FROM releases WHERE id = :id"), {"id": draft.id}).scalar_one()
    readers: list[Callable[[], object]] = [
        lambda: get_release(c, release_key, owner_now, draft.id),
        lambda: set_audience(c, release_key, owner_now, draft.id, "tenant"),
        lambda: withdraw(c, release_key, owner_now, draft.id, "again"),
    ]
    for read in readers:
        with pytest.raises(Forged):
            read()
    assert draft.id not in {record.id for record in list_releases(c, release_key, owner_now, 100).items}


def test_a_file_more_is_noticed(c: Connection, draft: ReleaseDraft, release_key: bytes) -> None:
    more = "INSERT INTO artifacts SELECT gen_random_uuid(), release_id, 'jsonl', part, sha256, size, blob_id"
    c.execute(text(f"{more} FROM artifacts WHERE release_id = :id AND format = 'csv'"), {"id": draft.id})
    with pytest.raises(Forged):
        earlier_releases(c, release_key, draft.lineage_id)


def test_what_was_published_under_an_older_key_is_found_and_changed_under_a_newer_one(
    service: Any, draft: ReleaseDraft, release_key: bytes
) -> None:
    newer = secrets.token_bytes(32)
    with service.main.begin() as connection:
        assert get_release(connection, newer + release_key, draft.tenant_id, draft.id) is not None
        assert set_audience(connection, newer + release_key, draft.tenant_id, draft.id, "public")
        assert get_release(connection, newer, draft.tenant_id, draft.id) is not None
        with pytest.raises(Forged):
            get_release(connection, release_key, draft.tenant_id, draft.id)
