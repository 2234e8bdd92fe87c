"""Reports: found by job and release, and queried by auditors."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from storage.errors import Forged
from storage.jobs.jobs import JobDraft, JobRecord, submit
from storage.releases.releases import ReleaseDraft, publish, set_audience
from storage.releases.reports import (
    ReportDraft,
    ReportQuery,
    get_report_of_job,
    get_report_of_release,
    query_reports,
    save_report,
)
from storage.tenancy.tenants import create_tenant

KEY = secrets.token_bytes(32)


def report_of(job: JobRecord, **more: Any) -> ReportDraft:
    values: dict[str, Any] = {
        "job_id": job.id,
        "tenant_id": job.tenant_id,
        "dataset_id": job.dataset_id,
        "status": "released",
        "method": "mondrian",
        "guarantees": ["k_anonymity"],
        "achieved_k": 5,
        "risk": 0.2,
        "content": {"schema_version": 1},
    }
    return ReportDraft(**(values | more))


def test_the_report_of_a_job_is_its_tenants(c: Connection, job: JobRecord) -> None:
    save_report(c, KEY, report_of(job, status="refused"))
    found = get_report_of_job(c, KEY, job.tenant_id, job.id)
    assert found is not None
    assert (found.status, found.content, found.private) == ("refused", {"schema_version": 1}, False)
    assert get_report_of_job(c, KEY, create_tenant(c, "stranger").id, job.id) is None


def test_the_report_of_a_public_release_is_for_all(c: Connection, job: JobRecord) -> None:
    release_id = uuid4()
    publish(
        c,
        KEY,
        ReleaseDraft(
            id=release_id,
            job_id=job.id,
            tenant_id=job.tenant_id,
            dataset_id=job.dataset_id,
            lineage_id=uuid4(),
            kind="table",
            name="x",
            shape={},
            guarantees=[],
            dictionary=[],
            artifacts=[],
        ),
    )
    save_report(c, KEY, report_of(job, release_id=release_id))
    assert get_report_of_release(c, KEY, job.tenant_id, release_id) is not None
    assert get_report_of_release(c, KEY, uuid4(), release_id) is None
    assert get_report_of_release(c, KEY, None, release_id) is None
    set_audience(c, KEY, job.tenant_id, release_id, "public")
    assert get_report_of_release(c, KEY, None, release_id) is not None


NOW = datetime.now(UTC)
MEASURED = {
    "waivers": [{"rule": "naive", "reason": "a test"}],
    "risk": {
        "answers": {"identity": {"rate": 0.07}, "attribute": {"rate": 0.9}, "membership": {"rate": None, "bound": 0.7}}
    },
}


@pytest.mark.parametrize(
    ("conditions", "methods"),
    [
        ({}, {"mondrian", "datafly", "k_degree"}),
        ({"methods": ["datafly"]}, {"datafly"}),
        ({"guarantees": ["l_diversity"]}, {"datafly"}),
        ({"guarantees": ["k_anonymity"]}, {"mondrian", "datafly"}),
        ({"min_k": 6}, {"datafly"}),
        ({"max_k": 6}, {"mondrian"}),
        ({"max_risk": 0.1}, {"datafly"}),
        ({"min_risk": 0.05}, {"datafly", "mondrian"}),
        ({"min_risk": 0.15}, {"mondrian"}),
        ({"max_risk": 0.1, "question": "identity"}, {"datafly"}),
        ({"min_risk": 0.1, "question": "identity"}, {"mondrian"}),  # older: it has one over its k
        ({"min_risk": 0.8, "question": "attribute"}, {"datafly"}),
        ({"max_risk": 0.8, "question": "attribute"}, set()),
        ({"max_risk": 1.0, "question": "membership"}, set()),
        ({"min_risk": 0.05, "sees_private": False}, {"mondrian"}),
        ({"min_risk": 0.8, "question": "attribute", "sees_private": False}, set()),
        ({"waiver": "naive"}, {"datafly"}),
        ({"until": NOW - timedelta(hours=1)}, set()),
        ({"max_risk": 0.1, "min_k": 100}, set()),
        ({"status": "refused"}, {"k_degree"}),
        ({"since": NOW - timedelta(hours=1)}, {"mondrian", "datafly", "k_degree"}),
        ({"since": NOW + timedelta(hours=1)}, set()),
        ({"dataset_id": uuid4()}, set()),
    ],
)
def test_auditors_find_reports_by_what_they_ask(
    c: Connection, tenant_id: UUID, dataset_id: UUID, conditions: dict[str, Any], methods: set[str]
) -> None:
    varieties: list[dict[str, Any]] = [
        {"method": "mondrian"},
        {"method": "datafly", "guarantees": ["k_anonymity", "l_diversity"], "achieved_k": 10, "risk": 0.1}
        | {"content": MEASURED, "private": True},
        {"method": "k_degree", "guarantees": ["k_degree"], "achieved_k": None, "risk": None, "status": "refused"},
    ]
    for variety in varieties:
        save_report(c, KEY, report_of(submit(c, JobDraft(tenant_id, dataset_id)), **variety))
    page = query_reports(c, KEY, tenant_id, 10, None, ReportQuery(**conditions))
    assert {report.method for report in page.items} == methods
    assert query_reports(c, KEY, create_tenant(c, "stranger").id, 10, None, ReportQuery(**conditions)).items == []


def test_the_query_is_paged(c: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    for _ in range(3):
        save_report(c, KEY, report_of(submit(c, JobDraft(tenant_id, dataset_id))))
    first = query_reports(c, KEY, tenant_id, 2)
    second = query_reports(c, KEY, tenant_id, 2, first.next_cursor)
    assert len({report.job_id for report in (*first.items, *second.items)}) == 3
    assert second.next_cursor is None


FORGERIES = {
    "the content": """UPDATE reports SET content = '{"schema_version": 2}' WHERE job_id = :id""",
    "the verdict": "UPDATE reports SET status = 'refused' WHERE job_id = :id",
    "k": "UPDATE reports SET achieved_k = 50 WHERE job_id = :id",
    "the risk": "UPDATE reports SET risk = risk / 2 WHERE job_id = :id",
    "no risk": "UPDATE reports SET risk = NULL WHERE job_id = :id",
    "the method": "UPDATE reports SET method = 'optimal' WHERE job_id = :id",
    "the guarantees": "UPDATE reports SET guarantees = ARRAY['l_diversity'] WHERE job_id = :id",
    "what is private": "UPDATE reports SET private = NOT private WHERE job_id = :id",
    "the release": "UPDATE reports SET release_id = gen_random_uuid() WHERE job_id = :id",
    "the time": "UPDATE reports SET created_at = created_at + interval '1 day' WHERE job_id = :id",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_no_report_can_be_changed(c: Connection, job: JobRecord, forgery: str) -> None:
    save_report(c, KEY, report_of(job))
    assert get_report_of_job(c, KEY, job.tenant_id, job.id) is not None
    assert c.execute(text(FORGERIES[forgery]), {"id": job.id}).rowcount == 1
    with pytest.raises(Forged):
        get_report_of_job(c, KEY, job.tenant_id, job.id)
    assert query_reports(c, KEY, job.tenant_id, 10).items == []


def test_a_report_of_another_job_of_the_tenant_does_not_pass_for_this_ones(
    c: Connection, job: JobRecord, tenant_id: UUID, dataset_id: UUID
) -> None:
    other = submit(c, JobDraft(tenant_id, dataset_id))
    save_report(c, KEY, report_of(other, risk=0.01))
    c.execute(text("UPDATE reports SET job_id = :id WHERE job_id = :other"), {"id": job.id, "other": other.id})
    with pytest.raises(Forged):
        get_report_of_job(c, KEY, tenant_id, job.id)
