"""The ledger: what the releases of a lineage cost in privacy, in whole millionths of epsilon.

An account belongs to a lineage, is opened with its first dataset and never closed. Spending is one conditional UPDATE,
so that however many spend at once, no more is granted than there is; the database refuses an account that is overdrawn
or lowered. A charge is written in the transaction that submits its job: it stands before any noise is drawn, the job
keeps it however often a worker has to begin again, and it is not given back when the job ends without a release.
Epsilons are added as whole numbers: a charge is rounded up, a budget down.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from uuid import UUID

from sqlalchemy import Connection, and_, bindparam, insert, or_, select, update

from storage import jobs
from storage.jobs import JobRecord
from storage.locks import lock_name
from storage.orm import Budget, Charge, Dataset, Job, Release
from storage.records import columns_of

MICRO = 10**6
"""Units in an epsilon of 1."""


@dataclass(frozen=True)
class Account:
    """The account of a lineage, in millionths."""

    lineage_id: UUID
    total: int
    spent: int


@dataclass(frozen=True)
class ChargeRecord:
    """What one job was charged, in millionths."""

    job_id: UUID
    lineage_id: UUID
    micro_epsilon: int
    at: datetime


_ACCOUNT = columns_of(Account, Budget)
_CHARGE = columns_of(ChargeRecord, Charge)


def charged_for(epsilon: Decimal) -> int:
    """An epsilon as it is charged: in millionths, rounded up."""
    return int((epsilon * MICRO).to_integral_value(ROUND_CEILING))


def granted_by(epsilon: Decimal) -> int:
    """An epsilon as it is granted: in millionths, rounded down."""
    return int((epsilon * MICRO).to_integral_value(ROUND_FLOOR))


def in_epsilon(micro: int) -> float:
    """Millionths as they are shown."""
    return micro / MICRO


def open_account(c: Connection, tenant_id: UUID, lineage_id: UUID, total: int) -> Account:
    """Open the account of a new lineage."""
    values = {"tenant_id": tenant_id, "lineage_id": lineage_id, "total": total}
    return Account(*c.execute(insert(Budget).values(**values).returning(*_ACCOUNT)).one())


def account_of(c: Connection, lineage_id: UUID) -> Account | None:
    """The account of a lineage, if it has one."""
    row = c.execute(select(*_ACCOUNT).where(Budget.lineage_id == lineage_id)).one_or_none()
    return None if row is None else Account(*row)


def spend(c: Connection, lineage_id: UUID, micro: int) -> bool:
    """Take so much from the account, all of it or nothing; False if there is not so much left, or no account."""
    return c.execute(_SPEND, {"lineage": lineage_id, "micro": micro}).rowcount == 1


_SPEND = (
    update(Budget)
    .where(Budget.lineage_id == bindparam("lineage"), Budget.spent + bindparam("micro") <= Budget.total)
    .values(spent=Budget.spent + bindparam("micro"))
)


def enter(c: Connection, lineage_id: UUID, job_id: UUID, micro: int) -> ChargeRecord:
    """Write down for which job it was taken, in the same transaction; a job is charged once."""
    values = {"job_id": job_id, "lineage_id": lineage_id, "micro_epsilon": micro}
    return ChargeRecord(*c.execute(insert(Charge).values(**values).returning(*_CHARGE)).one())


def charge_of(c: Connection, job_id: UUID) -> int | None:
    """What a job was charged, in millionths."""
    charged: int | None = c.execute(select(Charge.micro_epsilon).where(Charge.job_id == job_id)).scalar_one_or_none()
    return charged


def charges_of(c: Connection, lineage_id: UUID) -> list[ChargeRecord]:
    """Every charge to an account, oldest first."""
    statement = select(*_CHARGE).where(Charge.lineage_id == lineage_id).order_by(Charge.at, Charge.job_id)
    return [ChargeRecord(*row) for row in c.execute(statement)]


def charged_among(c: Connection, job_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the jobs that were charged."""
    return set(c.execute(select(Charge.job_id).where(Charge.job_id.in_(list(job_ids)))).scalars())


def claim_draw(c: Connection, job: JobRecord, fence: int, lineage_id: UUID) -> bool | None:
    """Note that a job is about to draw noise. True if it is the first of its lineage to do so, False if another one did
    before, whatever came of it; None if the job is no longer ours.

    Under the lineage's lock: of two jobs at once one is the second.
    """
    lock_name(c, "lineage", str(lineage_id))
    others = select(Job.id).join(Dataset, Dataset.id == Job.dataset_id)
    others = others.where(Dataset.lineage_id == lineage_id, Job.noise_at.is_not(None), Job.id != job.id)
    alone = c.execute(others.limit(1)).scalar_one_or_none() is None
    return alone if jobs.note_noise(c, job.id, fence) else None


def standing_job(c: Connection, tenant_id: UUID, dataset_id: UUID, fingerprint: bytes) -> JobRecord | None:
    """The job that the same request was answered with, if it is under way or its release is still served.

    Whoever sends the same request meanwhile waits until the transaction ends: one of them is charged.
    """
    lock_name(c, "private", str(dataset_id))
    under_way = and_(Job.finished_at.is_(None), ~Job.cancel_requested)
    served = and_(Job.status == "released", Release.withdrawn_at.is_(None))
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
