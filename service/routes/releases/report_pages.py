"""Reports for people, as a page and as PDF, of releases and of all ended jobs."""

import asyncio
from uuid import UUID

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from api_schemas.schema import rfc3339
from service.access.audit import note_download
from service.access.auth import anyone, caller
from service.access.permissions import AUDITOR
from service.access.visibility import may_read_data, visible_release
from service.http.parameters import ItemId, identity
from service.http.problems import not_found
from service.http.responses import problems, raw
from service.releases.artifact_bytes import open_artifact
from service.releases.serializers import release_answer, report_answer
from service.report import graph_drawing, page
from service.report.charts import Drawing
from service.report.page import Account
from service.report.pdf import pdf_of
from service.routes.releases.releases import report_of, role_towards
from service.routes.router import guarded_router
from service.runtime.state import Service, service_of
from storage.datasets import datasets
from storage.jobs.jobs import JobState
from storage.releases import releases, reports
from storage.releases.releases import ReleaseRecord

router = guarded_router("reports")

_HEADERS = {"Content-Security-Policy": page.CONTENT_SECURITY_POLICY, "Cache-Control": "private, no-cache"}


@router.get(
    "/v1/releases/{id}/report.html",
    operation_id="get_release_report_page",
    summary="Get the report of a release as a page",
    responses={**raw(200, "A self-contained page.", "text/html"), **problems(404)},
)
async def get_release_report_page(request: Request, item_id: ItemId) -> Response:
    account = await _of_release(request, identity(item_id), "get_release_report_page")
    return HTMLResponse(page.render(account), headers=_HEADERS)


@router.get(
    "/v1/releases/{id}/report.pdf",
    operation_id="get_release_report_pdf",
    summary="Get the same page as PDF",
    responses={**raw(200, "The report.", "application/pdf"), **problems(404, 406)},
)
async def get_release_report_pdf(request: Request, item_id: ItemId) -> Response:
    return await _as_pdf(await _of_release(request, identity(item_id), "get_release_report_pdf"), item_id)


@router.get(
    "/v1/jobs/{id}/report.html",
    operation_id="get_job_report_page",
    summary="Get the report of a released, assessed, refused or failed job as a page",
    responses={**raw(200, "A self-contained page.", "text/html"), **problems(404)},
)
async def get_job_report_page(request: Request, item_id: ItemId) -> Response:
    account = await _of_job(request, identity(item_id))
    return HTMLResponse(page.render(account), headers=_HEADERS)


@router.get(
    "/v1/jobs/{id}/report.pdf",
    operation_id="get_job_report_pdf",
    summary="Get the same page as PDF",
    responses={**raw(200, "The report.", "application/pdf"), **problems(404, 406)},
)
async def get_job_report_pdf(request: Request, item_id: ItemId) -> Response:
    return await _as_pdf(await _of_job(request, identity(item_id)), item_id)


async def _as_pdf(account: Account, item_id: str) -> Response:
    content = await pdf_of(page.render(account))
    headers = {
        "Content-Disposition": f'inline; filename="report-{identity(item_id)}.pdf"',
        "Cache-Control": "private, no-cache",
    }
    return Response(content, media_type="application/pdf", headers=headers)


async def _of_release(request: Request, release_id: UUID, operation: str) -> Account:
    release = await visible_release(request, release_id, operation)
    report = report_answer(await report_of(request, release), role_towards(request, release))
    return Account(
        "released",
        release.name,
        rfc3339(release.created_at),
        report,
        release_answer(release, {}, ""),
        drawing=await _drawing(request, release),
    )


async def _drawing(request: Request, release: ReleaseRecord) -> Drawing | None:
    """A drawing of the graph, only for callers who may download it: a drawing shows all edges."""
    answer, principal = release_answer(release, {}, ""), anyone(request)
    may_read = release.withdrawn_at is None and may_read_data(request, release)
    if not may_read or not graph_drawing.is_drawable(answer):
        return None
    artifact = next(file for file in release.artifacts if (file.format, file.part) == ("edgelist", "graph"))
    pieces = await open_artifact(request, release, artifact)
    content = b"".join([piece async for piece in pieces])
    async with service_of(request).writing() as connection:
        details = {"format": artifact.format, "part": artifact.part, "as": "drawing"}
        await note_download(connection, principal, release.tenant_id, release.id, details)
    return await asyncio.to_thread(graph_drawing.draw, answer, content)


async def _of_job(request: Request, job_id: UUID) -> Account:
    """The page of a job that has ended; a failed one has no report, only its error."""
    service, principal = service_of(request), caller(request)
    async with service.reading() as connection:
        found = await connection.run_sync(reports.get_report_of_job, service.release_key, principal.tenant_id, job_id)
        release = None
        if found is not None and found.release_id is not None:
            own = (service.release_key, principal.tenant_id, found.release_id)
            release = await connection.run_sync(releases.get_release, *own)
    if found is None:
        return await _of_failed_job(service, principal.tenant_id, principal.role, job_id)
    name = str((found.content.get("dataset") or {}).get("name", ""))
    answer = None if release is None else release_answer(release, {}, "")
    return Account(found.status, name, rfc3339(found.created_at), report_answer(found, principal.role), answer)


async def _of_failed_job(service: Service, tenant_id: UUID, role: str, job_id: UUID) -> Account:
    job: JobState | None = await service.lookups.job(tenant_id, job_id)
    if job is None or job.status != "failed":
        raise not_found()
    async with service.reading() as connection:
        dataset = await connection.run_sync(datasets.get_dataset, tenant_id, job.dataset_id)
    # The place of a fault in the file is only for roles that may see the file.
    error = {"title": (job.error or {}).get("title")} if role == AUDITOR else job.error
    name = "" if dataset is None else dataset.name
    kind = {} if dataset is None else {"kind": dataset.kind}
    return Account("failed", name, rfc3339(job.finished_at), kind | {"job_id": str(job.id)}, error=error)
