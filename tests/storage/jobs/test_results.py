"""Results that are no release: only the tenant whose job made them gets them."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from storage.datasets.datasets import DatasetDraft, create_dataset
from storage.jobs.advice import delete_advice, get_advice, save_advice
from storage.jobs.answers import get_answer, save_answer
from storage.jobs.comparisons import get_comparison, save_comparison
from storage.jobs.jobs import JobRecord
from storage.tenancy.tenants import create_tenant
from tests.storage.job_samples import KEY


def test_a_foreign_result_is_like_an_unknown_one(
    c: Connection, tenant_id: UUID, dataset_id: UUID, job: JobRecord
) -> None:
    save_advice(c, KEY, tenant_id, dataset_id, {"policy": {}}, {"columns": []})
    save_answer(c, KEY, tenant_id, job.id, [{"value": 1}])
    save_comparison(c, KEY, tenant_id, job.id, [{"name": "a"}])

    def found(tenant_id: UUID) -> list[Any]:
        return [
            get_advice(c, KEY, tenant_id, dataset_id),
            get_answer(c, KEY, tenant_id, job.id),
            get_comparison(c, KEY, tenant_id, job.id),
        ]

    assert None not in found(tenant_id)
    assert found(create_tenant(c, "stranger").id) == [None] * 3


def test_a_dataset_keeps_its_first_advice(c: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    for content in ({"policy": 1}, {"policy": 2}):
        save_advice(c, KEY, tenant_id, dataset_id, content, {})
    kept = get_advice(c, KEY, tenant_id, dataset_id)
    assert kept is not None
    assert (kept.content, kept.findings) == ({"policy": 1}, {})


def test_the_advice_on_a_deleted_dataset_is_deleted_and_no_other(
    c: Connection, tenant_id: UUID, dataset_id: UUID, store: Any
) -> None:
    blob_id = store(b"x").blob_id
    other = DatasetDraft(tenant_id=tenant_id, name="n", kind="table", format="csv", size=1, blob_id=blob_id)
    kept_id = create_dataset(c, KEY, other).id
    for each in (dataset_id, kept_id):
        save_advice(c, KEY, tenant_id, each, {}, {})
    delete_advice(c, dataset_id)
    assert get_advice(c, KEY, tenant_id, dataset_id) is None
    assert get_advice(c, KEY, tenant_id, kept_id) is not None
