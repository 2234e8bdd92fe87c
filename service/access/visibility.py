"""Visibility: which releases a caller may see."""

from uuid import UUID

from fastapi import Request

from service.access.auth import allows, anyone, not_allowed
from service.http.problems import not_found
from service.runtime.middleware import mark_public
from service.runtime.state import service_of
from storage.releases import releases
from storage.releases.releases import ReleaseRecord


async def visible_release(request: Request, release_id: UUID, operation: str) -> ReleaseRecord:
    """A release of the caller's tenant, if the role allows it, or a public one."""
    principal, service = anyone(request), service_of(request)
    async with service.reading() as connection:
        public = await connection.run_sync(releases.get_release, service.release_key, None, release_id)
        if public is not None:
            mark_public(request)
            return public
        if principal is None:
            raise not_found()
        own = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
    if own is None:
        raise not_found()
    if not allows(operation, principal):
        raise not_allowed(operation, principal)
    return own


def may_read_data(request: Request, release: ReleaseRecord) -> bool:
    """Whether the caller may get data of a release that they can see: anyone if it is public, otherwise the roles that
    may download it."""
    principal = anyone(request)
    if release.audience == "public":
        return True
    return principal is not None and principal.tenant_id == release.tenant_id and allows("get_release_data", principal)
