"""Charges: the cost of a differentially private job or question, taken from its lineage's budget on submission.

Charge and job are written in one transaction: if the budget is too small, the response is a 409 before any worker
reads the data. Repeating a request while the first job runs or its release is served returns the first job and costs
nothing, because it would get the same release.
"""

import asyncio
import logging
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from antifaz.policy.parse import privacy_loss, uncounted_loss
from antifaz.policy.prices import price_of_policy
from service.access import idempotency
from service.access.audit import note
from service.access.permissions import ANALYST
from service.http.problems import Problem, invalid
from service.runtime.logs import log
from service.runtime.state import Service
from storage.accounts import anchors as ledger_anchors
from storage.accounts import grants, ledger
from storage.accounts.ledger import Account, Price
from storage.audit import history
from storage.datasets import declarations
from storage.datasets.datasets import DatasetRecord
from storage.datasets.declarations import DeclarationRecord
from storage.errors import Forged
from storage.jobs.jobs import JobDraft, JobRecord
from storage.tenancy.tokens import Principal


def mark_of(service: Service, tenant_id: UUID, content: bytes) -> bytes:
    """A digest that two policies share if their content is the same, regardless of formatting."""
    return idempotency.fingerprint(service, tenant_id, "policy", {"policy": content})


def is_charged(policy: Mapping[str, Any]) -> bool:
    """Whether a policy, or the public part of one, promises differential privacy."""
    return privacy_loss(policy) > 0


async def standing_job(connection: AsyncConnection, draft: JobDraft) -> JobRecord | None:
    """The earlier job that answers the same request."""
    if draft.fingerprint is None:
        return None
    return await connection.run_sync(ledger.standing_job, draft.tenant_id, draft.dataset_id, draft.fingerprint)


async def spend(
    service: Service,
    connection: AsyncConnection,
    principal: Principal,
    dataset: DatasetRecord,
    policy: Mapping[str, Any] | None,
    price: Price | None = None,
) -> Price | None:
    """Take the cost of a policy or question from the lineage's budget, and from an analyst's grant; None if it costs
    nothing or no budget is kept."""
    if price is None and not is_charged(policy or {}):
        return None
    account = await connection.run_sync(ledger.hold_account, service.release_key, dataset.lineage_id)
    if account is None:
        return None
    declared = await connection.run_sync(declarations.get_declarations, service.release_key, dataset.lineage_id)
    _require_declared(account, declared)
    if price is None:
        _check_unit(declared, policy or {})
        price = await _price_of_policy(dataset, policy or {}, account.measure)
    else:
        await _require_agreed(service, connection, dataset, declared)
    await _notice_older_state(service, connection, principal, account)
    cost = (service.release_key, dataset.lineage_id, price.units, price.delta, grant_of(principal))
    if await connection.run_sync(ledger.spend, *cost):
        return price
    raise await _exhausted(service, connection, principal, account, price)


def grant_of(principal: Principal) -> UUID | None:
    """The grant that is charged in addition to the account: an analyst's own."""
    return principal.token_id if principal.role == ANALYST else None


async def _price_of_policy(dataset: DatasetRecord, policy: Mapping[str, Any], measure: str) -> Price:
    snapshots = (dataset.counts or {}).get("snapshots")
    uncounted = uncounted_loss(policy)
    if uncounted is not None and snapshots is None:
        detail = "is required if a budget is kept and the dataset is not ready: every snapshot is charged"
        raise invalid("invalid-policy", f"/policy{uncounted}", detail)
    loss, delta = await asyncio.to_thread(price_of_policy, policy, measure, snapshots)
    return Price(ledger.charged_for(loss, measure), ledger.charged_delta(delta))


def _require_declared(account: Account, declared: DeclarationRecord | None) -> None:
    """Raise `Forged` if an account differs from its declarations: it was restored from before they were lowered."""
    if declared is None:
        return
    stated = declared.content
    loss, delta = (Decimal(str(value)) for value in (_loss(stated["budget"]), stated.get("delta", 0)))
    measure = stated.get("measure", "pure")
    expected = measure, ledger.granted_by(loss, measure), ledger.granted_delta(delta)
    if (account.measure, account.total, account.delta_total) != expected:
        raise Forged("an account differs from its declarations")


def _loss(budget: Mapping[str, float]) -> float:
    return next(value for value in budget.values() if value is not None)


async def _require_agreed(
    service: Service, connection: AsyncConnection, dataset: DatasetRecord, declared: DeclarationRecord | None
) -> None:
    """Refuse a question about a lineage with releases that its account does not count, unless the declarations waive
    this. The account is locked: no release is published until the question is charged."""
    if declared is not None and declared.content.get("waivers"):
        return
    lineage = (service.release_key, dataset.tenant_id, dataset.lineage_id)
    found = await connection.run_sync(history.all_releases, *lineage)
    if await connection.run_sync(history.outside_the_account, service.release_key, found):
        raise not_agreed()


def not_agreed() -> Problem:
    """Answers would be given in addition to releases that no account counts."""
    detail = (
        "This dataset or another version of it has a release that is not charged to the budget: together, answers and "
        "release tell more than either promises. A steward has to declare again with the waiver composition."
    )
    return Problem("composition", detail)


def _check_unit(record: DeclarationRecord | None, policy: Mapping[str, Any]) -> None:
    """Require the declared privacy unit: losses of an account are per person, and a release that protects single rows
    would cost more than it states."""
    unit = None if record is None else record.content.get("privacy_unit")
    if unit is not None and policy.get("privacy_unit") != unit:
        raise invalid("invalid-policy", "/policy/privacy_unit", "must be the declared privacy unit")


async def _notice_older_state(
    service: Service, connection: AsyncConnection, principal: Principal, account: Account
) -> None:
    """Raise an account to the spending that the keyring records: restoring an older database refunds nothing."""
    async with service.keyring.connect() as keys:
        known = await keys.run_sync(ledger_anchors.anchored, service.head_signer, account.lineage_id)
    if await connection.run_sync(ledger.catch_up, service.release_key, account.lineage_id, *known):
        log("an account had spent less than before", level=logging.ERROR, lineage=str(account.lineage_id))
        details = {"found": account.spent, "known": known[0]}
        await note(connection, principal, "budget.restore", account.lineage_id, details)


async def _exhausted(
    service: Service, connection: AsyncConnection, principal: Principal, account: Account, price: Price
) -> Problem:
    lineage = (service.release_key, account.lineage_id)
    now = await connection.run_sync(ledger.account_of, *lineage) or account
    left, name = now.total - now.spent, "epsilon" if now.measure == "pure" else "rho"
    if principal.role == ANALYST:
        grant = await connection.run_sync(grants.get_grant, *lineage, principal.token_id)
        left = min(left, grant.total - grant.spent) if grant is not None else 0
    needed, remaining = (ledger.in_loss(units, now.measure) for units in (price.units, left))
    if price.units <= left:
        return Problem("budget-exhausted", "The delta budget of this dataset is used up.")
    article = "an epsilon" if name == "epsilon" else "a rho"
    detail = f"It costs {article} of {needed}, and {remaining} is left."
    return Problem("budget-exhausted", detail, extra={"needed": needed, "remaining": remaining})


async def enter(
    service: Service,
    connection: AsyncConnection,
    principal: Principal,
    lineage_id: UUID,
    job_id: UUID,
    price: Price | None,
) -> None:
    """Record the job that was charged, as one of the last statements of the transaction."""
    if price is None:
        return
    account = await connection.run_sync(ledger.account_of, service.release_key, lineage_id)
    unit = "micro_epsilon" if account is None or account.measure == "pure" else "nano_rho"
    await connection.run_sync(ledger.enter, service.release_key, lineage_id, job_id, price, grant_of(principal))
    details = {"job": str(job_id), unit: price.units} | ({"femto_delta": price.delta} if price.delta else {})
    await note(connection, principal, "budget.charge", lineage_id, details)
