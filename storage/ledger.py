"""The ledger: the privacy loss of a lineage's releases and answers, in whole units.

An account belongs to a lineage, is opened with its first dataset or its first declarations, and is never closed. It
counts in one measure: millionths of epsilon (``pure``), or 10⁻⁹ of rho (``zcdp``); deltas are summed in addition.
Spending is a conditional UPDATE, so that concurrent charges never exceed the total. The database refuses an account
that is overdrawn or lowered; once charged, an account keeps its measure and its total cannot grow. An analyst also
spends from a grant, inside the account. A charge is written in the transaction that submits its job, before any noise
is drawn. The job keeps it however often a worker restarts, and it is not refunded if the job ends without a release.
Losses are added as whole numbers: a charge is rounded up, a budget down.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from uuid import UUID

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, or_, select, update

from storage import jobs
from storage.jobs import JobRecord
from storage.locks import lock_name
from storage.orm import Budget, Charge, Dataset, Grant, Job, Release
from storage.records import columns_of

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


_ACCOUNT = columns_of(Account, Budget)
_CHARGE = columns_of(ChargeRecord, Charge)


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
    c: Connection, tenant_id: UUID, lineage_id: UUID, total: int, measure: str = "pure", delta_total: int | None = None
) -> Account:
    """Open the account of a new lineage."""
    values = {"tenant_id": tenant_id, "lineage_id": lineage_id, "total": total}
    values |= {"measure": measure, "delta_total": delta_total}
    return Account(*c.execute(insert(Budget).values(**values).returning(*_ACCOUNT)).one())


def change_account(c: Connection, lineage_id: UUID, total: int, measure: str, delta_total: int | None) -> None:
    """Change an account; the database refuses any change that would let it escape its charges."""
    values = {"total": total, "measure": measure, "delta_total": delta_total}
    c.execute(update(Budget).where(Budget.lineage_id == lineage_id).values(**values))


def hold_account(c: Connection, lineage_id: UUID) -> Account | None:
    """The account of a lineage, locked: no other transaction charges or changes it until this one ends."""
    lock_name(c, "lineage", str(lineage_id))
    row = c.execute(select(*_ACCOUNT).where(Budget.lineage_id == lineage_id).with_for_update()).one_or_none()
    return None if row is None else Account(*row)


def account_of(c: Connection, lineage_id: UUID, to_charge: bool = False) -> Account | None:
    """The account of a lineage, if it has one; with ``to_charge`` its row is locked, so that its measure does not
    change until the transaction ends."""
    found = select(*_ACCOUNT).where(Budget.lineage_id == lineage_id)
    row = c.execute(found.with_for_update() if to_charge else found).one_or_none()
    return None if row is None else Account(*row)


def spend(c: Connection, lineage_id: UUID, units: int, delta: int = 0, token_id: UUID | None = None) -> bool:
    """Charge the account, and an analyst's grant, all or nothing; False if one of them does not have enough left, or
    does not exist."""
    with c.begin_nested() as attempt:
        # The account first: other charges to the lineage wait for this row, and then see the updated grant.
        asked = {"lineage": lineage_id, "units": units, "delta": delta}
        granted = c.execute(_SPEND, asked).rowcount == 1
        if granted and token_id is not None:
            granted = c.execute(_SPEND_GRANT, {"lineage": lineage_id, "units": units, "token": token_id}).rowcount == 1
        if not granted:
            attempt.rollback()
    return granted


_SPEND = (
    update(Budget)
    .where(
        Budget.lineage_id == bindparam("lineage"),
        Budget.spent + bindparam("units") <= Budget.total,
        or_(Budget.delta_total.is_(None), Budget.delta_spent + bindparam("delta") <= Budget.delta_total),
    )
    .values(spent=Budget.spent + bindparam("units"), delta_spent=Budget.delta_spent + bindparam("delta"))
)
_SPEND_GRANT = (
    update(Grant)
    .where(
        Grant.lineage_id == bindparam("lineage"),
        Grant.token_id == bindparam("token"),
        Grant.spent + bindparam("units") <= Grant.total,
    )
    .values(spent=Grant.spent + bindparam("units"))
)


def catch_up(c: Connection, lineage_id: UUID, spent: int, delta_spent: int) -> bool:
    """Raise an account to the amount it is known to have spent; True if it had less, because an older state was
    restored."""
    statement = (
        update(Budget)
        .where(
            Budget.lineage_id == lineage_id,
            or_(
                Budget.spent < func.least(spent, Budget.total),
                Budget.delta_spent < func.least(delta_spent, func.coalesce(Budget.delta_total, delta_spent)),
            ),
        )
        .values(
            spent=func.least(func.greatest(Budget.spent, spent), Budget.total),
            delta_spent=func.least(
                func.greatest(Budget.delta_spent, delta_spent),
                func.coalesce(Budget.delta_total, func.greatest(Budget.delta_spent, delta_spent)),
            ),
        )
    )
    return c.execute(statement).rowcount == 1


def enter(c: Connection, lineage_id: UUID, job_id: UUID, price: Price, token_id: UUID | None = None) -> ChargeRecord:
    """Record the charge of a job, in the transaction that spends it; a job is charged once."""
    values = {"job_id": job_id, "lineage_id": lineage_id, "token_id": token_id, **vars(price)}
    return ChargeRecord(*c.execute(insert(Charge).values(**values).returning(*_CHARGE)).one())


def charge_of(c: Connection, job_id: UUID) -> int | None:
    """The amount that a job was charged, in units of its account."""
    charged: int | None = c.execute(select(Charge.units).where(Charge.job_id == job_id)).scalar_one_or_none()
    return charged


def charge_record(c: Connection, job_id: UUID) -> ChargeRecord | None:
    """The charge of a job, if it has one."""
    row = c.execute(select(*_CHARGE).where(Charge.job_id == job_id)).one_or_none()
    return None if row is None else ChargeRecord(*row)


def charges_of(c: Connection, lineage_id: UUID) -> list[ChargeRecord]:
    """Every charge to an account, oldest first."""
    statement = select(*_CHARGE).where(Charge.lineage_id == lineage_id).order_by(Charge.at, Charge.job_id)
    return [ChargeRecord(*row) for row in c.execute(statement)]


def charged_among(c: Connection, job_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the jobs that were charged."""
    return set(c.execute(select(Charge.job_id).where(Charge.job_id.in_(list(job_ids)))).scalars())


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
