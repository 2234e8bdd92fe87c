"""Policies: validated before use, or stored under a name."""

from typing import Any

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from antifaz.policy.model import Policy
from api_schemas.data.policies import PolicyPage, PolicyRequest, StoredPolicy, Validation, ValidationRequest
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import caller
from service.access.idempotency import Created, create_once
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.http.problems import not_found
from service.http.responses import created, problems
from service.jobs import charges
from service.jobs.submission import keep_keys, runnable_dataset
from service.policies.policies import accept_policy, check_dataset, check_profile, check_references
from service.releases.serializers import page_answer, policy_answer
from service.routes.router import guarded_router
from service.runtime.findings import check_findings
from service.runtime.quotas import check_share
from service.runtime.state import service_of
from storage.blobs.intake import store_original
from storage.datasets import policies
from storage.datasets.datasets import DatasetRecord
from storage.tenancy.quotas import taken_by

router = guarded_router("policies")


@router.post(
    "/v1/policies/validate",
    operation_id="validate_policy",
    summary="Check whether a policy would be accepted",
    responses={200: {"model": Validation}, **problems(404, 409, 413, 415)},
)
async def validate_policy(request: Request, body: ValidationRequest) -> Response:
    principal = caller(request)
    accepted = await accept_policy(body.policy, principal.tenant_id)
    async with service_of(request).reading() as connection:
        await check_references(connection, principal.tenant_id, accepted.public)
        dataset = None
        if body.dataset_id is not None:
            dataset = await runnable_dataset(service_of(request), principal, body.dataset_id)
            check_dataset(accepted.policy, dataset)
            check_profile(accepted.policy, dataset)
            await check_findings(service_of(request), connection, accepted.policy, dataset)
    return JSONResponse(
        {"valid": True, "warnings": accepted.policy.warnings(), "forecast": _forecast(accepted.policy, dataset)}
    )


def _forecast(policy: Policy, dataset: DatasetRecord | None) -> dict[str, Any] | None:
    """The expected effects of a run, as far as they follow from the policy and the number of nodes."""
    if dataset is None:
        return policy.forecast() or None
    counts, directed = dataset.counts or {}, bool(dataset.details.get("directed"))
    return policy.forecast(counts.get("nodes"), directed, counts.get("snapshots")) or None


@router.post(
    "/v1/policies",
    operation_id="create_policy",
    summary="Store a policy under a name, as its next version",
    status_code=201,
    responses={**created(201, StoredPolicy, "Stored."), **problems(409, 413, 415, 507)},
)
async def create_policy(request: Request, body: PolicyRequest, idempotency_key: IdempotencyKey = None) -> Response:
    service, principal = service_of(request), caller(request)
    accepted = await accept_policy(body.policy, principal.tenant_id)

    async def create(connection: AsyncConnection) -> Created:
        await check_references(connection, principal.tenant_id, accepted.public)
        stored = await connection.run_sync(store_original, service.public_key, principal.tenant_id, accepted.content)
        mark = charges.mark_of(service, principal.tenant_id, accepted.content)
        kept = await connection.run_sync(
            policies.create_policy,
            service.release_key,
            principal.tenant_id,
            body.name,
            accepted.public,
            stored.blob_id,
            mark,
        )
        await keep_keys(service, [stored])
        await note(connection, principal, "policy.create", kept.id, {"version": kept.version})
        check_share(service.settings, await taken_by(connection, principal.tenant_id))
        return Created(201, policy_answer(kept), {"Location": f"/v1/policies/{kept.id}"})

    return await create_once(request, "create_policy", lambda: {"body": canonical_json(body.model_dump())}, create)


@router.get(
    "/v1/policies",
    operation_id="list_policies",
    summary="List stored policies, newest first",
    responses={200: {"model": PolicyPage}, **problems()},
)
async def list_policies(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        page = await connection.run_sync(policies.list_policies, service.release_key, tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [policy_answer(item) for item in page.items]))


@router.get(
    "/v1/policies/{id}",
    operation_id="get_policy",
    summary="Get a stored policy, without hierarchy rows",
    responses={200: {"model": StoredPolicy}, **problems(404)},
)
async def get_policy(request: Request, item_id: ItemId) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        found = await connection.run_sync(policies.get_policy, service.release_key, tenant_id, identity(item_id))
    if found is None:
        raise not_found()
    return JSONResponse(policy_answer(found))
