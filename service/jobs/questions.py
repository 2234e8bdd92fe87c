"""Questions: the declarations of a steward, the grants of analysts, and the submission of a question as a job.

Nothing here reads the data. A question is checked against the declarations and its noise is planned before it is
charged, so that every charged question can be answered.
"""

import asyncio
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from antifaz.noise import UNIT, epsilon_of
from antifaz.policy.prices import price_of_policy
from antifaz.questions.declarations import Declarations, most_delta
from antifaz.questions.plan import expected, plan, price_of
from antifaz.questions.question import Question, faults_of
from service.access import idempotency
from service.access.audit import note
from service.access.permissions import ANALYST
from service.http.parsing import READERS
from service.http.problems import Problem, fault, invalid, not_found
from service.jobs import charges
from service.jobs.submission import JobPolicy, Work, submit
from service.runtime.state import Service
from storage.accounts import grants, ledger
from storage.accounts.ledger import Account, Price
from storage.audit import history
from storage.database.canonical import canonical
from storage.datasets import declarations
from storage.datasets.datasets import DatasetRecord
from storage.datasets.declarations import DeclarationRecord
from storage.jobs.jobs import JobRecord
from storage.tenancy.tokens import Principal


def check_columns(dataset: DatasetRecord, declared: Declarations) -> None:
    """Raise the problem unless the dataset is a table that has every declared column."""
    if dataset.kind != "table":
        raise invalid("invalid-request", "/columns", "questions are only possible about tables")
    known = {column["name"] for column in dataset.columns or ()}
    missing = [name for name in declared.columns if name not in known]
    faults = [
        fault(f"/columns/{name.replace('~', '~0').replace('/', '~1')}", "there is no such column") for name in missing
    ]
    if declared.privacy_unit is not None and declared.privacy_unit not in known:
        faults.append(fault("/privacy_unit", "there is no such column"))
    if dataset.columns is not None and faults:
        raise Problem("invalid-request", f"{len(faults)} fault(s), see errors.", errors=faults)


async def declare(
    service: Service, connection: AsyncConnection, principal: Principal, dataset: DatasetRecord, declared: Declarations
) -> DeclarationRecord:
    """Store the next version of the declarations, and open or change the lineage's account if that is allowed."""
    check_columns(dataset, declared)
    if declared.delta > most_delta(_rows(dataset)):
        detail = "must be at most a hundredth of one by the number of rows, rounded up to a power of ten"
        raise invalid("invalid-request", "/delta", detail)
    loss = declared.budget.epsilon if declared.measure == "pure" else declared.budget.rho
    total = ledger.granted_by(Decimal(str(loss)), declared.measure)
    delta = ledger.granted_delta(Decimal(str(declared.delta)))
    lineage_id = dataset.lineage_id
    account = await connection.run_sync(ledger.hold_account, service.release_key, lineage_id)
    if account is None:
        opening = (service.release_key, principal.tenant_id, lineage_id, total, declared.measure, delta)
        await connection.run_sync(ledger.open_account, *opening)
        await _charge_earlier_draws(service, connection, lineage_id, declared)
    else:
        await _check_change(service, connection, account, declared, total, delta)
        change = (service.release_key, lineage_id, total, declared.measure, delta)
        await connection.run_sync(ledger.change_account, *change)
    await _require_agreed(service, connection, dataset, declared)
    content = declared.model_dump(mode="json", exclude_none=True)
    made = await connection.run_sync(
        declarations.add_declarations,
        service.release_key,
        principal.tenant_id,
        lineage_id,
        content,
        principal.token_id,
    )
    details = {"version": made.version, "measure": declared.measure, "total": total, "delta": declared.delta}
    details |= {"waivers": content["waivers"]} if declared.waivers else {}
    await note(connection, principal, "declarations.put", dataset.id, details)
    # So that the first question does not have to wait until the whole original is read.
    policy = JobPolicy({"declarations": made.version}, None, None)
    await submit(service, connection, principal, Work(dataset, "project", policy))
    return made


async def _require_agreed(
    service: Service, connection: AsyncConnection, dataset: DatasetRecord, declared: Declarations
) -> None:
    """Require the waiver if the lineage has releases that its account does not count."""
    lineage = (service.release_key, dataset.tenant_id, dataset.lineage_id)
    found = await connection.run_sync(history.all_releases, *lineage)
    outside = await connection.run_sync(history.outside_the_account, service.release_key, found)
    if outside and not declared.waives_composition:
        raise charges.not_agreed()


async def _charge_earlier_draws(
    service: Service, connection: AsyncConnection, lineage_id: UUID, declared: Declarations
) -> None:
    """Charge the draws that were made before the account was opened: opening one later makes nothing free."""
    measure, drawn = declared.measure, await connection.run_sync(ledger.uncharged_draws, lineage_id)
    _require_unit(drawn, declared)
    for job in drawn:
        loss, delta = await asyncio.to_thread(price_of_policy, job.policy or {}, measure)
        price = Price(ledger.charged_for(loss, measure), ledger.charged_delta(delta))
        if price.units == 0:
            continue
        cost = (service.release_key, lineage_id, price.units, price.delta)
        if not await connection.run_sync(ledger.spend, *cost):
            detail = "Releases of this dataset have already cost more than this budget or delta."
            raise Problem("budget-exhausted", detail)
        await connection.run_sync(ledger.enter, service.release_key, lineage_id, job.id, price)


def _require_unit(drawn: Iterable[JobRecord], declared: Declarations) -> None:
    """Require one privacy unit: a loss per record does not bound the loss of a person with several records, so the two
    cannot be added."""
    if any((job.policy or {}).get("privacy_unit") != declared.privacy_unit for job in drawn):
        raise Problem("conflict", "Earlier releases have another privacy unit; their losses cannot be added.")


async def _check_change(
    service: Service, connection: AsyncConnection, account: Account, declared: Declarations, total: int, delta: int
) -> None:
    """Refuse changes that would undo charges of an account."""
    before = await connection.run_sync(declarations.get_declarations, service.release_key, account.lineage_id)
    if before is None:
        _require_unit(await connection.run_sync(ledger.charged_jobs, account.lineage_id), declared)
    same_unit = before is None or before.content.get("privacy_unit") == declared.privacy_unit
    allowed = account.delta_total is None or delta <= account.delta_total
    if (account.charged or account.fixed) and (
        account.measure != declared.measure or total > account.total or not allowed or not same_unit
    ):
        why = "The account has charges" if account.charged else "The budget was set with the upload"
        detail = f"{why}: measure and privacy unit cannot change, and budget and delta can only be lowered."
        raise Problem("conflict", detail)
    if total < account.spent or delta < account.delta_spent:
        raise Problem("conflict", "Budget and delta cannot be lower than the amounts already spent.")
    if account.measure != declared.measure and await connection.run_sync(grants.any_grant, account.lineage_id):
        raise Problem("conflict", "Analysts have grants in the current measure.")


class Asked:
    """A question about a dataset, checked against the declarations."""

    def __init__(self, dataset: DatasetRecord, record: DeclarationRecord, question: Question) -> None:
        self.dataset = dataset
        self.version = record.version
        try:
            self.declared = Declarations.model_validate(record.content)
        except ValidationError:
            # Stored by an earlier version of Antifaz, which allowed larger deltas.
            raise Problem("conflict", "These declarations are not allowed anymore: declare again.") from None
        self.question = question
        self.faults = list(faults_of(question, self.declared))
        # Worked out here: with thousands of values it takes long, and this runs outside the event loop.
        self._content = canonical([question.canonical()]).encode()
        self._stated = _stated(question)

    @property
    def price(self) -> Price:
        found = price_of(self.question, self.declared.measure)
        return Price(found.units, found.delta)

    def policy(self, service: Service, tenant_id: UUID) -> JobPolicy:
        """The question as its job stores it, with a fingerprint that recognizes the same question again."""
        stated = {"question": self._stated, "declarations": self.version}
        parts = {"question": self._content, "version": str(self.version).encode()}
        return JobPolicy(stated, None, idempotency.fingerprint(service, tenant_id, "query", parts))

    async def require_current(self, service: Service, connection: AsyncConnection) -> None:
        """Raise the problem if the declarations changed meanwhile: with another measure or unit, the question would
        cost something else. A new declaration waits for the lock of the account that was just charged."""
        lineage_id = self.dataset.lineage_id
        newest = await connection.run_sync(declarations.get_declarations, service.release_key, lineage_id)
        if newest is None or newest.version != self.version:
            raise Problem("conflict", "The declarations have changed meanwhile. Send the question again.")

    async def check_plan(self) -> None:
        """Raise the problem if no noise fits a cost this small; the library is loaded outside the event loop."""
        try:
            await asyncio.to_thread(plan, self.question, self.declared)
        except ValueError:
            raise _too_small(self.question) from None

    async def expected(self, rows: int | None) -> list[dict[str, Any]]:
        """The expected accuracy of an answer."""
        try:
            return await asyncio.to_thread(expected, self.question, self.declared, rows)
        except ValueError:
            raise _too_small(self.question) from None


def _too_small(question: Question) -> Problem:
    pointer = "/epsilon" if question.epsilon is not None else "/rho"
    return invalid("invalid-request", pointer, "is too small for this question")


def _stated(question: Question) -> dict[str, Any]:
    stated = question.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return stated | {"select": [item.model_dump(mode="json", exclude_none=True) for item in question.select]}


async def asked(service: Service, connection: AsyncConnection, dataset: DatasetRecord, question: Question) -> Asked:
    """Check a question against the declarations; the dataset must have been read before."""
    if dataset.status != "ready":
        raise Problem("conflict", "The dataset has not been read yet. Try again in a moment.")
    record = await connection.run_sync(declarations.get_declarations, service.release_key, dataset.lineage_id)
    if record is None:
        raise Problem("not-declared", "A steward has to declare columns and a budget first.")
    found = await READERS.read(str(dataset.tenant_id), Asked, dataset, record, question)
    _check_delta(found)
    faults = [fault(pointer, detail) for pointer, detail in found.faults]
    if faults:
        raise Problem("invalid-request", f"{len(faults)} fault(s), see errors.", errors=faults)
    _check_asked_columns(found)
    return found


def _check_delta(found: Asked) -> None:
    """Require a delta far below one by the number of rows: this version may have more of them than the one that was
    read when the delta was declared. Whether the power of ten of that number fits the delta is disclosed."""
    if found.question.delta is not None and found.declared.delta > most_delta(_rows(found.dataset)):
        raise Problem("conflict", "The declared delta is too large for this number of rows: a lower one is required.")


def _rows(dataset: DatasetRecord) -> int:
    return (dataset.counts or {}).get("rows", 0)


def _check_asked_columns(found: Asked) -> None:
    """Require the question's columns: a later version of a table may lack a declared one."""
    known = {column["name"] for column in found.dataset.columns or ()}
    question = found.question
    needed = {item.column for item in question.select} | {each.column for each in question.where}
    needed |= {*question.group_by, found.declared.privacy_unit}
    if {name for name in needed if name is not None} - known:
        raise Problem("conflict", "This version of the dataset lacks a declared column that the question needs.")


async def require_grant(service: Service, connection: AsyncConnection, principal: Principal, lineage_id: UUID) -> None:
    """Raise a 404 for an analyst without a grant, the same as for a dataset that does not exist."""
    if principal.role != ANALYST:
        return
    if await connection.run_sync(grants.get_grant, service.release_key, lineage_id, principal.token_id) is None:
        raise not_found()


async def remaining(service: Service, connection: AsyncConnection, principal: Principal, lineage_id: UUID) -> float:
    """What the caller has left: of the account, or of an analyst's grant if that is less."""
    account = await connection.run_sync(ledger.account_of, service.release_key, lineage_id)
    if account is None:
        return 0.0
    left = account.total - account.spent
    if principal.role == ANALYST:
        grant = await connection.run_sync(grants.get_grant, service.release_key, lineage_id, principal.token_id)
        left = min(left, grant.total - grant.spent) if grant is not None else 0
    return ledger.in_loss(left, account.measure)


async def epsilon_at_delta(account: Account | None) -> float | None:
    """The epsilon implied by the spending of a concentrated account at its delta, by OpenDP's conversion."""
    if account is None or account.measure == "pure" or not account.delta_total:
        return None
    left = account.delta_total - account.delta_spent
    units = account.spent * (UNIT // ledger.UNITS[account.measure])
    return await asyncio.to_thread(epsilon_of, units, max(left, 1) / ledger.DELTA_UNITS)
