"""The router that every module of routes makes: guarded, and described by hand where FastAPI cannot know."""

from fastapi import APIRouter

from service.routing import GuardedRoute


def guarded_router(tag: str) -> APIRouter:
    """A router whose routes admit only whom the table of permissions lists."""
    return APIRouter(tags=[tag], route_class=GuardedRoute)
