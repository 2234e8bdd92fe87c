"""Hierarchies: uploaded as JSON or as rows of text, or generated from a dataset's column; only the shape is shown."""

import asyncio
import csv
import io
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from antifaz.errors import InvalidPolicy
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.policy import hierarchy_shape, parse_hierarchy
from api_schemas.hierarchies import GenerationRequest, HierarchyPage, HierarchyRequest, StoredHierarchy
from api_schemas.schema import PRINTABLE
from api_schemas.strict_json import canonical_json
from service.answers import hierarchy_answer, page_answer
from service.auth import caller
from service.guarded import StrictRequest
from service.once import Created, create_once
from service.parameters import CursorParameter, IdempotencyKey, ItemId, Limit, identity
from service.problems import Problem, invalid, not_found, policy_problem, request_faults
from service.responses import created, problems
from service.routes.jobs import runnable_dataset
from service.routes.router import guarded_router
from service.state import service_of
from service.trail import note
from service.upload import job_draft, keep_keys
from storage import hierarchies, jobs
from storage.datasets import DatasetRecord
from storage.hierarchies import HierarchyDraft
from storage.intake import store_original

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
                    # No type: whatever a client sends as text is a text.
                    "contentMediaType": "text/csv",
                    "description": "One value a row, then its groups upwards, split by semicolons; name in the query.",
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
    responses={**created(201, StoredHierarchy, "Kept."), **problems(409, 413, 415, 507)},
)
async def create_hierarchy(
    request: Request,
    name: Annotated[
        str | None,
        Query(min_length=1, max_length=200, pattern=PRINTABLE, description="For text/csv: what it is called."),
    ] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    service, principal = service_of(request), caller(request)
    title, document = await _received(request, name)
    hierarchy, shape = await _parsed(document)

    async def create(connection: AsyncConnection) -> Created:
        content = canonical_json(hierarchy.model_dump(mode="json"))
        stored = await connection.run_sync(store_original, service.public_key, principal.tenant_id, content)
        draft = HierarchyDraft(
            tenant_id=principal.tenant_id,
            name=title,
            kind=hierarchy.wire_name(),
            blob_id=stored.blob_id,
            shape=shape,
        )
        kept = await connection.run_sync(hierarchies.create_hierarchy, draft)
        await keep_keys(service, [stored])
        await note(connection, principal, "hierarchy.create", kept.id, {"kind": kept.kind})
        return Created(201, hierarchy_answer(kept), {"Location": f"/v1/hierarchies/{kept.id}"})

    def parts() -> dict[str, bytes]:
        return {"name": title.encode(), "hierarchy": canonical_json(document)}

    return await create_once(request, "create_hierarchy", parts, create)


async def _received(request: Request, name: str | None) -> tuple[str, dict[str, Any]]:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "text/csv":
        if name is None:
            raise invalid("invalid-request", "/query/name", "is required with text/csv")
        return name, {"kind": "levels", "rows": await asyncio.to_thread(_rows, await request.body())}
    if media_type != "application/json":
        raise Problem("unsupported-media-type", "Send application/json or text/csv.")
    if name is not None:
        raise invalid("invalid-request", "/query/name", "is only for text/csv; give it in the body")
    assert isinstance(request, StrictRequest)
    body = _body(await request.json())
    return body.name, body.hierarchy


def _body(document: Any) -> HierarchyRequest:
    try:
        return HierarchyRequest.model_validate(document)
    except ValidationError as error:
        faults = request_faults([{**each, "loc": ("body", *each["loc"])} for each in error.errors()])
        raise Problem("invalid-request", f"{len(faults)} fault(s), see errors.", errors=faults) from None


def _rows(content: bytes) -> list[list[str]]:
    """Semicolon-separated rows, as ARX writes its hierarchies."""
    try:
        text = content.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True) if row]
    except UnicodeDecodeError:
        raise invalid("invalid-hierarchy", "", "is not UTF-8") from None
    except csv.Error:
        raise invalid("invalid-hierarchy", "", "has a quote that does not close, or a cell that is too long") from None
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise invalid("invalid-hierarchy", "", "has another number of levels than the first", row=number)
    if "\x00" in text or not rows:
        raise invalid("invalid-hierarchy", "", "has a NUL character" if rows else "is empty")
    return rows


async def _parsed(document: dict[str, Any]) -> tuple[Hierarchy, dict[str, Any]]:
    try:
        return await asyncio.to_thread(_parse, document)
    except InvalidPolicy as error:
        raise policy_problem(error, "/hierarchy", "invalid-hierarchy") from None


def _parse(document: dict[str, Any]) -> tuple[Hierarchy, dict[str, Any]]:
    hierarchy = parse_hierarchy(document)
    return hierarchy, hierarchy_shape(hierarchy)


@router.post(
    "/v1/hierarchies/generate",
    operation_id="generate_hierarchy",
    summary="Generate a hierarchy from the values of a dataset's column",
    status_code=202,
    responses={**created(202, StoredHierarchy, "A worker is asked."), **problems(404, 409, 413, 415, 507)},
)
async def generate_hierarchy(
    request: Request, body: GenerationRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    service, principal = service_of(request), caller(request)
    hierarchy, _ = await _parsed(body.hierarchy)

    async def create(connection: AsyncConnection) -> Created:
        dataset = await runnable_dataset(service, principal, body.dataset_id)
        _check_column(dataset, body.column)
        wish = canonical_json(hierarchy.model_dump(mode="json"))
        stored = await connection.run_sync(store_original, service.public_key, principal.tenant_id, wish)
        draft = HierarchyDraft(
            tenant_id=principal.tenant_id,
            name=body.name,
            kind=hierarchy.wire_name(),
            blob_id=stored.blob_id,
            status="generating",
            dataset_id=dataset.id,
            column=body.column,
        )
        kept = await connection.run_sync(hierarchies.create_hierarchy, draft)
        await connection.run_sync(
            jobs.submit, job_draft(service, principal, dataset, "hierarchy", hierarchy_id=kept.id)
        )
        await keep_keys(service, [stored])
        await note(connection, principal, "hierarchy.request", kept.id, {"dataset_id": str(dataset.id)})
        headers = {"Location": f"/v1/hierarchies/{kept.id}", "Retry-After": "1"}
        return Created(202, hierarchy_answer(kept), headers)

    return await create_once(request, "generate_hierarchy", lambda: {"body": canonical_json(body.model_dump())}, create)


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
    summary="The shape of a hierarchy; never a label",
    responses={200: {"model": StoredHierarchy}, **problems(404)},
)
async def get_hierarchy(request: Request, item_id: ItemId) -> Response:
    async with service_of(request).reading() as connection:
        found = await connection.run_sync(hierarchies.get_hierarchy, caller(request).tenant_id, identity(item_id))
    if found is None:
        raise not_found()
    return JSONResponse(hierarchy_answer(found))
