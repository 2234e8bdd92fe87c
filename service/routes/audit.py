"""The audit trail: read, and re-computed."""

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.audit import AuditPage, ChainState
from service.auth import caller
from service.parameters import Filter, Limit, NumberCursorParameter, Since, not_before
from service.problems import invalid
from service.responses import problems
from service.routes.router import guarded_router
from service.serializers import event_answer, page_answer
from service.state import service_of
from storage import audit
from storage.heads import HeadSigner

router = guarded_router("audit")

KeptNumber = Annotated[int | None, Query(ge=0, le=2**63 - 1, description="Of a signed head that you kept: its number.")]
KeptDigest = Annotated[
    str | None, Query(pattern="^[0-9a-f]{64}$", description="Of a signed head that you kept: its digest.")
]


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
    summary="Re-compute the chain, compare it with the anchored heads and one that you kept, and sign its head",
    responses={200: {"model": ChainState}, **problems()},
)
async def verify_audit_events(request: Request, number: KeptNumber = None, digest: KeptDigest = None) -> Response:
    service = service_of(request)
    if (number is None) != (digest is None):
        raise invalid("invalid-request", "/query", "number and digest of a kept head go together")
    kept = None if number is None or digest is None else (number, bytes.fromhex(digest))
    async with service.keyring.connect() as keys, service.reading() as connection:
        state = await connection.run_sync(_verified, keys, service.head_signer, caller(request).tenant_id, kept)
    return JSONResponse(asdict(state))


def _verified(
    connection: Connection,
    keys: AsyncConnection,
    signer: HeadSigner,
    tenant_id: UUID,
    kept: tuple[int, bytes] | None,
) -> audit.ChainState:
    """Both connections at once: the keyring's too runs in the greenlet of the first."""
    if keys.sync_connection is None:
        raise RuntimeError("the keyring's connection was not opened")
    return audit.verify(connection, keys.sync_connection, signer, tenant_id, kept)
