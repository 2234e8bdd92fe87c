"""Reports: found by job and release, and queried by auditors."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection

from storage.jobs import JobDraft, JobRecord, submit
from storage.releases import ReleaseDraft, publish, set_audience
from storage.reports import ReportDraft, get_report_of_job, get_report_of_release, query_reports, save_report
from storage.tenants import create_tenant


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
    save_report(c, report_of(job, status="refused"))
    found = get_report_of_job(c, job.tenant_id, job.id)
    assert found is not None
    assert (found.status, found.content, found.private) == ("refused", {"schema_version": 1}, False)
    assert get_report_of_job(c, create_tenant(c, "stranger").id, job.id) is None


def test_the_report_of_a_public_release_is_for_all(c: Connection, job: JobRecord) -> None:
    release_id = uuid4()
    publish(
        c,
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
    save_report(c, report_of(job, release_id=release_id))
    assert get_report_of_release(c, job.tenant_id, release_id) is not None
    assert get_report_of_release(c, uuid4(), release_id) is None
    assert get_report_of_release(c, None, release_id) is None
    set_audience(c, job.tenant_id, release_id, "public")
    assert get_report_of_release(c, None, release_id) is not None


NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    ("conditions", "methods"),
    [
        ({}, {"mondrian", "datafly", "k_degree"}),
        ({"method": "datafly"}, {"datafly"}),
        ({"guarantee": "l_diversity"}, {"datafly"}),
        ({"guarantee": "k_anonymity"}, {"mondrian", "datafly"}),
        ({"min_k": 6}, {"datafly"}),
        ({"max_risk": 0.1}, {"datafly"}),
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
        {"method": "datafly", "guarantees": ["k_anonymity", "l_diversity"], "achieved_k": 10, "risk": 0.1},
        {"method": "k_degree", "guarantees": ["k_degree"], "achieved_k": None, "risk": None, "status": "refused"},
    ]
    for variety in varieties:
        save_report(c, report_of(submit(c, JobDraft(tenant_id, dataset_id)), **variety))
    page = query_reports(c, tenant_id, 10, **conditions)
    assert {report.method for report in page.items} == methods
    assert query_reports(c, create_tenant(c, "stranger").id, 10, **conditions).items == []


def test_the_query_is_paged(c: Connection, tenant_id: UUID, dataset_id: UUID) -> None:
    for _ in range(3):
        save_report(c, report_of(submit(c, JobDraft(tenant_id, dataset_id))))
    first = query_reports(c, tenant_id, 2)
    second = query_reports(c, tenant_id, 2, first.next_cursor)
    assert len({report.job_id for report in (*first.items, *second.items)}) == 3
    assert second.next_cursor is None
