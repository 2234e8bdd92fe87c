"""Turns: which job is claimed next."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, and_, bindparam, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import aliased
from sqlalchemy.types import Integer

from storage.jobs.jobs import is_free
from storage.jobs.protocol import HELD
from storage.orm import Job


def next_in_turn(c: Connection, rung_id: UUID, max_attempts: int) -> UUID | None:
    """The job that a worker should claim when it receives a message, from the same queue; None if there is none.

    A message announces that a queue has work, not which job: tenants take turns, so that none waits behind all the jobs
    of another. The tenant with the fewest running jobs comes first, then the one whose last job began the longest ago;
    a tenant's own jobs keep their order.
    """
    found = c.execute(_NEXT_IN_TURN, {"rung_id": rung_id, "most": max_attempts})
    return found.scalar_one_or_none()


def _next_statement() -> Select[Any]:
    rung, other = aliased(Job), aliased(Job)
    queue = select(rung.queue).where(rung.id == bindparam("rung_id")).scalar_subquery()
    first = (
        select(Job.id, Job.tenant_id, Job.created_at)
        .ext(distinct_on(Job.tenant_id))
        .where(Job.queue == queue, is_free(bindparam("most", type_=Integer)))
        .order_by(Job.tenant_id, Job.created_at, Job.id)
        .subquery("first")
    )
    theirs = other.tenant_id == first.c.tenant_id
    held = and_(theirs, other.finished_at.is_(None), other.status.in_(HELD), other.lease_until >= func.now())
    at_work = select(func.count()).select_from(other).where(held).scalar_subquery()
    last_began = select(func.max(other.started_at)).where(theirs).scalar_subquery()
    order = (at_work, last_began.nulls_first(), first.c.created_at, first.c.id)
    return select(first.c.id).order_by(*order).limit(1)


_NEXT_IN_TURN = _next_statement()
