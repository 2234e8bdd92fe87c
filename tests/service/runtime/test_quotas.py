"""Quotas: a tenant's share of storage and queue is never exceeded, and other tenants are not affected."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from service.http.problems import Problem
from service.runtime.quotas import Intake
from storage.settings import Settings
from tests.service.samples import TABLE, table_policy

AT_ONCE = 12


@pytest.fixture
def tenant() -> str:
    return f"tenant {secrets.token_hex(8)}"


@pytest.fixture(scope="module")
def small(make_api: Any) -> Any:
    """An API that stores three tables for each tenant."""
    return make_api(tenant_original_bytes=3 * len(TABLE) + 10)


def all_at_once(ask: Callable[[int], httpx.Response]) -> list[httpx.Response]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(ask, range(AT_ONCE)))


def stored_by(api: Any, tenant: str) -> int:
    statement = "SELECT sum(size) FROM blobs JOIN tenants t ON t.id = tenant_id WHERE t.name = :name"
    with api.owner.connect() as connection:
        return int(connection.execute(text(statement), {"name": tenant}).scalar_one())


def test_a_tenant_over_its_share_is_refused_until_it_deletes_something(small: Any, tenant: str) -> None:
    kept = [small.upload(tenant=tenant).json()["id"] for _ in range(3)]
    before = small.count("blobs"), small.count("datasets"), small.count("jobs")
    refused = small.upload(tenant=tenant)
    assert refused.status_code == 507
    assert refused.json()["type"] == "urn:antifaz:problem:quota-exceeded"
    assert "Delete datasets" in refused.json()["detail"]
    assert (small.count("blobs"), small.count("datasets"), small.count("jobs")) == before
    assert small.upload(tenant=f"{tenant}'s neighbor").status_code == 201
    with small.client(tenant=tenant) as client:
        assert client.delete(f"/v1/datasets/{kept[0]}").status_code == 204
    assert small.upload(tenant=tenant).status_code == 201


def test_uploads_at_one_time_do_not_exceed_a_share_together(small: Any, make_api: Any, tenant: str) -> None:
    """Through two processes of the API: neither knows the other's usage."""
    other = make_api(tenant_original_bytes=small.settings.tenant_original_bytes)
    small.token("steward", tenant)
    other.tokens.update(small.tokens)
    answers = all_at_once(lambda number: (small, other)[number % 2].upload(tenant=tenant))
    # 503: as many as a tenant may are being received already.
    assert {answer.status_code for answer in answers} <= {201, 507, 503}
    assert sum(answer.status_code == 201 for answer in answers) == 3
    assert stored_by(small, tenant) == 3 * len(TABLE)


def test_policies_and_hierarchies_count_too(small: Any, tenant: str) -> None:
    for _ in range(3):
        assert small.upload(tenant=tenant).status_code == 201
    rows = [[f"value {number}", "*"] for number in range(50)]
    with small.client(tenant=tenant) as client:
        hierarchy = client.post("/v1/hierarchies", json={"name": "h", "hierarchy": {"kind": "levels", "rows": rows}})
        policy = client.post("/v1/policies", json={"name": "p", "policy": table_policy()})
    assert (hierarchy.status_code, policy.status_code) == (507, 507)
    assert stored_by(small, tenant) == 3 * len(TABLE)


def test_a_file_and_the_policy_that_comes_with_it_count_together(small: Any, tenant: str) -> None:
    """Either alone would fit: data stored earlier in the same transaction counts together with the job's policy."""
    for _ in range(2):
        assert small.upload(tenant=tenant).status_code == 201
    before = stored_by(small, tenant)
    assert small.upload(tenant=tenant, policy=table_policy()).status_code == 507
    assert stored_by(small, tenant) == before
    assert small.upload(tenant=tenant).status_code == 201


@pytest.fixture(scope="module")
def brief(make_api: Any) -> Any:
    """An API whose tenants may have four unfinished jobs."""
    return make_api(tenant_jobs=4)


def test_jobs_beyond_a_share_are_refused_with_a_time_to_come_back(brief: Any, tenant: str) -> None:
    dataset = brief.upload(tenant=tenant).json()["id"]
    body = {"dataset_id": dataset, "policy": table_policy()}
    with brief.client(tenant=tenant) as client:
        answers = all_at_once(lambda _: client.post("/v1/jobs", json=body))
        assert sorted({answer.status_code for answer in answers}) == [202, 429]
        # The fourth is the one that reads the upload.
        assert sum(answer.status_code == 202 for answer in answers) == 3
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.json()["type"] == "urn:antifaz:problem:too-many-jobs"
        assert int(refused.headers["Retry-After"]) >= 1
        assert brief.upload(tenant=tenant, policy=table_policy()).status_code == 429
        queued = client.get("/v1/jobs").json()["items"]
        assert len(queued) == 3
        client.post(f"/v1/jobs/{queued[0]['id']}/cancel")
        assert client.post("/v1/jobs", json=body).status_code == 202
    assert brief.upload(tenant=f"{tenant}'s neighbor", policy=table_policy()).status_code == 202


def test_an_upload_that_ends_takes_nothing_from_another_that_has_not_begun() -> None:
    intake, tenant_id = Intake(Settings(tenant_original_bytes=10)), uuid4()
    with intake.room(tenant_id, 0) as slow:
        with intake.room(tenant_id, 0) as quick:
            quick.take(4)
        slow.take(6)
        with pytest.raises(Problem), intake.room(tenant_id, 0) as third:
            third.take(5)
