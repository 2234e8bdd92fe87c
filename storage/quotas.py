"""Quotas: what a tenant has taken of what all tenants share.

What requests take is kept as running totals, by triggers that run as a transaction commits (migration 0022), because
it is asked at every submission. What releases take is summed up, once or twice for a job.
"""

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Connection, ScalarSelect, Select, Uuid, bindparam, cast, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.orm import Blob, Tally
from storage.raw_sql import RawStatement


class Taken(NamedTuple):
    """What a tenant's requests take: bytes of originals, and jobs that wait or run."""

    originals: int
    """Datasets, policies, hierarchies and maps; what was deleted does not count."""
    jobs: int


class Rendered(NamedTuple):
    """Bytes that a tenant's jobs have stored for others to read."""

    releases: int
    """Everything rendered, published or not; what was destroyed does not count."""
    published: int
    """Of that, what belongs to releases."""


async def taken_before(connection: AsyncConnection, tenant_id: UUID) -> Taken:
    """What the tenant's requests have taken, by all that is committed."""
    [taken] = await _TAKEN.rows(connection, {"tenant_id": tenant_id})
    return Taken(*taken)


async def taken_by(connection: AsyncConnection, tenant_id: UUID) -> Taken:
    """What the tenant's requests have taken, by all that is committed and by this transaction itself.

    Asked after the tenant's audit chain was locked, as one of the last statements, it sees everything that came
    before: of two who take the last place one is refused.
    """
    # The totals follow what this transaction did now rather than when it commits. Others who change them wait for it
    # from here on, so nothing that takes long may come after.
    await connection.execute(_COUNT_OWN)
    return await taken_before(connection, tenant_id)


def taking() -> "tuple[ScalarSelect[int], ScalarSelect[int]]":
    """The columns of `Taken`, for the tenant that a statement binds as ``tenant_id``.

    As part of a statement that stores something they do not count that.
    """
    return _total(Tally.originals), _total(Tally.jobs)


def rendered_by(c: Connection, tenant_id: UUID) -> Rendered:
    """What the tenant's jobs have rendered, by all that is committed and by this transaction itself."""
    return Rendered(*c.execute(_RENDERED, {"tenant_id": tenant_id}).one())


def _total(column: Any) -> "ScalarSelect[int]":
    # A tenant that never took anything has no row, one that deletes has several.
    total = cast(func.coalesce(func.sum(column), 0), BigInteger)
    return select(total).where(Tally.tenant_id == _TENANT).scalar_subquery()


def _summing() -> Select[Any]:
    rendered = select(cast(func.coalesce(func.sum(Blob.size), 0), BigInteger))
    rendered = rendered.where(Blob.tenant_id == _TENANT, Blob.purpose == "release")
    return select(rendered.scalar_subquery(), rendered.where(Blob.published).scalar_subquery())


_TENANT = bindparam("tenant_id", type_=Uuid)
_COUNT_OWN = text("SET CONSTRAINTS ALL IMMEDIATE")
_TAKEN = RawStatement(select(*taking()))
_RENDERED = _summing()
