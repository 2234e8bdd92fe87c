"""Hierarchies: uploaded as JSON or rows of text, or generated from a dataset's column. Only the shape is shown."""

from typing import Annotated, Any

from fastapi import Query, Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from api_schemas.data.hierarchies import GenerationRequest, HierarchyPage, PreviewRequest, StoredHierarchy
from api_schemas.schema import PRINTABLE
from api_schemas.strict_json import canonical_json
from service.access.audit import note
from service.access.auth import caller
from service.access.idempotency import Created, create_once
from service.http.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.http.parsing import READERS
from service.http.problems import Problem, invalid, not_found
from service.http.responses import created, problems
from service.jobs.submission import Along, Event, Work, keep_keys, runnable_dataset, submit
from service.policies.hierarchy_reader import ReadHierarchy, parsed, read_hierarchy
from service.releases.serializers import hierarchy_answer, page_answer
from service.routes.router import guarded_router
from service.runtime.quotas import check_share
from service.runtime.state import service_of
from storage.blobs.intake import store_original
from storage.datasets import hierarchies
from storage.datasets.datasets import DatasetRecord
from storage.datasets.hierarchies import HierarchyDraft
from storage.tenancy.quotas import taken_by

router = guarded_router("hierarchies")

_BODIES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/HierarchyRequest"},
                "example": {
                    "name": "education",
                    "hierarchy": {"kind": "levels", "rows": [["Bachelors", "Higher", "*"], ["9th", "School", "*"]]},
                },
            },
            "text/csv": {
                "schema": {
                    # No type: a client may send any text.
                    "contentMediaType": "text/csv",
                    "description": "Per row a value and its groups upwards, split by semicolons; name in the query.",
                },
                "example": "Bachelors;Higher;*\n9th;School;*\n",
            },
        },
    }
}


@router.post(
    "/v1/hierarchies",
    operation_id="create_hierarchy",
    summary="Upload a hierarchy, as JSON or as semicolon-separated rows",
    status_code=201,
    openapi_extra=_BODIES,
    responses={**created(201, StoredHierarchy, "Stored."), **problems(409, 413, 415, 507)},
)
async def create_hierarchy(
    request: Request,
    name: Annotated[
        str | None,
        Query(min_length=1, max_length=200, pattern=PRINTABLE, description="For text/csv: name of the hierarchy."),
    ] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    service, principal = service_of(request), caller(request)
    title, found = await _receive(request, name)

    async def create(connection: AsyncConnection) -> Created:
        stored = await connection.run_sync(store_original, service.public_key, principal.tenant_id, found.content)
        draft = HierarchyDraft(
            tenant_id=principal.tenant_id,
            name=title,
            kind=found.kind,
            blob_id=stored.blob_id,
            shape=found.shape,
        )
        kept = await connection.run_sync(hierarchies.create_hierarchy, service.release_key, draft)
        await keep_keys(service, [stored])
        await note(connection, principal, "hierarchy.create", kept.id, {"kind": kept.kind})
        check_share(service.settings, await taken_by(connection, principal.tenant_id))
        return Created(201, hierarchy_answer(kept), {"Location": f"/v1/hierarchies/{kept.id}"})

    def parts() -> dict[str, bytes]:
        return {"name": title.encode(), "hierarchy": found.digest}

    return await create_once(request, "create_hierarchy", parts, create)


async def _receive(request: Request, name: str | None) -> tuple[str, ReadHierarchy]:
    """The name of the hierarchy and the hierarchy."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("text/csv", "application/json"):
        raise Problem("unsupported-media-type", "Send application/json or text/csv.")
    if media_type == "text/csv" and name is None:
        raise invalid("invalid-request", "/query/name", "is required with text/csv")
    if media_type != "text/csv" and name is not None:
        raise invalid("invalid-request", "/query/name", "is only for text/csv; give it in the body")
    depth, whose = service_of(request).settings.max_json_depth, str(caller(request).tenant_id)
    found = await read_hierarchy(await request.body(), media_type, depth, whose)
    return name or found.name or "", found


@router.post(
    "/v1/hierarchies/generate",
    operation_id="generate_hierarchy",
    summary="Generate a hierarchy from the values of a dataset's column",
    status_code=202,
    responses={**created(202, StoredHierarchy, "Queued for a worker."), **problems(404, 409, 413, 415, 507)},
)
async def generate_hierarchy(
    request: Request, body: GenerationRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    return await _queue_hierarchy(request, "generate_hierarchy", "hierarchy", body.name, body)


@router.post(
    "/v1/hierarchies/preview",
    operation_id="preview_hierarchy",
    summary="Preview a hierarchy over a dataset's column: labels per level and rows per label, never a value",
    status_code=202,
    responses={**created(202, StoredHierarchy, "Queued for a worker."), **problems(404, 409, 413, 415, 507)},
)
async def preview_hierarchy(request: Request, body: PreviewRequest, idempotency_key: IdempotencyKey = None) -> Response:
    return await _queue_hierarchy(request, "preview_hierarchy", "preview", body.column[:200], body)


async def _queue_hierarchy(
    request: Request, operation: str, task: str, name: str, body: GenerationRequest | PreviewRequest
) -> Response:
    """Queue a hierarchy over a column, to be stored or previewed."""
    service, principal = service_of(request), caller(request)
    found = await READERS.read(str(principal.tenant_id), parsed, None, body.hierarchy)

    async def create(connection: AsyncConnection) -> Created:
        dataset = await runnable_dataset(service, principal, body.dataset_id)
        _check_column(dataset, body.column)
        stored = await connection.run_sync(store_original, service.public_key, principal.tenant_id, found.content)
        draft = HierarchyDraft(
            tenant_id=principal.tenant_id,
            name=name,
            kind=found.kind,
            blob_id=stored.blob_id,
            status="generating",
            dataset_id=dataset.id,
            column=body.column,
        )
        kept = await connection.run_sync(hierarchies.create_hierarchy, service.release_key, draft)
        asked = Event("hierarchy.request", kept.id, {"dataset_id": str(dataset.id)})
        work = Work(dataset, task, hierarchy_id=kept.id)
        await submit(service, connection, principal, work, Along([stored], [asked]))
        headers = {"Location": f"/v1/hierarchies/{kept.id}", "Retry-After": "1"}
        return Created(202, hierarchy_answer(kept), headers)

    return await create_once(request, operation, lambda: {"body": canonical_json(body.model_dump())}, create)


def _check_column(dataset: DatasetRecord, column: str) -> None:
    if dataset.columns is not None and column not in [known["name"] for known in dataset.columns]:
        raise invalid("invalid-request", "/column", "the dataset has no such column")


@router.get(
    "/v1/hierarchies",
    operation_id="list_hierarchies",
    summary="List hierarchies, newest first",
    responses={200: {"model": HierarchyPage}, **problems()},
)
async def list_hierarchies(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    async with service_of(request).reading() as connection:
        page = await connection.run_sync(hierarchies.list_hierarchies, caller(request).tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [hierarchy_answer(item) for item in page.items]))


@router.get(
    "/v1/hierarchies/{id}",
    operation_id="get_hierarchy",
    summary="Get the shape of a hierarchy, never a label",
    responses={200: {"model": StoredHierarchy}, **problems(404)},
)
async def get_hierarchy(request: Request, item_id: ItemId) -> Response:
    async with service_of(request).reading() as connection:
        found = await connection.run_sync(hierarchies.get_hierarchy, caller(request).tenant_id, identity(item_id))
    if found is None:
        raise not_found()
    return JSONResponse(hierarchy_answer(found))
