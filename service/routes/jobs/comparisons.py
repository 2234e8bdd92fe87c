"""Comparisons: try several policies on a dataset, compare their figures, and release with one of them."""

import csv
import io
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import HTMLResponse, JSONResponse, Response

from antifaz.part import QUESTIONS
from api_schemas.data.jobs import Job
from api_schemas.results.comparisons import Comparison, ComparisonRelease, ComparisonRequest
from api_schemas.schema import rfc3339
from api_schemas.strict_json import canonical_json
from service.access.auth import caller
from service.access.idempotency import Created, create_once
from service.http.parameters import IdempotencyKey, ItemId, identity
from service.http.problems import Problem, invalid, not_found
from service.http.responses import created, problems, raw
from service.jobs.comparisons import accepted_runs, runs_of, sealed_comparison
from service.jobs.submission import JobPolicy, Work, runnable_dataset, submit
from service.report import comparison_page
from service.routes.jobs.jobs import answered
from service.routes.router import guarded_router
from service.runtime.state import Service, service_of
from storage.jobs import comparisons, jobs
from storage.jobs.jobs import JobRecord

router = guarded_router("comparisons")

_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"model": Comparison, "content": {"text/csv": {"schema": {"type": "string"}}}}
}


@router.post(
    "/v1/comparisons",
    operation_id="create_comparison",
    summary="Try several policies, or one with varying settings, on a dataset",
    status_code=202,
    responses={**created(202, Comparison, "Queued."), **problems(404, 409, 413, 415, 507)},
)
async def create_comparison(
    request: Request, body: ComparisonRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    service, principal = service_of(request), caller(request)
    runs = runs_of(body)

    async def create(connection: AsyncConnection) -> Created:
        dataset = await runnable_dataset(service, principal, body.dataset_id)
        accepted = await accepted_runs(connection, principal, dataset, runs)
        policies = sealed_comparison(service, principal, dataset.kind, runs, accepted, body.repeats)
        job = await submit(service, connection, principal, Work(dataset, "comparison", policies))
        headers = {"Location": f"/v1/comparisons/{job.id}", "Retry-After": "1"}
        return Created(202, _comparison(job, []), headers)

    def parts() -> dict[str, bytes]:
        return {"body": canonical_json(body.model_dump(exclude_none=True))}

    return await create_once(request, "create_comparison", parts, create)


@router.get(
    "/v1/comparisons/{id}",
    operation_id="get_comparison",
    summary="Get a comparison, with a row for each policy once it has ended",
    responses={**_ANSWER, **problems(404)},
)
async def get_comparison(
    request: Request,
    item_id: ItemId,
    chosen_format: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> Response:
    found = await _found(request, identity(item_id))
    if chosen_format == "json":
        return JSONResponse(found)
    headers = {"Content-Disposition": f'attachment; filename="comparison-{found["id"]}.csv"'}
    return Response(_table(found["rows"]), media_type="text/csv; charset=utf-8", headers=headers)


@router.get(
    "/v1/comparisons/{id}/plot.svg",
    operation_id="get_comparison_plot",
    summary="Plot risk against loss of every policy, with the best ones marked",
    responses={**raw(200, "A drawing.", "image/svg+xml"), **problems(404, 409)},
)
async def get_comparison_plot(
    request: Request,
    item_id: ItemId,
    question: Annotated[
        Literal["identity", "attribute", "membership"], Query(description="The question whose answer is the risk.")
    ] = "identity",
) -> Response:
    drawing = comparison_page.plot(_ended(await _found(request, identity(item_id)))["rows"], question)
    return Response(drawing, media_type="image/svg+xml", headers=comparison_page.PLOT_HEADERS)


@router.get(
    "/v1/comparisons/{id}/report.html",
    operation_id="get_comparison_page",
    summary="Get a comparison as a page",
    responses={**raw(200, "A page.", "text/html"), **problems(404, 409)},
)
async def get_comparison_page(request: Request, item_id: ItemId) -> Response:
    found = _ended(await _found(request, identity(item_id)))
    return HTMLResponse(comparison_page.render(found), headers=comparison_page.HEADERS)


@router.post(
    "/v1/comparisons/{id}/release",
    operation_id="release_comparison",
    summary="Run the chosen policy as an ordinary job",
    status_code=202,
    responses={**created(202, Job, "Queued."), **problems(404, 409, 413, 415, 507)},
)
async def release_comparison(
    request: Request, item_id: ItemId, body: ComparisonRelease, idempotency_key: IdempotencyKey = None
) -> Response:
    service, principal = service_of(request), caller(request)

    async def create(connection: AsyncConnection) -> Created:
        tried = await _job(service, principal.tenant_id, connection, identity(item_id))
        public = (tried.policy or {}).get("policies", {}).get(body.name)
        if public is None or tried.policy_blob_id is None:
            raise invalid("invalid-request", "/name", "the comparison has no policy of this name")
        dataset = await runnable_dataset(service, principal, str(tried.dataset_id))
        policy = JobPolicy(public, tried.policy_blob_id, None, name=body.name)
        return answered(await submit(service, connection, principal, Work(dataset, policy=policy)))

    def parts() -> dict[str, bytes]:
        return {"id": item_id.encode(), "body": canonical_json(body.model_dump())}

    return await create_once(request, "release_comparison", parts, create)


async def _job(service: Service, tenant_id: UUID, connection: AsyncConnection, job_id: UUID) -> JobRecord:
    found = await connection.run_sync(jobs.get_job, tenant_id, job_id)
    if found is None or found.task != "comparison":
        raise not_found()
    jobs.require_bound(service.release_key, found)
    return found


async def _found(request: Request, job_id: UUID) -> dict[str, Any]:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        job = await _job(service, tenant_id, connection, job_id)
        kept = await connection.run_sync(comparisons.get_comparison, service.release_key, tenant_id, job_id)
    return _comparison(job, kept.rows if kept is not None else [])


def _comparison(job: JobRecord, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": str(job.id),
        "dataset_id": str(job.dataset_id),
        "status": job.status,
        "progress": job.progress,
        "repeats": (job.policy or {}).get("repeats", 1),
        "rows": rows,
        "error": job.error,
        "created_at": rfc3339(job.created_at),
        "finished_at": rfc3339(job.finished_at),
    }


def _ended(comparison: dict[str, Any]) -> dict[str, Any]:
    if not comparison["rows"]:
        raise Problem("conflict", f"The comparison is {comparison['status']}: it has no rows.")
    return comparison


def _table(rows: list[dict[str, Any]]) -> str:
    """A line for each policy: the varied values, then the mean and the standard error of every figure."""
    varied = list(dict.fromkeys(pointer for row in rows for pointer in row["settings"]))
    figures = list(dict.fromkeys(figure for row in rows for figure in row["figures"]))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    heads = [name for figure in figures for name in (figure, f"{figure} standard error")]
    fixed = ("runs", "refused", "risk", "loss", "dominated")
    answered = [f"{asked}{figure}" for asked in QUESTIONS for figure in ("", " rate", " guessing")]
    writer.writerow(["name", *varied, *fixed, "strongest attack", *answered, *heads])
    for row in rows:
        numbers = [row["figures"].get(figure, {}).get(key) for figure in figures for key in ("mean", "standard_error")]
        attack = (row["strongest_attack"] or {}).get("name")
        settings = [row["settings"].get(pointer) for pointer in varied]
        found = [(row.get("answers") or {}).get(asked) or {} for asked in QUESTIONS]
        answers = [answer.get(figure) for answer in found for figure in ("name", "rate", "baseline")]
        writer.writerow([row["name"], *settings, *(row[name] for name in fixed), attack, *answers, *numbers])
    return table.getvalue()
