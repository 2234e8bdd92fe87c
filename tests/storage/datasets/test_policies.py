"""Policies: versions that never collide."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from storage.datasets.policies import create_policy, get_policy, list_policies
from storage.errors import Forged
from storage.tenancy.tenants import create_tenant

KEY = secrets.token_bytes(32)


def test_a_name_gets_the_next_version(c: Connection, tenant_id: UUID, store: Any) -> None:
    blob_id = store(b"{}").blob_id
    first = create_policy(c, KEY, tenant_id, "standard", {"k": 5}, blob_id)
    second = create_policy(c, KEY, tenant_id, "standard", {"k": 6}, blob_id)
    other = create_policy(c, KEY, tenant_id, "strict", {}, blob_id)
    assert (first.version, second.version, other.version) == (1, 2, 1)
    assert get_policy(c, KEY, tenant_id, first.id) == first
    assert {policy.id for policy in list_policies(c, KEY, tenant_id, 10).items} == {first.id, second.id, other.id}


def test_a_foreign_policy_is_like_an_unknown_one(c: Connection, tenant_id: UUID, store: Any) -> None:
    made = create_policy(c, KEY, tenant_id, "standard", {}, store(b"{}").blob_id)
    assert get_policy(c, KEY, create_tenant(c, "stranger").id, made.id) is None
    assert get_policy(c, KEY, tenant_id, uuid4()) is None


def test_versions_stored_at_once_are_numbered_without_gap_or_repeat(service: Any, tenant_id: UUID, store: Any) -> None:
    blob_id = store(b"{}").blob_id

    def create(_: int) -> int:
        with service.main.begin() as connection:
            return create_policy(connection, KEY, tenant_id, "standard", {}, blob_id).version

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(create, range(20))) == list(range(1, 21))


@pytest.mark.parametrize(
    "change", ["public = '{}'", "version = 7", "name = 'lax'", "fingerprint = 'x'", "blob_id = :other"]
)
def test_a_policy_that_was_changed_is_not_given_out(c: Connection, tenant_id: UUID, store: Any, change: str) -> None:
    made = create_policy(c, KEY, tenant_id, "standard", {"k": 5}, store(b"{}").blob_id)
    other = store(b"[]").blob_id
    c.execute(text(f"UPDATE policies SET {change} WHERE id = :id"), {"id": made.id, "other": other})
    with pytest.raises(Forged):
        get_policy(c, KEY, tenant_id, made.id)
    assert list_policies(c, KEY, tenant_id, 10).items == []
