"""Hierarchies: uploaded ready, or generated later."""

import secrets
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection

from storage.datasets.hierarchies import (
    HierarchyDraft,
    HierarchyRecord,
    create_hierarchy,
    fail_hierarchy,
    finish_hierarchy,
    get_hierarchy,
    list_hierarchies,
    require_bound,
)
from storage.errors import Forged
from storage.tenancy.tenants import create_tenant

SHAPE = {"levels": 3, "groups": [5, 2, 1]}
KEY = secrets.token_bytes(32)


@pytest.fixture
def wished(c: Connection, tenant_id: UUID, dataset_id: UUID, store: Any) -> HierarchyRecord:
    blob_id = store(b"request").blob_id
    return create_hierarchy(
        c,
        KEY,
        HierarchyDraft(
            tenant_id=tenant_id,
            name="ages",
            kind="intervals",
            status="generating",
            dataset_id=dataset_id,
            column="age",
            blob_id=blob_id,
        ),
    )


def test_an_uploaded_hierarchy_is_ready(c: Connection, tenant_id: UUID, store: Any) -> None:
    draft = HierarchyDraft(tenant_id=tenant_id, name="zip", kind="levels", blob_id=store(b"x").blob_id, shape=SHAPE)
    made = create_hierarchy(c, KEY, draft)
    assert (made.status, made.shape) == ("ready", SHAPE)
    assert get_hierarchy(c, tenant_id, made.id) == made
    assert list_hierarchies(c, tenant_id, 10).items == [made]


def test_a_generated_hierarchy_takes_the_place_of_its_request(
    c: Connection, wished: HierarchyRecord, store: Any
) -> None:
    result = store(b"rows").blob_id
    assert finish_hierarchy(c, KEY, wished, SHAPE, result)
    ready = get_hierarchy(c, wished.tenant_id, wished.id)
    assert ready is not None
    assert (ready.status, ready.shape, ready.blob_id) == ("ready", SHAPE, result)
    assert not finish_hierarchy(c, KEY, wished, SHAPE, result)


def test_a_failed_generation_says_why(c: Connection, wished: HierarchyRecord) -> None:
    assert fail_hierarchy(c, wished.id, {"title": "no such column"})
    failed = get_hierarchy(c, wished.tenant_id, wished.id)
    assert failed is not None
    assert (failed.status, failed.problem) == ("failed", {"title": "no such column"})
    assert not finish_hierarchy(c, KEY, wished, SHAPE, wished.blob_id)


def test_a_foreign_hierarchy_is_like_an_unknown_one(c: Connection, wished: HierarchyRecord) -> None:
    assert get_hierarchy(c, create_tenant(c, "stranger").id, wished.id) is None
    assert get_hierarchy(c, wished.tenant_id, uuid4()) is None


@pytest.mark.parametrize("generated", [False, True])
def test_a_hierarchy_keeps_its_content(c: Connection, wished: HierarchyRecord, store: Any, generated: bool) -> None:
    if generated:
        assert finish_hierarchy(c, KEY, wished, SHAPE, store(b"{}").blob_id)
    found = get_hierarchy(c, wished.tenant_id, wished.id)
    assert found is not None
    require_bound(KEY, found)
    with pytest.raises(Forged):
        require_bound(KEY, replace(found, blob_id=store(b"{}").blob_id))
    with pytest.raises(Forged):
        require_bound(KEY, replace(found, dataset_id=uuid4()))
