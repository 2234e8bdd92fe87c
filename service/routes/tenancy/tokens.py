"""Tokens and tenants."""

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.strict_json import canonical_json
from api_schemas.tenancy.tokens import Caller, NewTenant, NewToken, TenantRequest, TokenPage, TokenRequest
from service.access.audit import note
from service.access.auth import actor, caller, not_allowed
from service.access.idempotency import Created, Secret, create_once
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.http.problems import not_found
from service.http.responses import created, nothing, problems
from service.releases.serializers import caller_answer, page_answer, tenant_answer, token_answer
from service.routes.router import guarded_router
from service.runtime.state import service_of
from storage.audit import audit
from storage.tenancy import tenants, tokens
from storage.tenancy.tenants import DEFAULT_TENANT

router = guarded_router("tokens")


@router.post(
    "/v1/tokens",
    operation_id="create_token",
    summary="Create a token; its text is shown only once, and not when the request is repeated",
    status_code=201,
    responses={**created(201, NewToken, "Created."), **problems(409, 413, 415)},
)
async def create_token(request: Request, body: TokenRequest, idempotency_key: IdempotencyKey = None) -> Response:
    principal, keys = caller(request), service_of(request).token_key

    async def create(connection: AsyncConnection) -> Created:
        token, text = await connection.run_sync(
            tokens.create_token, keys, principal.tenant_id, body.name, body.role, body.expires_in_days
        )
        await note(connection, principal, "token.create", token.id, {"role": token.role})
        headers = {"Location": f"/v1/tokens/{token.id}"}
        return Created(201, token_answer(token), headers, Secret(text, ("token",)))

    return await create_once(request, "create_token", lambda: {"body": canonical_json(body.model_dump())}, create)


@router.get(
    "/v1/tokens",
    operation_id="list_tokens",
    summary="List the tenant's tokens, without their texts",
    responses={200: {"model": TokenPage}, **problems()},
)
async def list_tokens(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(tokens.list_tokens, caller(request).tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [token_answer(item) for item in page.items]))


@router.get(
    "/v1/me",
    operation_id="get_caller",
    summary="Get the identity of the caller",
    responses={200: {"model": Caller}, **problems()},
)
async def get_caller(request: Request) -> Response:
    principal = caller(request)
    async with service_of(request).reading() as connection:
        token = await connection.run_sync(tokens.get_token, principal.tenant_id, principal.token_id)
        tenant = await connection.run_sync(tenants.get_tenant, principal.tenant_id)
    if token is None or tenant is None:
        raise not_found()
    return JSONResponse(caller_answer(token, tenant))


@router.delete(
    "/v1/tokens/{id}",
    operation_id="revoke_token",
    summary="Revoke a token immediately",
    status_code=204,
    responses={**nothing(204, "Revoked."), **problems(404)},
)
async def revoke_token(request: Request, item_id: ItemId) -> Response:
    service, principal, token_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        if not await connection.run_sync(tokens.revoke_token, principal.tenant_id, token_id):
            raise not_found()
        await note(connection, principal, "token.revoke", token_id)
    return Response(status_code=204)


@router.post(
    "/v1/tenants",
    operation_id="create_tenant",
    summary="Create a tenant and its first token; for an admin of the first tenant",
    status_code=201,
    responses={201: {"model": NewTenant, "description": "Created."}, **problems(409, 413, 415)},
)
async def create_tenant(request: Request, body: TenantRequest, idempotency_key: IdempotencyKey = None) -> Response:
    principal, keys = caller(request), service_of(request).token_key

    async def create(connection: AsyncConnection) -> Created:
        own = await connection.run_sync(tenants.get_tenant, principal.tenant_id)
        if own is None or own.name != DEFAULT_TENANT:
            raise not_allowed()
        tenant = await connection.run_sync(tenants.create_tenant, body.name)
        token, text = await connection.run_sync(tokens.create_token, keys, tenant.id, "first", "admin", None)
        await connection.run_sync(
            audit.append, tenant.id, actor(principal), "token.create", str(token.id), {"role": token.role}
        )
        await note(connection, principal, "tenant.create", tenant.id)
        answer = {"tenant": tenant_answer(tenant), "token": token_answer(token)}
        return Created(201, answer, {}, Secret(text, ("token", "token")))

    return await create_once(request, "create_tenant", lambda: {"body": canonical_json(body.model_dump())}, create)
