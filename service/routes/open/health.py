"""Liveness, readiness, and the description of the API."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import redis.asyncio
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.responses import JSONResponse, Response

from api_schemas.tenancy.health import Health, QueueHealth, Readiness, Version
from service.documentation.document import software_version
from service.http.problems import RETRY_SECONDS, Problem
from service.http.responses import problems
from service.routes.router import guarded_router
from service.runtime.logs import log_failure
from service.runtime.queues import ShownQueue
from service.runtime.state import Service, service_of
from storage.database.schema import KEYRING_REVISION, MAIN_REVISION, is_migrated

router = guarded_router("service")

_PATIENCE_SECONDS = 3.0


@router.get(
    "/healthz",
    operation_id="healthz",
    summary="Check that the process answers",
    responses={200: {"model": Health}, **problems(guarded=False)},
)
async def healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


@router.get(
    "/readyz",
    operation_id="readyz",
    summary="Check that both databases are migrated, the broker answers, and waiting work has a live consumer",
    responses={200: {"model": Readiness}, **problems(guarded=False)},
)
async def readyz(request: Request) -> Response:
    service = service_of(request)
    queues: dict[str, Any] = {}
    found = await asyncio.gather(
        _check("database", _migrated(service.main, MAIN_REVISION)),
        _check("keyring", _migrated(service.keyring, KEYRING_REVISION)),
        _check("broker", _broker_answers(service)),
        _check("queues", _served(service, queues)),
    )
    checks = dict(found)
    if set(checks.values()) == {"ok"}:
        return JSONResponse({"status": "ready", "checks": checks, "queues": queues})
    extra = {"checks": checks, "queues": queues}
    raise Problem("not-ready", "See checks.", headers={"Retry-After": str(RETRY_SECONDS)}, extra=extra)


async def _check(name: str, question: Awaitable[str]) -> tuple[str, str]:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return name, await question
    except Exception as error:  # noqa: BLE001 - any error means that it does not answer
        log_failure("not ready", error, check=name)
        return name, "does not answer"


async def _migrated(engine: AsyncEngine, revision: str) -> str:
    async with engine.connect() as connection:
        return "ok" if await connection.run_sync(is_migrated, revision) else "is not migrated"


async def _served(service: Service, shown: dict[str, Any]) -> str:
    """Add the state of each queue to what is shown, and name the queues with work and no live consumer."""
    states = await service.queues()
    shown |= {state.queue: _shown(state) for state in states}
    idle = [state.queue for state in states if not state.is_served]
    return f"work waits without a live consumer: {', '.join(idle)}" if idle else "ok"


def _shown(queue: ShownQueue) -> dict[str, Any]:
    times = {"oldest_waiting_seconds": queue.waiting, "last_consumed_seconds": queue.consumed}
    return QueueHealth(served=queue.is_served, **times).model_dump()


async def _broker_answers(service: Service) -> str:
    url = service.settings.broker_url.get_secret_value()
    async with redis.asyncio.from_url(url, socket_connect_timeout=_PATIENCE_SECONDS) as client:
        await client.ping()
    return "ok"


@router.get(
    "/v1/version",
    operation_id="get_version",
    summary="Get the version of the service",
    responses={200: {"model": Version}, **problems()},
)
async def get_version(request: Request) -> Response:
    return JSONResponse({"antifaz": software_version(), "api": request.app.version})


@router.get(
    "/openapi.json",
    operation_id="openapi",
    summary="Get this description as an OpenAPI document",
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}, **problems(guarded=False)},
)
async def openapi(request: Request) -> Response:
    description: dict[str, Any] = request.app.openapi()
    return JSONResponse(description, headers={"Cache-Control": "no-cache"})
