"""The router of every route module."""

from fastapi import APIRouter

from service.access.routing import GuardedRoute


def guarded_router(tag: str) -> APIRouter:
    """A router whose routes admit only the roles in the table of permissions."""
    return APIRouter(tags=[tag], route_class=GuardedRoute)
