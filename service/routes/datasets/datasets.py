"""Datasets: upload, read the metadata, delete. Nothing here returns an original."""

from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse, Response

from api_schemas.data.datasets import BudgetAccount, Dataset, DatasetPage, Submission
from service.access.audit import note
from service.access.auth import caller
from service.access.routing import end_turn
from service.documentation.examples import FORM
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.http.problems import not_found
from service.http.responses import created, nothing, problems
from service.jobs.questions import epsilon_at_delta
from service.releases.serializers import budget_answer, dataset_answer, page_answer
from service.routes.router import guarded_router
from service.runtime.state import Service, service_of
from service.uploads.upload import receive_upload
from storage import failpoints
from storage.accounts import ledger
from storage.blobs import keyring
from storage.datasets import datasets
from storage.datasets.datasets import DatasetRecord
from storage.jobs import advice, jobs
from storage.tenancy.tokens import Principal

router = guarded_router("datasets")

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["metadata", "file"],
                    "description": "The metadata must come first; the other parts may come in any order.",
                    "properties": {
                        "metadata": {"$ref": "#/components/schemas/UploadMetadata"},
                        "policy": {"$ref": "#/components/schemas/Policy"},
                        "nodes": {
                            "type": "string",
                            "format": "binary",
                            "description": "Graphs: a table of nodes; its first column is the node id.",
                        },
                        "file": {"type": "string", "format": "binary", "description": "The data, may be compressed."},
                    },
                },
                "encoding": {
                    "metadata": {"contentType": "application/json"},
                    "policy": {"contentType": "application/json"},
                    "nodes": {"contentType": "application/octet-stream"},
                    "file": {"contentType": "application/octet-stream"},
                },
                "example": FORM,
            }
        },
    }
}


@router.post(
    "/v1/datasets",
    operation_id="create_dataset",
    summary="Upload a dataset, with or without a policy to run on it",
    status_code=201,
    openapi_extra=_FORM,
    responses={
        **created(201, Dataset, "Stored."),
        **created(202, Submission, "Stored, and a job is queued."),
        **problems(409, 413, 415, 507),
    },
)
async def create_dataset(request: Request, idempotency_key: IdempotencyKey = None) -> Response:
    # Uploads have their own slots because they take as long as their senders do.
    end_turn(request)
    return (await receive_upload(request)).response()


@router.get(
    "/v1/datasets",
    operation_id="list_datasets",
    summary="List datasets, newest first",
    responses={200: {"model": DatasetPage}, **problems()},
)
async def list_datasets(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(datasets.list_datasets, caller(request).tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [dataset_answer(item) for item in page.items]))


@router.get(
    "/v1/datasets/{id}",
    operation_id="get_dataset",
    summary="Get a dataset, without its values",
    responses={200: {"model": Dataset}, **problems(404)},
)
async def get_dataset(request: Request, item_id: ItemId) -> Response:
    async with service_of(request).reading() as connection:
        found = await connection.run_sync(datasets.get_dataset, caller(request).tenant_id, identity(item_id))
    return JSONResponse(dataset_answer(_kept(found)))


@router.get(
    "/v1/datasets/{id}/budget",
    operation_id="get_budget",
    summary="Get the budget of differential privacy of a dataset and its other versions, and what was spent",
    responses={200: {"model": BudgetAccount}, **problems(404)},
)
async def get_budget(request: Request, item_id: ItemId) -> Response:
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(datasets.get_dataset, caller(request).tenant_id, identity(item_id))
        lineage_id = _kept(found).lineage_id
        # Charges first: an account that is read after them has spent at least as much.
        charges = await connection.run_sync(ledger.charges_of, service.release_key, lineage_id)
        account = await connection.run_sync(ledger.account_of, service.release_key, lineage_id)
    return JSONResponse(budget_answer(account, charges, await epsilon_at_delta(account)))


@router.delete(
    "/v1/datasets/{id}",
    operation_id="delete_dataset",
    summary="Permanently destroy a stored original; releases and reports stay",
    status_code=204,
    responses={**nothing(204, "Destroyed."), **problems(404)},
)
async def delete_dataset(request: Request, item_id: ItemId) -> Response:
    service, principal = service_of(request), caller(request)
    async with service.reading() as connection:
        dataset = _kept(await connection.run_sync(datasets.get_dataset, principal.tenant_id, identity(item_id)))
    async with service.writing() as connection:
        for job_id in await connection.run_sync(jobs.cancel_jobs_of_dataset, dataset.id):
            await note(connection, principal, "job.cancel", job_id, {"dataset": str(dataset.id)})
    await _shred(service, principal, dataset)
    return Response(status_code=204)


async def _shred(service: Service, principal: Principal, dataset: DatasetRecord) -> None:
    """Destroy the keys first, in their own transaction: the rest only cleans up."""
    async with service.writing() as connection:
        blobs = await connection.run_sync(datasets.blobs_of_dataset, dataset.id)
        async with service.keyring.begin() as keys:
            await keys.run_sync(keyring.shred, blobs)
        failpoints.reach("shredding")
        await connection.run_sync(datasets.delete_chunks, blobs)
        await connection.run_sync(datasets.mark_deleted, dataset.id)
        await connection.run_sync(advice.delete_advice, dataset.id)
        await note(connection, principal, "dataset.delete", dataset.id, {"shredded": len(blobs)})


def _kept(dataset: DatasetRecord | None) -> DatasetRecord:
    if dataset is None or dataset.status == "deleted":
        raise not_found()
    return dataset
