"""Questions under differential privacy: declare, grant, ask."""

import time
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query as Parameter
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from antifaz.questions.declarations import Declarations
from api_schemas.data.questions import Accuracy, DeclarationsAnswer, Grant, GrantRequest, Grants, Query, QueryRequest
from api_schemas.schema import rfc3339
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import allows, caller
from service.access.idempotency import Created, create_once
from service.access.permissions import ANALYST
from service.access.routing import end_turn
from service.http.parameters import IdempotencyKey, ItemId, identity
from service.http.problems import Problem, invalid, not_found
from service.http.responses import created, problems
from service.jobs import questions
from service.jobs.submission import Work, runnable_dataset, submit
from service.releases.serializers import grant_answer
from service.routes.router import guarded_router
from service.runtime.job_events import changed
from service.runtime.state import Service, service_of
from storage.accounts import grants, ledger
from storage.accounts.ledger import ChargeRecord
from storage.datasets import datasets, declarations
from storage.datasets.datasets import DatasetRecord
from storage.datasets.declarations import DeclarationRecord
from storage.jobs import answers, jobs
from storage.jobs.jobs import JobRecord
from storage.jobs.protocol import TERMINAL
from storage.tenancy import tokens
from storage.tenancy.tokens import Principal

router = guarded_router("questions")

_LOOK_AGAIN_SECONDS = 5.0
"""Longest time that a lost notification goes unnoticed."""


@router.put(
    "/v1/datasets/{id}/declarations",
    operation_id="put_declarations",
    summary="Declare the columns that questions may use, and the budget, of a dataset and its other versions",
    responses={200: {"model": DeclarationsAnswer}, **problems(404, 409, 413, 415)},
)
async def put_declarations(request: Request, item_id: ItemId, body: Declarations) -> Response:
    service, principal = service_of(request), caller(request)
    dataset = await runnable_dataset(service, principal, item_id)
    async with service.writing() as connection:
        made = await questions.declare(service, connection, principal, dataset, body)
    return JSONResponse(_declarations_answer(dataset, made))


@router.get(
    "/v1/datasets/{id}/declarations",
    operation_id="get_declarations",
    summary="Get the declarations of a dataset",
    responses={200: {"model": DeclarationsAnswer}, **problems(404)},
)
async def get_declarations(request: Request, item_id: ItemId) -> Response:
    service, principal = service_of(request), caller(request)
    dataset = await runnable_dataset(service, principal, item_id)
    async with service.reading() as connection:
        await questions.require_grant(service, connection, principal, dataset.lineage_id)
        found = await connection.run_sync(declarations.get_declarations, service.release_key, dataset.lineage_id)
    if found is None:
        raise not_found()
    return JSONResponse(_declarations_answer(dataset, found))


def _declarations_answer(dataset: DatasetRecord, record: DeclarationRecord) -> dict[str, Any]:
    return {
        "dataset_id": str(dataset.id),
        "version": record.version,
        "declarations": record.content,
        "created_at": rfc3339(record.created_at),
    }


@router.post(
    "/v1/datasets/{id}/grants",
    operation_id="create_grant",
    summary="Allow an analyst to ask questions about a dataset, with a share of its budget",
    status_code=201,
    responses={201: {"model": Grant}, **problems(404, 409, 413, 415)},
)
async def create_grant(
    request: Request, item_id: ItemId, body: GrantRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    service, principal = service_of(request), caller(request)

    async def create(connection: AsyncConnection) -> Created:
        dataset = await runnable_dataset(service, principal, item_id)
        return Created(201, await _grant(service, connection, principal, dataset, body))

    def parts() -> dict[str, bytes]:
        return {"id": item_id.encode(), "body": canonical_json(body.model_dump(exclude_none=True))}

    return await create_once(request, "create_grant", parts, create)


async def _grant(
    service: Service, connection: AsyncConnection, principal: Principal, dataset: DatasetRecord, body: GrantRequest
) -> dict[str, Any]:
    token = await connection.run_sync(tokens.get_token, principal.tenant_id, identity(body.token_id))
    if token is None or token.role != ANALYST or token.revoked_at is not None:
        raise invalid("invalid-request", "/token_id", "must be a token of an analyst")
    # Held until the grant is written, so that no charge or change of the account happens in between.
    account = await connection.run_sync(ledger.hold_account, service.release_key, dataset.lineage_id)
    if account is None:
        raise Problem("not-declared", "A steward has to declare columns and a budget first.")
    name, loss = ("epsilon", body.epsilon) if account.measure == "pure" else ("rho", body.rho)
    if loss is None:
        raise invalid("invalid-request", f"/{name}", f"is required: the dataset's budget is in {name}")
    total = ledger.granted_by(Decimal(str(loss)), account.measure)
    if total > account.total:
        raise invalid("invalid-request", f"/{name}", "is more than the dataset's budget")
    lineage = (service.release_key, principal.tenant_id, dataset.lineage_id)
    made = await connection.run_sync(grants.set_grant, *lineage, token.id, dataset.id, total)
    await note(connection, principal, "grant.set", dataset.id, {"token": str(token.id), "total": made.total})
    return grant_answer(grants.NamedGrant(made, token.name, dataset.name, account.measure))


@router.get(
    "/v1/grants",
    operation_id="list_grants",
    summary="List the grants of all analysts; for an analyst, their own",
    responses={200: {"model": Grants}, **problems()},
)
async def list_grants(request: Request) -> Response:
    principal = caller(request)
    own = principal.token_id if principal.role == ANALYST else None
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(grants.list_grants, service.release_key, principal.tenant_id, own)
    return JSONResponse({"items": [grant_answer(each) for each in found]})


@router.post(
    "/v1/datasets/{id}/queries",
    operation_id="create_query",
    summary="Ask a question, or get the expected accuracy of its answer",
    status_code=202,
    responses={
        200: {"model": Query | Accuracy, "description": "An earlier answer, at no cost; or the expected accuracy."},
        **created(202, Query, "Charged and queued, or already running because the same question was asked before."),
        **problems(404, 409, 413, 415),
    },
)
async def create_query(
    request: Request, item_id: ItemId, body: QueryRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    service, principal = service_of(request), caller(request)
    dataset = await runnable_dataset(service, principal, item_id)
    async with service.reading() as connection:
        await questions.require_grant(service, connection, principal, dataset.lineage_id)
        asked = await questions.asked(service, connection, dataset, body.question())
        if body.accuracy:
            found = await asked.expected(body.rows)
            left = await questions.remaining(service, connection, principal, dataset.lineage_id)
            return JSONResponse({"accuracy": found, "cost": _price(asked), "remaining": left})
    # Everything that can be refused without the data is refused before anything is charged.
    await asked.check_plan()

    async def create(connection: AsyncConnection) -> Created:
        policy = asked.policy(service, principal.tenant_id)
        work = Work(dataset, "query", policy, price=asked.price)
        job = await submit(service, connection, principal, work)
        # Declarations may have been replaced since they were read; then charge and job are rolled back together.
        await asked.require_current(service, connection)
        answer = await _query(service, connection, principal, job, dataset.lineage_id)
        location = {"Location": f"/v1/queries/{job.id}"}
        if job.status in TERMINAL:
            return Created(200, answer, location)
        return Created(202, answer, {**location, "Retry-After": "1"})

    def parts() -> dict[str, bytes]:
        return {"id": item_id.encode(), "body": canonical_json(body.model_dump(exclude_none=True))}

    return await create_once(request, "create_query", parts, create)


def _price(asked: questions.Asked) -> dict[str, float]:
    name = "epsilon" if asked.declared.measure == "pure" else "rho"
    price = asked.price
    return {name: ledger.in_loss(price.units, asked.declared.measure), "delta": price.delta / ledger.DELTA_UNITS}


@router.get(
    "/v1/queries/{id}",
    operation_id="get_query",
    summary="Get a question, with its answer once there is one; with wait, after it has ended",
    responses={200: {"model": Query}, **problems(404)},
)
async def get_query(
    request: Request,
    item_id: ItemId,
    wait: Annotated[float, Parameter(ge=0, le=60, description="Respond at its end, or after this many seconds.")] = 0,
) -> Response:
    service, principal = service_of(request), caller(request)
    async with service.reading() as connection:
        job, lineage_id = await _found(service, connection, principal, identity(item_id))
    if wait and job.status not in TERMINAL:
        # A client that waits must hold neither a slot of this process nor a connection of the database.
        end_turn(request)
        await _wait_for_end(service, job, wait)
    async with service.reading() as connection:
        job, _ = await _found(service, connection, principal, job.id)
        return JSONResponse(await _query(service, connection, principal, job, lineage_id))


async def _wait_for_end(service: Service, job: JobRecord, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    with service.job_events.subscribe(job.id) as subscription, service.metrics.streams.track_inprogress():
        while True:
            # Read after subscribing: a change in between is a notification that waits, not one that was missed.
            newer = await service.lookups.job(job.tenant_id, job.id)
            left = deadline - time.monotonic()
            if newer is None or newer.status in TERMINAL or left <= 0 or service.job_events.closing.is_set():
                return
            await changed(subscription, min(left, _LOOK_AGAIN_SECONDS))


async def _found(
    service: Service, connection: AsyncConnection, principal: Principal, job_id: UUID
) -> tuple[JobRecord, UUID]:
    job = await connection.run_sync(jobs.get_job, principal.tenant_id, job_id)
    if job is None or job.task != "query":
        raise not_found()
    dataset = await connection.run_sync(datasets.get_dataset, principal.tenant_id, job.dataset_id)
    if dataset is None:
        raise not_found()
    await questions.require_grant(service, connection, principal, dataset.lineage_id)
    return job, dataset.lineage_id


async def _query(
    service: Service, connection: AsyncConnection, principal: Principal, job: JobRecord, lineage_id: UUID
) -> dict[str, Any]:
    jobs.require_bound(service.release_key, job)
    found = await connection.run_sync(answers.get_answer, service.release_key, job.tenant_id, job.id)
    account = await connection.run_sync(ledger.account_of, service.release_key, lineage_id)
    charge = await connection.run_sync(ledger.charge_record, service.release_key, job.id)
    left = await questions.remaining(service, connection, principal, lineage_id)
    # An answer is data: a reviewer sees who asked what, at which cost, and not the answer.
    withheld = not allows("create_query", principal)
    return {
        "id": str(job.id),
        "dataset_id": str(job.dataset_id),
        "status": "running" if job.status == "verifying" else job.status,
        "question": (job.policy or {}).get("question", {}),
        "declarations": (job.policy or {}).get("declarations", 0),
        "answers": None if found is None or withheld else [_with_remaining(each, left) for each in found],
        "answers_withheld": withheld,
        "cost": _cost(charge, "pure" if account is None else account.measure),
        "remaining": left,
        "error": job.error,
        "created_at": rfc3339(job.created_at),
    }


def _with_remaining(answer: dict[str, Any], left: float) -> dict[str, Any]:
    return answer | {"cells": [cell | {"remaining": left} for cell in answer["cells"]]}


def _cost(charge: ChargeRecord | None, measure: str) -> dict[str, float]:
    name = "epsilon" if measure == "pure" else "rho"
    if charge is None:
        return {name: 0.0, "delta": 0.0}
    return {name: ledger.in_loss(charge.units, measure), "delta": charge.delta / ledger.DELTA_UNITS}
