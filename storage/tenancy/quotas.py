"""Quotas: a tenant's usage of shared resources.

Usage by requests is kept as running totals, by triggers that run as a transaction commits (migration 0022), because
every submission reads it. Usage by releases is summed when needed, once or twice per job.
"""

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Connection, ScalarSelect, Select, Uuid, bindparam, cast, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database.raw_sql import RawStatement
from storage.orm import Blob, Tally


class Taken(NamedTuple):
    """Usage by a tenant's requests: bytes of originals, and jobs that wait or run."""

    originals: int
    """Bytes of datasets, policies, hierarchies and maps; deleted ones do not count."""
    jobs: int


class Rendered(NamedTuple):
    """Bytes of release blobs that a tenant's jobs have stored."""

    releases: int
    """All rendered bytes, published or not; destroyed ones do not count."""
    published: int
    """The bytes of these that belong to releases."""


async def taken_before(connection: AsyncConnection, tenant_id: UUID) -> Taken:
    """The usage by the tenant's requests, from committed transactions."""
    [taken] = await _TAKEN.rows(connection, {"tenant_id": tenant_id})
    return Taken(*taken)


async def taken_by(connection: AsyncConnection, tenant_id: UUID) -> Taken:
    """The usage by the tenant's requests, from committed transactions and this one.

    Call it after locking the tenant's audit chain, as one of the last statements: it then sees everything that came
    before, so of two requests for the last place one is refused.
    """
    # Update the totals now rather than at commit. Other transactions that change them wait for this one from here on,
    # so nothing slow may follow.
    await connection.execute(_COUNT_OWN)
    return await taken_before(connection, tenant_id)


def taking() -> "tuple[ScalarSelect[int], ScalarSelect[int]]":
    """The columns of `Taken`, for the tenant in the parameter ``tenant_id``.

    In a statement that also stores something, they do not count it.
    """
    return _total(Tally.originals), _total(Tally.jobs)


def rendered_by(c: Connection, tenant_id: UUID) -> Rendered:
    """The bytes rendered by the tenant's jobs, from committed transactions and this one."""
    return Rendered(*c.execute(_RENDERED, {"tenant_id": tenant_id}).one())


def _total(column: Any) -> "ScalarSelect[int]":
    # A tenant that never stored anything has no row; one that deletes has several.
    total = cast(func.coalesce(func.sum(column), 0), BigInteger)
    return select(total).where(Tally.tenant_id == _TENANT).scalar_subquery()


def _rendered_statement() -> Select[Any]:
    rendered = select(cast(func.coalesce(func.sum(Blob.size), 0), BigInteger))
    rendered = rendered.where(Blob.tenant_id == _TENANT, Blob.purpose == "release")
    return select(rendered.scalar_subquery(), rendered.where(Blob.published).scalar_subquery())


_TENANT = bindparam("tenant_id", type_=Uuid)
_COUNT_OWN = text("SET CONSTRAINTS ALL IMMEDIATE")
_TAKEN = RawStatement(select(*taking()))
_RENDERED = _rendered_statement()
