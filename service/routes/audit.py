"""The audit trail: read, and re-computed."""

from dataclasses import asdict
from uuid import UUID

from fastapi import Request
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.audit import AuditPage, ChainState
from service.answers import event_answer, page_answer
from service.auth import caller
from service.parameters import Filter, Limit, NumberCursorParameter, Since, not_before
from service.responses import problems
from service.routes.router import guarded_router
from service.state import service_of
from storage import audit

router = guarded_router("audit")


@router.get(
    "/v1/audit-events",
    operation_id="list_audit_events",
    summary="The tenant's audit trail, newest first",
    responses={200: {"model": AuditPage}, **problems()},
)
async def list_audit_events(
    request: Request,
    since: Since = None,
    actor: Filter = None,
    action: Filter = None,
    limit: Limit = 50,
    cursor: NumberCursorParameter = None,
) -> Response:
    tenant_id = caller(request).tenant_id
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(audit.list_events, tenant_id, limit, cursor, not_before(since), actor, action)
    return JSONResponse(page_answer(page, [event_answer(item) for item in page.items]))


@router.get(
    "/v1/audit-events/verify",
    operation_id="verify_audit_events",
    summary="Re-compute the chain and compare it with the anchored heads",
    responses={200: {"model": ChainState}, **problems()},
)
async def verify_audit_events(request: Request) -> Response:
    service = service_of(request)
    async with service.keyring.connect() as keys, service.reading() as connection:
        state = await connection.run_sync(_verified, keys, caller(request).tenant_id)
    return JSONResponse(asdict(state))


def _verified(connection: Connection, keys: AsyncConnection, tenant_id: UUID) -> audit.ChainState:
    """Both connections at once: the keyring's too runs in the greenlet of the first."""
    if keys.sync_connection is None:
        raise RuntimeError("the keyring's connection was not opened")
    return audit.verify(connection, keys.sync_connection, tenant_id)
