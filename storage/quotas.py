"""Quotas: what a tenant has taken of what all tenants share."""

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Connection, Select, Uuid, bindparam, cast, func, select

from storage.orm import Blob, Job


class Usage(NamedTuple):
    """What a tenant has stored, in bytes, and how many of its jobs wait or run."""

    originals: int
    """Datasets, policies, hierarchies and maps; what was deleted does not count."""
    releases: int
    """Everything rendered, published or not; what was destroyed does not count."""
    published: int
    """Of that, what belongs to releases."""
    jobs: int


def usage_of(c: Connection, tenant_id: UUID) -> Usage:
    """What the tenant has taken, by all that is committed and by this transaction itself.

    Asked after the tenant's audit chain was locked, as one of the last statements, it sees everything that came
    before: of two who take the last place one is refused.
    """
    return Usage(*c.execute(_USAGE, {"tenant_id": tenant_id}).one())


def _counting() -> Select[Any]:
    tenant_id = bindparam("tenant_id", type_=Uuid)
    stored = select(cast(func.coalesce(func.sum(Blob.size), 0), BigInteger)).where(Blob.tenant_id == tenant_id)
    originals = stored.where(Blob.purpose == "original")
    rendered = stored.where(Blob.purpose == "release")
    sizes = [each.scalar_subquery() for each in (originals, rendered, rendered.where(Blob.published))]
    unfinished = select(func.count()).select_from(Job).where(Job.tenant_id == tenant_id, Job.finished_at.is_(None))
    return select(*sizes, unfinished.scalar_subquery())


_USAGE = _counting()
