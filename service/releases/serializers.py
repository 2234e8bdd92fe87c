"""Serializers: records of the storage as the JSON that the API documents."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from antifaz.answers import headline
from api_schemas.schema import rfc3339
from service.policies.dialects import dialect_answer
from service.releases import views
from service.report.attacks import answers_of, knows
from storage.accounts.grants import NamedGrant
from storage.accounts.ledger import DELTA_UNITS, Account, ChargeRecord, in_loss
from storage.audit.audit import EventRecord, SignedAnchor
from storage.database.canonical import moment
from storage.database.paging import Page
from storage.datasets.datasets import DatasetRecord
from storage.datasets.hierarchies import HierarchyRecord
from storage.datasets.policies import PolicyRecord
from storage.jobs.jobs import JobState
from storage.releases.releases import ReleaseRecord
from storage.releases.reports import ReportRecord, promised_risk
from storage.tenancy.tenants import TenantRecord
from storage.tenancy.tokens import TokenRecord

Json = dict[str, Any]


def page_answer(page: Page[Any], items: list[Json]) -> Json:
    """A page of a list."""
    return {"items": items, "next_cursor": page.next_cursor}


def dataset_answer(dataset: DatasetRecord) -> Json:
    """The public data of a dataset."""
    counts = dataset.counts or {}
    return {
        "id": str(dataset.id),
        "name": dataset.name,
        "kind": dataset.kind,
        "format": dataset.format,
        "status": dataset.status,
        "problem": dataset.problem,
        "columns": dataset.columns,
        "dialect": dialect_answer(dataset),
        "warnings": dataset.details.get("warnings"),
        "rows": counts.get("rows"),
        "nodes": counts.get("nodes"),
        "edges": counts.get("edges"),
        "snapshots": counts.get("snapshots"),
        "directed": dataset.details.get("directed"),
        "supersedes": _text(dataset.supersedes),
        "unrelated_to": _text(dataset.unrelated_to),
        "population": dataset.population,
        "created_at": rfc3339(dataset.created_at),
    }


def budget_answer(
    account: Account | None, charges: Sequence[ChargeRecord], epsilon_at_delta: float | None = None
) -> Json:
    """The account of a lineage; losses in its measure."""
    if account is None:
        nothing: Json = {"delta": None, "delta_spent": 0.0, "epsilon_at_delta": None, "entries": []}
        return {"measure": "pure", "epsilon": None, "spent": 0.0, "remaining": None, **nothing}
    measure, name = account.measure, "epsilon" if account.measure == "pure" else "rho"
    return {
        "measure": measure,
        name: in_loss(account.total, measure),
        "spent": in_loss(account.spent, measure),
        "remaining": in_loss(account.total - account.spent, measure),
        "delta": None if account.delta_total is None else account.delta_total / DELTA_UNITS,
        "delta_spent": account.delta_spent / DELTA_UNITS,
        "epsilon_at_delta": epsilon_at_delta,
        "entries": [
            {
                "job_id": str(charge.job_id),
                name: in_loss(charge.units, measure),
                "delta": charge.delta / DELTA_UNITS,
                "token_id": _text(charge.token_id),
                "at": rfc3339(charge.at),
            }
            for charge in charges
        ],
    }


def grant_answer(named: NamedGrant) -> Json:
    """The amount that an analyst may spend on a dataset."""
    grant, measure = named.grant, named.measure
    return {
        "dataset_id": str(grant.dataset_id),
        "dataset": named.dataset,
        "token_id": str(grant.token_id),
        "analyst": named.analyst,
        "measure": measure,
        "total": in_loss(grant.total, measure),
        "spent": in_loss(grant.spent, measure),
        "remaining": in_loss(grant.total - grant.spent, measure),
        "created_at": rfc3339(grant.created_at),
    }


def job_answer(job: JobState) -> Json:
    """The state of a job."""
    return {
        "id": str(job.id),
        "dataset_id": str(job.dataset_id),
        "trial": job.task == "trial",
        "comparison": job.task == "comparison",
        "status": job.status,
        "stage": job.stage,
        "progress": job.progress,
        "release_id": _text(job.release_id),
        "refusal": job.refusal,
        "error": job.error,
        "created_at": rfc3339(job.created_at),
        "started_at": rfc3339(job.started_at),
        "finished_at": rfc3339(job.finished_at),
    }


def release_answer(release: ReleaseRecord, about: Json, base: str) -> Json:
    """A release with its card, and its files with their addresses."""
    address = f"{base}/v1/releases/{release.id}"
    return {
        "id": str(release.id),
        "job_id": str(release.job_id),
        "name": release.name,
        "kind": release.kind,
        "columns": release.shape.get("columns"),
        "shape": release.shape,
        "artifacts": [
            {
                "format": file.format,
                "part": file.part,
                "sha256": file.sha256,
                "bytes": file.size,
                "href": f"{address}/data?format={file.format}&part={file.part}",
            }
            for file in release.artifacts
        ],
        "about": about,
        "guarantees": release.guarantees,
        "dictionary": release.dictionary,
        "audience": release.audience,
        "created_at": rfc3339(release.created_at),
        "withdrawn_at": rfc3339(release.withdrawn_at),
        "withdrawn_reason": release.withdrawn_reason,
        "destroyed_at": rfc3339(release.destroyed_at),
    }


def report_answer(report: ReportRecord, role: str | None) -> Json:
    """A report as far as the role may see it."""
    return views.view(report.content, role, report.private)


def summary_answer(report: ReportRecord, role: str) -> Json:
    """One row of the list of reports."""
    # Answers of attacks are figures about the original: a role that may not see those gets no summary of them either.
    found = answers_of(report.content) if views.sees_original(role, report.private) else {}
    return {
        "job_id": str(report.job_id),
        "dataset_id": str(report.dataset_id),
        "release_id": _text(report.release_id),
        "status": report.status,
        "method": report.method,
        "guarantees": report.guarantees,
        "achieved_k": report.achieved_k,
        "promised_risk": promised_risk(report.content),
        "strongest_attack": _answered(headline(found)) if found else None,
        "answers": {question: _answered(answer) for question, answer in found.items()} if found else None,
        "waivers": [waiver["rule"] for waiver in report.content.get("waivers") or ()],
        "created_at": rfc3339(report.created_at),
        "report": report_answer(report, role),
    }


_ANSWER = ("name", "question", "rate", "baseline", "highest", "column", "bound", "bounded_by")


def _answered(answer: Mapping[str, Any] | None) -> Json | None:
    """The figures of an answer, and what its attacker knows."""
    if answer is None:
        return None
    name = str(answer.get("attack") if answer.get("name") == "static" else answer.get("name", ""))
    return {figure: answer.get(figure) for figure in _ANSWER} | {"knows": knows(name)}


def policy_answer(policy: PolicyRecord) -> Json:
    """A stored policy."""
    return {
        "id": str(policy.id),
        "name": policy.name,
        "version": policy.version,
        "policy": policy.public,
        "created_at": rfc3339(policy.created_at),
    }


def hierarchy_answer(hierarchy: HierarchyRecord) -> Json:
    """The shape of a hierarchy."""
    return {
        "id": str(hierarchy.id),
        "name": hierarchy.name,
        "kind": hierarchy.kind,
        "status": hierarchy.status,
        "shape": hierarchy.shape,
        "problem": hierarchy.problem,
        "dataset_id": _text(hierarchy.dataset_id),
        "column": hierarchy.column,
        "created_at": rfc3339(hierarchy.created_at),
    }


def event_answer(event: EventRecord, actor_name: str | None) -> Json:
    """One event of the audit trail, with the name of the token that acted."""
    return {
        "number": event.number,
        "at": rfc3339(event.at, "microseconds"),
        "actor": event.actor,
        "actor_name": actor_name,
        "action": event.action,
        "subject": event.subject,
        "details": event.details,
        "previous": event.previous.hex(),
        "digest": event.digest.hex(),
    }


def event_line(event: EventRecord, actor_name: str | None) -> Json:
    """One event as a line of the exported trail, with everything its digest covers, in the same form."""
    # The exported line repeats the digested form of the time: the verifier recomputes digests without parsing it.
    covered = {"line": "event", "tenant_id": str(event.tenant_id), "at": moment(event.at)}
    return event_answer(event, actor_name) | covered


def anchor_line(tenant_id: UUID, anchor: SignedAnchor) -> Json:
    """One anchor as a line of the exported trail."""
    return {
        "line": "anchor",
        "tenant_id": str(tenant_id),
        "number": anchor.number,
        "digest": anchor.digest.hex(),
        "public_key": anchor.public_key,
        "signature": anchor.signature.hex(),
    }


def caller_answer(token: TokenRecord, tenant: TenantRecord) -> Json:
    """The identity behind a token."""
    return {
        "token_id": str(token.id),
        "name": token.name,
        "role": token.role,
        "tenant": {"id": str(tenant.id), "name": tenant.name},
        "expires_at": rfc3339(token.expires_at),
    }


def token_answer(token: TokenRecord) -> Json:
    """A token without its text."""
    return {
        "id": str(token.id),
        "name": token.name,
        "role": token.role,
        "created_at": rfc3339(token.created_at),
        "expires_at": rfc3339(token.expires_at),
        "revoked_at": rfc3339(token.revoked_at),
    }


def tenant_answer(tenant: TenantRecord) -> Json:
    """A tenant."""
    return {"id": str(tenant.id), "name": tenant.name, "created_at": rfc3339(tenant.created_at)}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
