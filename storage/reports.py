"""Reports: the full account of every finished job, and the auditors' query over them."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, insert, select

from storage.orm import Release, Report
from storage.paging import Page, fetch_page
from storage.records import columns_of


@dataclass(frozen=True, kw_only=True)
class ReportDraft:
    """A report about to be saved."""

    job_id: UUID
    tenant_id: UUID
    dataset_id: UUID
    release_id: UUID | None = None
    status: str
    method: str
    guarantees: list[str]
    """The names of the models."""
    achieved_k: int | None = None
    risk: float | None = None
    private: bool = False
    content: dict[str, Any]


@dataclass(frozen=True)
class ReportRecord:
    """One report: the columns that are queried, and the whole of it."""

    job_id: UUID
    tenant_id: UUID
    dataset_id: UUID
    release_id: UUID | None
    status: str
    method: str
    guarantees: list[str]
    achieved_k: int | None
    risk: float | None
    private: bool
    content: dict[str, Any]
    created_at: datetime


_COLUMNS = columns_of(ReportRecord, Report)


def save_report(c: Connection, draft: ReportDraft) -> None:
    """Keep the report of a job, in the transaction that ends it."""
    c.execute(insert(Report).values(**asdict(draft)))


def get_report_of_job(c: Connection, tenant_id: UUID, job_id: UUID) -> ReportRecord | None:
    """The report of one of the tenant's jobs, refused ones too."""
    row = c.execute(select(*_COLUMNS).where(Report.job_id == job_id, Report.tenant_id == tenant_id)).one_or_none()
    return None if row is None else ReportRecord(*row)


def get_report_of_release(c: Connection, tenant_id: UUID | None, release_id: UUID) -> ReportRecord | None:
    """The report of one of the tenant's releases; without a tenant, of a public one."""
    statement = select(*_COLUMNS).join(Release, Release.job_id == Report.job_id).where(Release.id == release_id)
    visible = Release.audience == "public" if tenant_id is None else Release.tenant_id == tenant_id
    row = c.execute(statement.where(visible)).one_or_none()
    return None if row is None else ReportRecord(*row)


def query_reports(
    c: Connection,
    tenant_id: UUID,
    limit: int,
    cursor: str | None = None,
    dataset_id: UUID | None = None,
    method: str | None = None,
    guarantee: str | None = None,
    min_k: int | None = None,
    max_risk: float | None = None,
    status: str | None = None,
    since: datetime | None = None,
) -> Page[ReportRecord]:
    """The tenant's reports that meet every condition given. One without a figure does not meet a bound on it."""
    conditions: list[ColumnElement[bool] | None] = [
        None if dataset_id is None else Report.dataset_id == dataset_id,
        None if method is None else Report.method == method,
        None if guarantee is None else Report.guarantees.contains([guarantee]),
        None if min_k is None else Report.achieved_k >= min_k,
        None if max_risk is None else Report.risk <= max_risk,
        None if status is None else Report.status == status,
        None if since is None else Report.created_at >= since,
    ]
    asked = [condition for condition in conditions if condition is not None]
    statement = select(*_COLUMNS).where(Report.tenant_id == tenant_id, *asked)
    keys = (Report.created_at, Report.job_id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: ReportRecord(*row), lambda item: (item.created_at, item.job_id)
    )
