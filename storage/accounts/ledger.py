"""The ledger: the privacy loss of a lineage's releases and answers, in whole units.

An account belongs to a lineage, is opened with its first dataset or its first declarations, and is never closed. It
counts in one measure: millionths of epsilon (``pure``), or 10⁻⁹ of rho (``zcdp``); deltas are summed in addition.
Each charge first locks the row of its account, so that concurrent charges never exceed the total. The database refuses
an account that is overdrawn or lowered; once charged, an account keeps its measure and its total cannot grow, and
neither can one that was set with an upload. An analyst also spends from a grant, inside the account. A charge is
written in the transaction that submits its job, before any noise is drawn. The job keeps it however often a worker
restarts, and it is not refunded if the job ends without a release. Losses are added as whole numbers: a charge is
rounded up, a budget down.

Accounts, charges and grants carry codes under the release key, which no database holds; a row that does not match its
code is not used. A row that was restored together with its code has spent less than its newest charge records.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, and_, exists, func, insert, or_, select, update

from storage.accounts import grants
from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.locks import lock_name
from storage.database.records import columns_of
from storage.errors import Forged, Missing
from storage.jobs import jobs
from storage.jobs.jobs import JobRecord
from storage.orm import Budget, Charge, Dataset, Job, Release

MICRO = 10**6
"""Units in an epsilon of 1."""
UNITS = {"pure": MICRO, "zcdp": 10**9}
"""Units in a loss of 1, by measure."""
DELTA_UNITS = 10**15
"""Units in a delta of 1."""


@dataclass(frozen=True)
class Account:
    """The account of a lineage, in units of its measure."""

    lineage_id: UUID
    total: int
    spent: int
    measure: str = "pure"
    delta_total: int | None = None
    delta_spent: int = 0
    fixed: bool = False
    """Whether it was set with an upload, and so can only be lowered."""

    @property
    def charged(self) -> bool:
        """Whether it was ever charged."""
        return self.spent > 0 or self.delta_spent > 0


@dataclass(frozen=True)
class Price:
    """A privacy loss, in units of an account's measure and of delta."""

    units: int
    delta: int = 0


@dataclass(frozen=True)
class ChargeRecord:
    """The charge of one job, in units of its account."""

    job_id: UUID
    lineage_id: UUID
    units: int
    at: datetime
    delta: int = 0
    token_id: UUID | None = None
    spent: int = 0
    """The amount that the account had spent after it."""
    granted: int | None = None
    """The amount that the grant had spent after it, if one was charged."""


_VIEW = columns_of(Account, Budget)
_ACCOUNT = (*_VIEW, Budget.tenant_id, Budget.created_at)
_CHARGE = columns_of(ChargeRecord, Charge)
ACCOUNT_CODE = ("account", tuple(column.key for column in _ACCOUNT))
"""The kind of the code of an account, and the columns that it covers, in order."""
CHARGE_CODE = ("charge", tuple(column.key for column in _CHARGE))
"""The same of a charge."""


def charged_for(loss: Decimal, measure: str = "pure") -> int:
    """A loss to charge, in whole units, rounded up."""
    return int((loss * UNITS[measure]).to_integral_value(ROUND_CEILING))


def granted_by(loss: Decimal, measure: str = "pure") -> int:
    """A loss to grant, in whole units, rounded down."""
    return int((loss * UNITS[measure]).to_integral_value(ROUND_FLOOR))


def granted_delta(delta: Decimal) -> int:
    """A delta to grant, in whole units, rounded down."""
    return int((delta * DELTA_UNITS).to_integral_value(ROUND_FLOOR))


def charged_delta(delta: Decimal) -> int:
    """A delta to charge, in whole units, rounded up."""
    return int((delta * DELTA_UNITS).to_integral_value(ROUND_CEILING))


def in_loss(units: int, measure: str) -> float:
    """Units as epsilon or rho."""
    return units / UNITS[measure]


def open_account(
    c: Connection,
    keys: bytes,
    tenant_id: UUID,
    lineage_id: UUID,
    total: int,
    measure: str = "pure",
    delta_total: int | None = None,
    *,
    fixed: bool = False,
) -> Account:
    """Open the account of a new lineage; a fixed one can only be lowered."""
    account = Account(lineage_id, total, 0, measure, delta_total, 0, fixed)
    row = vars(account) | {"tenant_id": tenant_id, "created_at": _now(c)}
    c.execute(insert(Budget).values(**row, mac=_code(keys, row)))
    return account


def _now(c: Connection) -> datetime:
    """The time of the transaction, by the database's clock."""
    now: datetime = c.execute(select(func.now())).scalar_one()
    return now


def _code(keys: bytes, row: Mapping[str, Any]) -> bytes:
    kind, names = ACCOUNT_CODE
    return mac_of(keys, kind, [row[name] for name in names])


def change_account(
    c: Connection, keys: bytes, lineage_id: UUID, total: int, measure: str, delta_total: int | None
) -> None:
    """Change an account; the database refuses any change that would let it escape its charges."""
    row = _row(c, keys, lineage_id, to_change=True)
    if row is not None:
        _write(c, keys, row | {"total": total, "measure": measure, "delta_total": delta_total})


def _row(c: Connection, keys: bytes, lineage_id: UUID, *, to_change: bool) -> dict[str, Any] | None:
    """The values of an account, if it has its code; with ``to_change`` its row is locked."""
    statement = select(*_ACCOUNT, Budget.mac).where(Budget.lineage_id == lineage_id)
    found = c.execute(statement.with_for_update() if to_change else statement).one_or_none()
    if found is None:
        return None
    *values, mac = found
    require_authentic(keys, ACCOUNT_CODE[0], values, mac)
    return dict(zip(ACCOUNT_CODE[1], values, strict=True))


def _write(c: Connection, keys: bytes, row: Mapping[str, Any]) -> None:
    changing = {name: row[name] for name in ("total", "measure", "delta_total", "spent", "delta_spent")}
    statement = update(Budget).where(Budget.lineage_id == row["lineage_id"])
    c.execute(statement.values(**changing, mac=_code(keys, row)))


def _account(row: Mapping[str, Any] | None) -> Account | None:
    return None if row is None else Account(**{column.key: row[column.key] for column in _VIEW})


def hold_account(c: Connection, keys: bytes, lineage_id: UUID) -> Account | None:
    """The account of a lineage, locked: until this transaction ends, no other one charges or changes it, or publishes
    a release of the lineage."""
    # The name is locked before the row: publishing takes the same lock, also for a lineage that has no account.
    lock_name(c, "lineage", str(lineage_id))
    return _account(_row(c, keys, lineage_id, to_change=True))


def account_of(c: Connection, keys: bytes, lineage_id: UUID) -> Account | None:
    """The account of a lineage, if it has one."""
    return _account(_row(c, keys, lineage_id, to_change=False))


def spend(
    c: Connection, keys: bytes, lineage_id: UUID, units: int, delta: int = 0, token_id: UUID | None = None
) -> bool:
    """Charge the account, and an analyst's grant, all or nothing; False if one of them does not have enough left, or
    does not exist."""
    row = _row(c, keys, lineage_id, to_change=True)
    if row is None:
        return False
    # The account is locked first: other charges to the lineage wait for it, and then see the updated grant.
    grant = None if token_id is None else grants.get_grant(c, keys, lineage_id, token_id)
    # A restored row has its own valid code, so only the charges, which are never changed, can contradict it.
    _require_newest(c, row, grant)
    after = row | {"spent": row["spent"] + units, "delta_spent": row["delta_spent"] + delta}
    if after["spent"] > row["total"] or after["delta_spent"] > _most(row["delta_total"], after["delta_spent"]):
        return False
    if token_id is not None and (grant is None or grant.spent + units > grant.total):
        return False
    _write(c, keys, after)
    if grant is not None:
        grants.write_grant(c, keys, replace(grant, spent=grant.spent + units))
    return True


def _most(limit: int | None, otherwise: int) -> int:
    return otherwise if limit is None else limit


def _require_newest(c: Connection, row: Mapping[str, Any], grant: grants.GrantRecord | None) -> None:
    """Raise `Forged` if an account or a grant has spent less than its newest charge records: it was restored from an
    older state, together with its code."""
    charged = select(func.max(Charge.spent)).where(Charge.lineage_id == row["lineage_id"])
    token_id = None if grant is None else grant.token_id
    granted = select(func.max(Charge.granted)).where(
        Charge.lineage_id == row["lineage_id"], Charge.token_id == token_id
    )
    known = c.execute(select(charged.scalar_subquery(), granted.scalar_subquery())).one()
    if row["spent"] < (known[0] or 0) or (grant is not None and grant.spent < (known[1] or 0)):
        raise Forged("an account or a grant has spent less than its charges")


def catch_up(c: Connection, keys: bytes, lineage_id: UUID, spent: int, delta_spent: int) -> bool:
    """Raise an account to the amount it is known to have spent; True if it had less, because an older state was
    restored."""
    row = _row(c, keys, lineage_id, to_change=True)
    if row is None:
        return False
    most = _most(row["delta_total"], delta_spent)
    # At most the total: the database refuses an overdrawn account, and one that is exhausted allows nothing either.
    raised = row | {
        "spent": max(row["spent"], min(spent, row["total"])),
        "delta_spent": max(row["delta_spent"], min(delta_spent, most)),
    }
    if raised == row:
        return False
    _write(c, keys, raised)
    return True


def enter(
    c: Connection, keys: bytes, lineage_id: UUID, job_id: UUID, price: Price, token_id: UUID | None = None
) -> ChargeRecord:
    """Record the charge of a job, in the transaction that spent it; a job is charged once."""
    account = account_of(c, keys, lineage_id)
    grant = None if token_id is None else grants.get_grant(c, keys, lineage_id, token_id)
    if account is None:
        raise Missing("a charge has an account")
    granted = None if grant is None else grant.spent
    # The account was charged before, in this transaction: its figures here already contain this charge.
    record = ChargeRecord(
        job_id, lineage_id, price.units, _now(c), price.delta, token_id, spent=account.spent, granted=granted
    )
    mac = mac_of(keys, CHARGE_CODE[0], list(vars(record).values()))
    c.execute(insert(Charge).values(**vars(record), mac=mac))
    return record


def _charges(c: Connection, keys: bytes, *conditions: ColumnElement[bool]) -> list[ChargeRecord]:
    statement = select(*_CHARGE, Charge.mac).where(*conditions)
    found = []
    for *values, mac in c.execute(statement.order_by(Charge.at, Charge.job_id)):
        require_authentic(keys, CHARGE_CODE[0], values, mac)
        found.append(ChargeRecord(*values))
    return found


def charge_of(c: Connection, keys: bytes, job_id: UUID) -> int | None:
    """The amount that a job was charged, in units of its account."""
    charge = charge_record(c, keys, job_id)
    return None if charge is None else charge.units


def charge_record(c: Connection, keys: bytes, job_id: UUID) -> ChargeRecord | None:
    """The charge of a job, if it has one."""
    return next(iter(_charges(c, keys, Charge.job_id == job_id)), None)


def charges_of(c: Connection, keys: bytes, lineage_id: UUID) -> list[ChargeRecord]:
    """Every charge to an account, oldest first."""
    return _charges(c, keys, Charge.lineage_id == lineage_id)


def charged_among(c: Connection, keys: bytes, job_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the jobs that were charged."""
    return {charge.job_id for charge in _charges(c, keys, Charge.job_id.in_(list(job_ids)))}


def charged_jobs(c: Connection, lineage_id: UUID) -> list[JobRecord]:
    """Jobs that were charged to an account, except questions."""
    ours = select(Job.id, Job.tenant_id).join(Charge, Charge.job_id == Job.id)
    rows = c.execute(ours.where(Charge.lineage_id == lineage_id, Job.task != "query")).all()
    found = (jobs.get_job(c, row.tenant_id, row.id) for row in rows)
    return [job for job in found if job is not None]


def uncharged_draws(c: Connection, lineage_id: UUID) -> list[JobRecord]:
    """Jobs of a lineage for which noise was drawn before it had an account."""
    drew = select(Job.id, Job.tenant_id).join(Dataset, Dataset.id == Job.dataset_id)
    drew = drew.where(Dataset.lineage_id == lineage_id, Job.noise_at.is_not(None))
    rows = c.execute(drew.where(~exists().where(Charge.job_id == Job.id)).order_by(Job.created_at)).all()
    found = (jobs.get_job(c, row.tenant_id, row.id) for row in rows)
    return [job for job in found if job is not None]


def claim_draw(c: Connection, job: JobRecord, fence: int, lineage_id: UUID) -> bool | None:
    """Record that a job is about to draw noise. True if it is the first of its lineage to do so, False if another one
    did before, whatever its result; None if the worker no longer holds the job.

    It takes the lineage's lock, so that of two concurrent jobs one is the second.
    """
    lock_name(c, "lineage", str(lineage_id))
    others = select(Job.id).join(Dataset, Dataset.id == Job.dataset_id)
    others = others.where(Dataset.lineage_id == lineage_id, Job.noise_at.is_not(None), Job.id != job.id)
    # Whatever comes of the draw, it counts: repeating a job until an outcome pleases would be a choice among outcomes.
    alone = c.execute(others.limit(1)).scalar_one_or_none() is None
    return alone if jobs.note_noise(c, job.id, fence) else None


def standing_job(c: Connection, tenant_id: UUID, dataset_id: UUID, fingerprint: bytes) -> JobRecord | None:
    """The job of an earlier equal request, if it is still running or its release or answer is still served.

    Concurrent equal requests wait until the transaction ends, so that only one of them is charged.
    """
    lock_name(c, "private", str(dataset_id))
    under_way = and_(Job.finished_at.is_(None), ~Job.cancel_requested)
    answered = and_(Job.task == "query", Job.status == "done")
    served = or_(answered, and_(Job.status == "released", Release.withdrawn_at.is_(None)))
    statement = (
        select(Job.id)
        .outerjoin(Release, Release.job_id == Job.id)
        .where(Job.dataset_id == dataset_id, Job.fingerprint == fingerprint, Job.tenant_id == tenant_id)
        .where(or_(under_way, served))
        .order_by(Job.created_at)
        .limit(1)
    )
    found: UUID | None = c.execute(statement).scalar_one_or_none()
    return None if found is None else jobs.get_job(c, tenant_id, found)
