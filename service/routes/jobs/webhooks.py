"""Webhooks and their deliveries. These routes register and report; the courier sends."""

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.data.webhooks import Delivery, DeliveryPage, NewWebhook, Webhook, WebhookPage, WebhookRequest
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import caller
from service.access.idempotency import Created, Secret, create_once
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.http.problems import Problem, not_found
from service.http.responses import created, nothing, problems
from service.releases.outbound import check_address, delivery_answer, webhook_answer
from service.releases.serializers import page_answer
from service.routes.router import guarded_router
from service.runtime.state import service_of
from storage.outbound import deliveries, webhooks
from storage.outbound.webhooks import WebhookDraft, WebhookRecord
from storage.tenancy.tokens import Principal

router = guarded_router("webhooks")


@router.post(
    "/v1/webhooks",
    operation_id="create_webhook",
    summary="Create a webhook for events; the secret of its signatures is shown only once",
    status_code=201,
    responses={**created(201, NewWebhook, "Created."), **problems(409, 413, 415)},
)
async def create_webhook(request: Request, body: WebhookRequest, idempotency_key: IdempotencyKey = None) -> Response:
    service, principal = service_of(request), caller(request)
    await check_address(service, body.url)
    events = list(dict.fromkeys(body.events))
    draft = WebhookDraft(principal.tenant_id, body.url, events, body.description, principal.token_id)

    async def create(connection: AsyncConnection) -> Created:
        if await connection.run_sync(webhooks.count_webhooks, principal.tenant_id) >= webhooks.MOST:
            raise Problem("conflict", f"A tenant may have at most {webhooks.MOST} webhooks.")
        webhook, text = await connection.run_sync(
            webhooks.create_webhook, service.release_key, service.courier_key, draft
        )
        await note(connection, principal, "webhook.create", webhook.id, {"events": webhook.events})
        headers = {"Location": f"/v1/webhooks/{webhook.id}"}
        return Created(201, webhook_answer(webhook), headers, Secret(text, ("secret",)))

    return await create_once(request, "create_webhook", lambda: {"body": canonical_json(body.model_dump())}, create)


@router.get(
    "/v1/webhooks",
    operation_id="list_webhooks",
    summary="List the tenant's webhooks, without their secrets",
    responses={200: {"model": WebhookPage}, **problems()},
)
async def list_webhooks(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(webhooks.list_webhooks, caller(request).tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [webhook_answer(item) for item in page.items]))


@router.get(
    "/v1/webhooks/{id}",
    operation_id="get_webhook",
    summary="Get a webhook, without its secret",
    responses={200: {"model": Webhook}, **problems(404)},
)
async def get_webhook(request: Request, item_id: ItemId) -> Response:
    async with service_of(request).reading() as connection:
        webhook = await _own(connection, caller(request), item_id)
    return JSONResponse(webhook_answer(webhook))


@router.delete(
    "/v1/webhooks/{id}",
    operation_id="delete_webhook",
    summary="Delete a webhook; its pending deliveries are not sent",
    status_code=204,
    responses={**nothing(204, "Deleted."), **problems(404)},
)
async def delete_webhook(request: Request, item_id: ItemId) -> Response:
    service, principal, webhook_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        if not await connection.run_sync(webhooks.delete_webhook, principal.tenant_id, webhook_id):
            raise not_found()
        await note(connection, principal, "webhook.delete", webhook_id)
    return Response(status_code=204)


@router.post(
    "/v1/webhooks/{id}/rotate",
    operation_id="rotate_webhook",
    summary="Give a webhook a new secret, shown only once; for 24 hours the former one signs too",
    responses={200: {"model": NewWebhook}, **problems(404)},
)
async def rotate_webhook(request: Request, item_id: ItemId) -> Response:
    service, principal, webhook_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        turned = await connection.run_sync(
            webhooks.rotate_secret, service.release_key, service.courier_key, principal.tenant_id, webhook_id
        )
        if turned is None:
            raise not_found()
        await note(connection, principal, "webhook.rotate", webhook_id)
    webhook, text = turned
    return JSONResponse(webhook_answer(webhook) | {"secret": text})


@router.post(
    "/v1/webhooks/{id}/test",
    operation_id="test_webhook",
    summary="Send a webhook an event of type webhook.test",
    status_code=202,
    responses={202: {"model": Delivery, "description": "It will be sent immediately."}, **problems(404, 409)},
)
async def test_webhook(request: Request, item_id: ItemId) -> Response:
    service, principal = service_of(request), caller(request)
    async with service.writing() as connection:
        webhook = await _enabled(connection, principal, item_id)
        delivery = await connection.run_sync(deliveries.send_test, webhook)
        await note(connection, principal, "webhook.test", webhook.id)
    return JSONResponse(delivery_answer(delivery), status_code=202)


@router.get(
    "/v1/webhooks/{id}/deliveries",
    operation_id="list_deliveries",
    summary="List deliveries of a webhook, newest first; they are kept for thirty days",
    responses={200: {"model": DeliveryPage}, **problems(404)},
)
async def list_deliveries(
    request: Request, item_id: ItemId, limit: Limit = 50, cursor: CursorParameter = None
) -> Response:
    principal = caller(request)
    async with service_of(request).reading() as connection:
        webhook = await _own(connection, principal, item_id)
        page = await connection.run_sync(deliveries.list_deliveries, principal.tenant_id, webhook.id, limit, cursor)
    return JSONResponse(page_answer(page, [delivery_answer(item) for item in page.items]))


@router.post(
    "/v1/deliveries/{id}/redeliver",
    operation_id="redeliver",
    summary="Send a delivery again, under the same id",
    status_code=202,
    responses={202: {"model": Delivery, "description": "It will be sent immediately."}, **problems(404, 409)},
)
async def redeliver(request: Request, item_id: ItemId) -> Response:
    service, principal = service_of(request), caller(request)
    async with service.writing() as connection:
        found = await connection.run_sync(deliveries.get_delivery, principal.tenant_id, identity(item_id))
        if found is None:
            raise not_found()
        await _enabled(connection, principal, str(found.webhook_id))
        again = await connection.run_sync(deliveries.send_again, found.id)
        await note(connection, principal, "webhook.redeliver", found.id)
    return JSONResponse(delivery_answer(again), status_code=202)


async def _own(connection: AsyncConnection, principal: Principal, text: str) -> WebhookRecord:
    found = await connection.run_sync(webhooks.get_webhook, principal.tenant_id, identity(text))
    if found is None:
        raise not_found()
    return found


async def _enabled(connection: AsyncConnection, principal: Principal, text: str) -> WebhookRecord:
    found = await _own(connection, principal, text)
    if found.disabled_at is not None:
        raise Problem("conflict", "The webhook is disabled: create another one.")
    return found
