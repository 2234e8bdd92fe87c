"""Quotas: limits on each tenant's share of the storage and of the queue.

A share is checked before anything is taken, and again by one of the last statements of the transaction that takes it,
under the lock of the tenant's audit chain. So committed usage stays within the share even with concurrent requests.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.http.problems import Problem
from storage.settings import Settings
from storage.tenancy.quotas import Taken, taken_before

_RETRY_SECONDS = "30"
"""An estimate: places in the queue become free as jobs end."""


def check_share(settings: Settings, taken: Taken) -> None:
    """Raise the problem that names the exceeded quota, if a transaction took more than the tenant's share."""
    if taken.originals > settings.tenant_original_bytes:
        raise no_room(settings)
    if taken.jobs > settings.tenant_jobs:
        raise too_many_jobs(settings)


async def usage_before(
    settings: Settings, connection: AsyncConnection, tenant_id: UUID, size: int = 0, count: int = 1
) -> Taken:
    """A tenant's usage so far; raises the problem if this size and number of jobs would exceed its share."""
    taken = await taken_before(connection, tenant_id)
    check_share(settings, Taken(taken.originals + size, taken.jobs + count))
    return taken


def no_room(settings: Settings) -> Problem:
    """The tenant's originals would take more than its share."""
    detail = f"Originals of one tenant may take {settings.tenant_original_bytes} bytes. Delete datasets to free space."
    return Problem("quota-exceeded", detail)


def too_many_jobs(settings: Settings) -> Problem:
    """The tenant has as many unfinished jobs as it may."""
    detail = f"One tenant may have {settings.tenant_jobs} unfinished jobs. Try again when some have ended."
    return Problem("too-many-jobs", detail, headers={"Retry-After": _RETRY_SECONDS})


class Room:
    """The space left for one upload, given the tenant's other uploads in progress in this process."""

    def __init__(self, settings: Settings, under_way: Counter[UUID], tenant_id: UUID, stored: int) -> None:
        self._settings = settings
        self._under_way = under_way
        self._tenant_id = tenant_id
        self._stored = stored
        self.taken = 0

    def take(self, size: int) -> None:
        """Count bytes before they are stored."""
        self.taken += size
        self._under_way[self._tenant_id] += size
        if self._stored + self._under_way[self._tenant_id] > self._settings.tenant_original_bytes:
            raise no_room(self._settings)


class Intake:
    """The bytes of uploads in progress in this process, by tenant."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # A counter, since an upload that ends forgets a tenant whose other uploads have not taken a byte yet.
        self._under_way: Counter[UUID] = Counter()

    @contextmanager
    def room(self, tenant_id: UUID, stored: int) -> Iterator[Room]:
        """Room for one upload of a tenant, in addition to the bytes that it has already stored."""
        room = Room(self._settings, self._under_way, tenant_id, stored)
        try:
            yield room
        finally:
            self._under_way[tenant_id] -= room.taken
            if not self._under_way[tenant_id]:
                del self._under_way[tenant_id]
