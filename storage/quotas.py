"""Quotas: what a tenant has taken of what all tenants share."""

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Connection, ScalarSelect, Select, Uuid, bindparam, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.orm import Blob, Job
from storage.raw_sql import RawStatement


class Usage(NamedTuple):
    """What a tenant has stored, in bytes, and how many of its jobs wait or run."""

    originals: int
    """Datasets, policies, hierarchies and maps; what was deleted does not count."""
    releases: int
    """Everything rendered, published or not; what was destroyed does not count."""
    published: int
    """Of that, what belongs to releases."""
    jobs: int


class Taken(NamedTuple):
    """What a tenant's requests take: bytes of originals, and jobs that wait or run."""

    originals: int
    jobs: int


def usage_of(c: Connection, tenant_id: UUID) -> Usage:
    """What the tenant has taken, by all that is committed and by this transaction itself.

    Asked after the tenant's audit chain was locked, as one of the last statements, it sees everything that came
    before: of two who take the last place one is refused.
    """
    return Usage(*c.execute(_USAGE, {"tenant_id": tenant_id}).one())


async def taken_by(connection: AsyncConnection, tenant_id: UUID) -> Taken:
    """What the tenant's requests have taken, by all that is committed and by this transaction itself."""
    [taken] = await _TAKEN.rows(connection, {"tenant_id": tenant_id})
    return Taken(*taken)


def taking() -> "tuple[ScalarSelect[int], ScalarSelect[int]]":
    """The columns of `Taken`, for the tenant that a statement binds as ``tenant_id``.

    As part of a statement that stores something they do not count that.
    """
    unfinished = select(func.count()).select_from(Job).where(Job.tenant_id == _TENANT, Job.finished_at.is_(None))
    return _stored("original").scalar_subquery(), unfinished.scalar_subquery()


def _counting() -> Select[Any]:
    originals, unfinished = taking()
    rendered = _stored("release")
    published = rendered.where(Blob.published)
    return select(originals, rendered.scalar_subquery(), published.scalar_subquery(), unfinished)


def _stored(purpose: str) -> "Select[int]":
    total = cast(func.coalesce(func.sum(Blob.size), 0), BigInteger)
    return select(total).where(Blob.tenant_id == _TENANT, Blob.purpose == purpose)


_TENANT = bindparam("tenant_id", type_=Uuid)
_USAGE = _counting()
_TAKEN = RawStatement(select(*taking()))
