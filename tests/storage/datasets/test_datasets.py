"""Datasets: their life, their lineage, and everything that must be shredded with them."""

import secrets
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import Connection, func, select, text

from storage.blobs.intake import store_original
from storage.datasets.datasets import (
    DatasetDraft,
    Missing,
    blobs_of_dataset,
    create_dataset,
    delete_chunks,
    get_dataset,
    list_datasets,
    mark_deleted,
    mark_invalid,
    mark_profiled,
    require_bound,
)
from storage.datasets.hierarchies import HierarchyDraft, create_hierarchy, get_hierarchy
from storage.datasets.policies import create_policy
from storage.errors import Forged
from storage.jobs.jobs import JobDraft, submit
from storage.orm import OriginalChunk
from storage.releases.releases import ReleaseDraft, publish
from storage.tenancy.tenants import create_tenant

KEY = secrets.token_bytes(32)


@pytest.fixture
def draft(tenant_id: UUID, store: Any) -> DatasetDraft:
    return DatasetDraft(
        tenant_id=tenant_id,
        name="patients",
        kind="table",
        format="csv",
        size=9,
        blob_id=store(b"age\n1\n2\n").blob_id,
        details={"delimiter": ","},
        columns=[{"name": "age"}],
    )


def test_a_dataset_is_stored_with_what_is_known(c: Connection, draft: DatasetDraft) -> None:
    made = create_dataset(c, KEY, draft)
    assert get_dataset(c, draft.tenant_id, made.id) == made
    assert (made.status, made.counts, made.details, made.columns) == (
        "stored",
        None,
        {"delimiter": ","},
        [{"name": "age"}],
    )


def test_a_foreign_dataset_is_like_an_unknown_one(c: Connection, draft: DatasetDraft) -> None:
    made = create_dataset(c, KEY, draft)
    assert get_dataset(c, create_tenant(c, "stranger").id, made.id) is None
    assert get_dataset(c, draft.tenant_id, uuid4()) is None


def test_versions_of_a_dataset_share_a_lineage(c: Connection, draft: DatasetDraft) -> None:
    values = {**vars(draft)}
    first = create_dataset(c, KEY, draft)
    second = create_dataset(c, KEY, DatasetDraft(**(values | {"id": uuid4(), "supersedes": first.id})))
    third = create_dataset(c, KEY, DatasetDraft(**(values | {"id": uuid4(), "supersedes": second.id})))
    unrelated = create_dataset(c, KEY, DatasetDraft(**(values | {"id": uuid4()})))
    assert first.lineage_id == second.lineage_id == third.lineage_id
    assert unrelated.lineage_id not in (first.lineage_id, None)


def test_a_dataset_cannot_join_a_foreign_lineage(c: Connection, draft: DatasetDraft) -> None:
    first = create_dataset(c, KEY, draft)
    stranger = create_tenant(c, "stranger").id
    theirs = DatasetDraft(**(vars(draft) | {"id": uuid4(), "tenant_id": stranger, "supersedes": first.id}))
    with pytest.raises(Missing):
        create_dataset(c, KEY, theirs)


def test_profiling_fills_in_types_and_counts(c: Connection, draft: DatasetDraft) -> None:
    made = create_dataset(c, KEY, draft)
    assert mark_profiled(c, made.id, [{"name": "age", "type": "integer"}], {"rows": 2})
    ready = get_dataset(c, draft.tenant_id, made.id)
    assert ready is not None
    assert (ready.status, ready.counts, ready.columns) == ("ready", {"rows": 2}, [{"name": "age", "type": "integer"}])


def test_an_invalid_dataset_says_why(c: Connection, draft: DatasetDraft) -> None:
    made = create_dataset(c, KEY, draft)
    assert mark_invalid(c, made.id, {"title": "ragged row", "row": 7})
    invalid = get_dataset(c, draft.tenant_id, made.id)
    assert invalid is not None
    assert (invalid.status, invalid.problem) == ("invalid", {"title": "ragged row", "row": 7})


def test_a_deleted_dataset_leaves_the_list_and_cannot_come_back(c: Connection, draft: DatasetDraft) -> None:
    made = create_dataset(c, KEY, draft)
    assert [item.id for item in list_datasets(c, draft.tenant_id, 10).items] == [made.id]
    assert mark_deleted(c, made.id)
    assert list_datasets(c, draft.tenant_id, 10).items == []
    assert not mark_profiled(c, made.id, [], {"rows": 1})
    assert not mark_invalid(c, made.id, {})
    assert not mark_deleted(c, made.id)
    gone = get_dataset(c, draft.tenant_id, made.id)
    assert gone is not None
    assert gone.status == "deleted"
    assert gone.deleted_at is not None


def test_everything_that_holds_values_is_shredded_with_a_dataset(
    c: Connection, draft: DatasetDraft, private_key: X25519PrivateKey
) -> None:
    tenant_id = draft.tenant_id

    def store() -> UUID:
        return store_original(c, private_key.public_key(), tenant_id, b"values").blob_id

    nodes, inline, named, generated, mapped = (store() for _ in range(5))
    dataset = create_dataset(c, KEY, DatasetDraft(**(vars(draft) | {"nodes_blob_id": nodes})))
    policy = create_policy(c, KEY, tenant_id, "standard", {}, named)
    submit(c, JobDraft(tenant_id, dataset.id, policy_blob_id=named, policy_id=policy.id))
    job = submit(c, JobDraft(tenant_id, dataset.id, policy_blob_id=inline))
    hierarchy = create_hierarchy(
        c, KEY, HierarchyDraft(tenant_id=tenant_id, name="h", kind="levels", blob_id=generated, dataset_id=dataset.id)
    )
    publish(c, KEY, release_of(job.id, dataset, mapped))

    doomed = blobs_of_dataset(c, dataset.id)
    assert sorted(doomed) == sorted([draft.blob_id, nodes, inline, generated, mapped])
    assert delete_chunks(c, doomed) == 5
    assert c.execute(select(func.count()).where(OriginalChunk.blob_id == named)).scalar_one() == 1
    mark_deleted(c, dataset.id)
    failed = get_hierarchy(c, tenant_id, hierarchy.id)
    assert failed is not None
    assert failed.status == "failed"


def release_of(job_id: UUID, dataset: Any, map_blob_id: UUID) -> ReleaseDraft:
    return ReleaseDraft(
        job_id=job_id,
        tenant_id=dataset.tenant_id,
        dataset_id=dataset.id,
        lineage_id=dataset.lineage_id,
        kind="table",
        name="patients",
        shape={},
        guarantees=[],
        dictionary=[],
        artifacts=[],
        map_blob_id=map_blob_id,
    )


def test_a_dataset_alone_has_one_blob(c: Connection, draft: DatasetDraft) -> None:
    assert blobs_of_dataset(c, create_dataset(c, KEY, draft).id) == [draft.blob_id]


FORGERIES = {
    "its file": "UPDATE datasets SET blob_id = (SELECT blob_id FROM datasets WHERE id = :other) WHERE id = :id",
    "its nodes": "UPDATE datasets SET nodes_blob_id = (SELECT blob_id FROM datasets WHERE id = :other) WHERE id = :id",
    "its lineage": "UPDATE datasets SET lineage_id = :other WHERE id = :id",
    "what it supersedes": "UPDATE datasets SET supersedes = :other WHERE id = :id",
    "its kind": "UPDATE datasets SET kind = 'graph' WHERE id = :id",
    "its tenant": "UPDATE datasets SET tenant_id = :tenant WHERE id = :id",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_dataset_keeps_the_content_and_the_lineage_that_it_was_stored_with(
    c: Connection, draft: DatasetDraft, store: Any, forgery: str
) -> None:
    made = create_dataset(c, KEY, draft)
    other = create_dataset(c, KEY, DatasetDraft(**(vars(draft) | {"id": uuid4(), "blob_id": store(b"x").blob_id})))
    require_bound(KEY, made)
    tenant = create_tenant(c, "thief of datasets").id
    c.execute(text(FORGERIES[forgery]), {"id": made.id, "other": other.id, "tenant": tenant})
    owner = tenant if forgery == "its tenant" else made.tenant_id
    found = get_dataset(c, owner, made.id)
    assert found is not None
    with pytest.raises(Forged):
        require_bound(KEY, found)
    newer = DatasetDraft(**(vars(draft) | {"id": uuid4(), "supersedes": made.id, "tenant_id": owner}))
    with pytest.raises(Forged):
        create_dataset(c, KEY, newer)
