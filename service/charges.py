"""Charges: what a job that promises differential privacy costs, taken from its lineage's budget when it is submitted.

Charge and job are written in one transaction: a budget that does not suffice is a 409 before any worker looks at the
data. The same request again, while the first is under way or its release is served, is answered with the first job
and costs nothing: it would get no other release.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from antifaz.policy import privacy_loss, uncounted_loss
from service import idempotency
from service.audit import note
from service.problems import Problem, invalid
from service.state import Service
from storage import ledger
from storage.datasets import DatasetRecord
from storage.jobs import JobDraft, JobRecord
from storage.tokens import Principal


def mark_of(service: Service, tenant_id: UUID, content: bytes) -> bytes:
    """What makes two policies the same: all that they say, however they were written."""
    return idempotency.fingerprint(service, tenant_id, "policy", {"policy": content})


def is_charged(policy: Mapping[str, Any]) -> bool:
    """Whether a policy, or the public part of one, promises differential privacy."""
    return privacy_loss(policy) > 0


async def standing_job(connection: AsyncConnection, draft: JobDraft) -> JobRecord | None:
    """The job that answers the same request already."""
    if draft.fingerprint is None:
        return None
    return await connection.run_sync(ledger.standing_job, draft.tenant_id, draft.dataset_id, draft.fingerprint)


async def spend(connection: AsyncConnection, dataset: DatasetRecord, policy: Mapping[str, Any] | None) -> int | None:
    """Take what a policy costs from the lineage's budget; None where it costs nothing or no budget is kept."""
    snapshots = (dataset.counts or {}).get("snapshots")
    cost = ledger.charged_for(privacy_loss(policy or {}, snapshots))
    if cost == 0:
        return None
    account = await connection.run_sync(ledger.account_of, dataset.lineage_id)
    if account is None:
        return None
    uncounted = uncounted_loss(policy or {})
    if uncounted is not None and snapshots is None:
        detail = "is required if a budget is kept and the dataset is not ready: every snapshot is charged"
        raise invalid("invalid-policy", f"/policy{uncounted}", detail)
    if await connection.run_sync(ledger.spend, dataset.lineage_id, cost):
        return cost
    left = ledger.in_epsilon(account.total - account.spent)
    detail = f"The job costs an epsilon of {ledger.in_epsilon(cost)}, and {left} is left."
    raise Problem("budget-exhausted", detail, extra={"needed": ledger.in_epsilon(cost), "remaining": left})


async def enter(
    connection: AsyncConnection, principal: Principal, lineage_id: UUID, job_id: UUID, cost: int | None
) -> None:
    """Write down for which job a cost was taken, as one of the last statements of the transaction."""
    if cost is None:
        return
    await connection.run_sync(ledger.enter, lineage_id, job_id, cost)
    await note(connection, principal, "budget.charge", lineage_id, {"job": str(job_id), "micro_epsilon": cost})
