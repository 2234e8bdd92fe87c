"""Reports: the full account of every finished job, and the auditors' query over them.

Every report carries a code under the release key over all of its row; none is handed out whose code does not fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, func, insert, select

from storage.authenticity import mac_of, require_authentic
from storage.errors import Forged
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
    mac: bytes


_COLUMNS = columns_of(ReportRecord, Report)


_KIND = "report"


def save_report(c: Connection, keys: bytes, draft: ReportDraft) -> None:
    """Keep the report of a job, in the transaction that ends it."""
    values = vars(draft) | {"created_at": c.execute(select(func.now())).scalar_one()}
    c.execute(insert(Report).values(**values, mac=mac_of(keys, _KIND, _values(values))))


def _values(report: Mapping[str, Any]) -> list[Any]:
    return [report[column.key] for column in _COLUMNS if column.key != "mac"]


def _record(keys: bytes, row: Any) -> ReportRecord:
    """The report of a row; `Forged` if it is not what a worker wrote."""
    record = ReportRecord(*row)
    require_authentic(keys, _KIND, _values(vars(record)), record.mac)
    return record


def get_report_of_job(c: Connection, keys: bytes, tenant_id: UUID, job_id: UUID) -> ReportRecord | None:
    """The report of one of the tenant's jobs, refused ones too."""
    row = c.execute(select(*_COLUMNS).where(Report.job_id == job_id, Report.tenant_id == tenant_id)).one_or_none()
    return None if row is None else _record(keys, row)


def get_report_of_release(c: Connection, keys: bytes, tenant_id: UUID | None, release_id: UUID) -> ReportRecord | None:
    """The report of one of the tenant's releases; without a tenant, of a public one."""
    statement = select(*_COLUMNS).join(Release, Release.job_id == Report.job_id).where(Release.id == release_id)
    visible = Release.audience == "public" if tenant_id is None else Release.tenant_id == tenant_id
    row = c.execute(statement.where(visible)).one_or_none()
    found = None if row is None else _record(keys, row)
    if found is not None and found.release_id != release_id:
        raise Forged("a report is not that of its release")
    return found


def query_reports(
    c: Connection,
    keys: bytes,
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
    order = (Report.created_at, Report.job_id)
    return fetch_page(
        c, statement, order, limit, cursor, lambda row: _record(keys, row), lambda item: (item.created_at, item.job_id)
    )
