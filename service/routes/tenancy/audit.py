"""The audit trail: read and verify."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response, StreamingResponse

from api_schemas.tenancy.audit import AuditPage, ChainState
from service.access.audit import names_of_actors
from service.access.auth import caller
from service.access.routing import end_turn
from service.http.parameters import Filter, Limit, NumberCursorParameter, Since, not_before
from service.http.problems import invalid
from service.http.responses import problems
from service.releases.serializers import anchor_line, event_answer, event_line, page_answer
from service.routes.router import guarded_router
from service.runtime.state import Service, service_of
from storage.audit import audit
from storage.audit.coverage import Keys
from storage.crypto.heads import HeadSigner
from storage.trail.events import emit_broken

router = guarded_router("audit")

KeptNumber = Annotated[int | None, Query(ge=0, le=2**63 - 1, description="Number of a signed head that you kept.")]
KeptDigest = Annotated[
    str | None, Query(pattern="^[0-9a-f]{64}$", description="Digest of a signed head that you kept.")
]


@router.get(
    "/v1/audit-events",
    operation_id="list_audit_events",
    summary="List the tenant's audit events, newest first, or export the whole trail for an external check",
    responses={200: {"model": AuditPage, "content": {"application/jsonl": {}}}, **problems()},
)
async def list_audit_events(
    request: Request,
    since: Since = None,
    actor: Filter = None,
    action: Filter = None,
    chosen_format: Annotated[
        Literal["json", "jsonl"],
        Query(alias="format", description="jsonl: the whole trail with its anchors, oldest first, and no filter."),
    ] = "json",
    limit: Limit = 50,
    cursor: NumberCursorParameter = None,
) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    if chosen_format == "jsonl":
        return await _export(request, service, tenant_id)
    earliest = None if since is None else not_before(since)
    async with service.reading() as connection:
        page = await connection.run_sync(audit.list_events, tenant_id, limit, cursor, earliest, actor, action)
        names = await names_of_actors(connection, tenant_id, page.items)
    return JSONResponse(page_answer(page, list(map(event_answer, page.items, names))))


async def _export(request: Request, service: Service, tenant_id: UUID) -> Response:
    """The whole trail as lines, for an external check: ``python -m verifier --chain``."""
    if set(request.query_params) != {"format"}:
        raise invalid("invalid-request", "/query", "jsonl exports the whole trail and takes no filter, limit or cursor")
    async with service.keyring.connect() as keys:
        anchors = await keys.run_sync(audit.signed_anchors, service.head_signer, tenant_id)
    headers = {"Content-Disposition": 'attachment; filename="events.jsonl"'}
    if request.method == "HEAD":
        return Response(headers=headers, media_type="application/jsonl; charset=utf-8")
    # The export lasts as long as its reader takes; its database work is done in short steps.
    end_turn(request)
    return StreamingResponse(
        _lines(service, tenant_id, anchors), headers=headers, media_type="application/jsonl; charset=utf-8"
    )


async def _lines(service: Service, tenant_id: UUID, anchors: list[audit.SignedAnchor]) -> AsyncIterator[str]:
    """The anchors, which were read first because the chain may grow meanwhile; the events; and the head, signed if the
    chain is intact."""
    for anchor in anchors:
        yield _line(anchor_line(tenant_id, anchor))
    known = {anchor.number: {anchor.digest} for anchor in anchors}
    intact = all(anchor.public_key is not None for anchor in anchors)
    number, digest, after = 0, audit.GENESIS, audit.BEFORE_ALL
    while True:
        async with service.reading() as connection:
            events = await connection.run_sync(audit.events_after, tenant_id, after)
            names = await names_of_actors(connection, tenant_id, events)
        for event, name in zip(events, names, strict=True):
            intact = intact and audit.follows(event, number + 1, digest, known)
            number, digest = event.number, event.digest
            yield _line(event_line(event, name))
        if not events:
            break
        after = number
    intact = intact and max(known, default=0) <= number
    yield _line(_head_line(service.head_signer, tenant_id, number, digest, intact))


def _head_line(signer: HeadSigner, tenant_id: UUID, number: int, digest: bytes, intact: bool) -> dict[str, Any]:
    head = asdict(signer.sign(tenant_id, number, digest))
    return {"line": "head", **head} if intact else {"line": "head", **head, "public_key": None, "signature": None}


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


@router.get(
    "/v1/audit-events/verify",
    operation_id="verify_audit_events",
    summary="Recompute the chain, compare it with the anchored heads and one that you kept, and sign its head",
    responses={200: {"model": ChainState}, **problems()},
)
async def verify_audit_events(request: Request, number: KeptNumber = None, digest: KeptDigest = None) -> Response:
    service = service_of(request)
    if (number is None) != (digest is None):
        raise invalid("invalid-request", "/query", "number and digest of a kept head must be given together")
    kept = None if number is None or digest is None else (number, bytes.fromhex(digest))
    async with service.keyring.connect() as keys, service.reading() as connection:
        state = await connection.run_sync(_verify, keys, service, caller(request).tenant_id, kept)
        # A chain that only contradicts the head that the caller claims to have kept raises no alarm for others.
        if not state.intact and kept is None:
            await connection.run_sync(emit_broken, caller(request).tenant_id)
    return JSONResponse(asdict(state))


def _verify(
    connection: Connection,
    keys: AsyncConnection,
    service: Service,
    tenant_id: UUID,
    kept: tuple[int, bytes] | None,
) -> audit.ChainState:
    """Verify with both connections: the keyring's also runs in the greenlet of the first."""
    if keys.sync_connection is None:
        raise RuntimeError("the keyring's connection was not opened")
    codes = Keys(service.release_key, service.token_key)
    return audit.verify(connection, keys.sync_connection, service.head_signer, tenant_id, kept, codes)
