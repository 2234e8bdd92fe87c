"""Reports: the full record of every finished job, and the auditors' queries over them.

Every report carries a code under the release key over its whole row; a report whose code does not match is never
returned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Double, case, cast, func, insert, select

from storage.crypto.authenticity import mac_of, require_authentic, with_codes
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.errors import Forged
from storage.orm import Dataset, Release, Report


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
    """One report: the columns that are queried, and its whole content."""

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
    """Store the report of a job, in the transaction that ends it."""
    values = vars(draft) | {"created_at": c.execute(select(func.now())).scalar_one()}
    c.execute(insert(Report).values(**values, mac=mac_of(keys, _KIND, _values(values))))


def _values(report: Mapping[str, Any]) -> list[Any]:
    return [report[column.key] for column in _COLUMNS if column.key != "mac"]


def _record(keys: bytes, row: Any) -> ReportRecord:
    """The report of a row; `Forged` if it was changed after a worker wrote it."""
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
        raise Forged("a report does not belong to its release")
    return found


@dataclass(frozen=True, kw_only=True)
class ReportQuery:
    """An auditor's query; a field that is None or empty is no condition."""

    dataset_id: UUID | None = None
    dataset: str | None = None
    """Name of the dataset."""
    methods: Sequence[str] = ()
    """Any of these."""
    guarantees: Sequence[str] = ()
    """Any of these."""
    waiver: str | None = None
    min_k: int | None = None
    max_k: int | None = None
    min_risk: float | None = None
    """Lower bound on the rate of an answer: of the one farthest above guessing, or of the one to ``question``."""
    max_risk: float | None = None
    question: str | None = None
    """``identity``, ``attribute`` or ``membership``."""
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    sees_private: bool = True
    """Whether bounds on risk also apply to jobs whose figures only their steward may see: repeated queries with a bound
    on a hidden figure would disclose it."""

    def conditions(self) -> list[ColumnElement[bool]]:
        """The conditions that a report must meet. A report without a figure does not meet a bound on it."""
        named = select(Dataset.id).where(Dataset.tenant_id == Report.tenant_id, Dataset.name == self.dataset)
        bounded = self.min_risk is not None or self.max_risk is not None
        asked = [
            None if self.dataset_id is None else Report.dataset_id == self.dataset_id,
            None if self.dataset is None else Report.dataset_id.in_(named),
            Report.method.in_(self.methods) if self.methods else None,
            Report.guarantees.overlap(list(self.guarantees)) if self.guarantees else None,
            None if self.waiver is None else Report.content["waivers"].contains([{"rule": self.waiver}]),
            None if self.min_k is None else Report.achieved_k >= self.min_k,
            None if self.max_k is None else Report.achieved_k <= self.max_k,
            None if self.min_risk is None else _rate(self.question) >= self.min_risk,
            None if self.max_risk is None else _rate(self.question) <= self.max_risk,
            ~Report.private if bounded and not self.sees_private else None,
            None if self.status is None else Report.status == self.status,
            None if self.since is None else Report.created_at >= self.since,
            None if self.until is None else Report.created_at < self.until,
        ]
        return [condition for condition in asked if condition is not None]


def query_reports(
    c: Connection, keys: bytes, tenant_id: UUID, limit: int, cursor: str | None = None, query: ReportQuery | None = None
) -> Page[ReportRecord]:
    """The tenant's reports that meet a query."""
    conditions = [] if query is None else query.conditions()
    statement = select(*_COLUMNS).where(Report.tenant_id == tenant_id, *conditions)
    order = (Report.created_at, Report.job_id)
    page = fetch_page(
        c, statement, order, limit, cursor, lambda row: ReportRecord(*row), lambda item: (item.created_at, item.job_id)
    )
    return Page(with_codes(keys, _KIND, page.items, lambda item: (_values(vars(item)), item.mac)), page.next_cursor)


def _rate(question: str | None) -> ColumnElement[Any]:
    """The rate of the answer to a question, as the worker stored it; of the headline without one.

    Reports that were made before the questions were answered apart have a risk of re-identification alone.
    """
    if question is None:
        return Report.risk.expression
    answers = Report.content["risk"]["answers"]
    rate = answers[question]["rate"]
    stored = case((func.jsonb_typeof(rate) == "number", cast(rate.astext, Double)), else_=None)
    if question != "identity":
        return stored
    return case((func.jsonb_typeof(answers) == "object", stored), else_=Report.risk)


def promised_risk(content: Mapping[str, Any]) -> float | None:
    """The bound that the guarantees give on the chance to pick the right person: that of the weakest guarantee of a k.

    Each guarantee assumes its own attacker, so the highest bound counts. None if no guarantee bounds such a chance.
    """
    required = [guarantee.get("required") or {} for guarantee in content.get("guarantees") or ()]
    bounds = [1.0 / stated["k"] for stated in required if _is_number(stated.get("k")) and stated["k"] >= 1]
    return max(bounds, default=None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
