"""Releases: list, download, report, withdraw, open to the public."""

import hashlib
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from api_schemas.releases import Audience, Release, ReleasePage, Withdrawal
from api_schemas.reports import Report
from formats import all_formats
from service import report_page
from service.audit import note, note_download
from service.auth import allows, anyone, caller, not_allowed
from service.parameters import CursorParameter, ItemId, Limit, identity
from service.problems import Problem, not_found
from service.ranges import requested_range
from service.responses import nothing, problems, raw
from service.routes.router import guarded_router
from service.serializers import page_answer, release_answer, report_answer
from service.state import Service, service_of
from storage import releases, reports
from storage.blobs import chunk_numbers, open_release_blob, read_release_chunk, trim
from storage.errors import CorruptBlob
from storage.releases import ArtifactRecord, ReleaseRecord
from storage.reports import ReportRecord

router = guarded_router("releases")

MEDIA_TYPES = {name: known.media_type for name, known in all_formats().items() if known.write is not None}
_BYTES = "application/octet-stream"
_DECLARED = (_BYTES, *sorted({kind.partition(";")[0] for kind in MEDIA_TYPES.values()}))
"""Bytes first: generated clients read an answer as what is declared first, and a file must not be read as JSON."""
_BESIDE = ("nodes", "sample_", "snapshots")
"""How parts begin that stand beside the main one."""

_FILE_HEADERS: dict[str, Any] = {
    "ETag": {"description": "SHA-256 of the artifact.", "schema": {"type": "string"}},
    "Accept-Ranges": {"description": "bytes", "schema": {"type": "string"}},
}
FormatName = Annotated[
    str | None, Query(alias="format", pattern=r"^[a-z0-9-]{1,32}$", description="csv or edgelist by default.")
]
PartName = Annotated[str | None, Query(pattern=r"^[a-z0-9_-]{1,32}$", description="nodes: a graph's node table.")]


@router.get(
    "/v1/releases",
    operation_id="list_releases",
    summary="List the tenant's releases, newest first",
    responses={200: {"model": ReleasePage}, **problems()},
)
async def list_releases(request: Request, limit: Limit = 50, cursor: CursorParameter = None) -> Response:
    service, tenant_id = service_of(request), caller(request).tenant_id
    async with service.reading() as connection:
        page = await connection.run_sync(releases.list_releases, service.release_key, tenant_id, limit, cursor)
    return JSONResponse(page_answer(page, [release_answer(item) for item in page.items]))


@router.get(
    "/v1/releases/{id}",
    operation_id="get_release",
    summary="A release; without a token, if it is public",
    responses={200: {"model": Release}, **problems(404)},
)
async def get_release(request: Request, item_id: ItemId) -> Response:
    return JSONResponse(release_answer(await _visible(request, identity(item_id), "get_release")))


async def _visible(request: Request, release_id: UUID, operation: str) -> ReleaseRecord:
    """A release of the caller's tenant, if the role may, or one that is public."""
    principal, service = anyone(request), service_of(request)
    async with service.reading() as connection:
        public = await connection.run_sync(releases.get_release, service.release_key, None, release_id)
        if public is not None:
            return public
        if principal is None:
            raise not_found()
        own = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
    if own is None:
        raise not_found()
    if not allows(operation, principal):
        raise not_allowed()
    return own


@router.get(
    "/v1/releases/{id}/data",
    operation_id="get_release_data",
    summary="The bytes of an artifact, whole or a range of them",
    responses={
        **raw(
            200,
            "The artifact.",
            *_DECLARED,
            headers=_FILE_HEADERS,
        ),
        **raw(
            206,
            "A range of it.",
            *_DECLARED,
            headers=_FILE_HEADERS,
        ),
        **nothing(304, "Not changed since the ETag in If-None-Match."),
        **problems(404, 410, 416),
    },
)
async def get_release_data(
    request: Request, item_id: ItemId, chosen_format: FormatName = None, part: PartName = None
) -> Response:
    return await _data(request, item_id, chosen_format, part)


@router.head("/v1/releases/{id}/data", operation_id="get_release_data", include_in_schema=False)
async def head_release_data(
    request: Request, item_id: ItemId, chosen_format: FormatName = None, part: PartName = None
) -> Response:
    return await _data(request, item_id, chosen_format, part)


async def _data(request: Request, item_id: str, chosen_format: str | None, part: str | None) -> Response:
    release = await _visible(request, identity(item_id), "get_release_data")
    if release.withdrawn_at is not None:
        raise Problem("withdrawn", "The release was withdrawn; its report stays.")
    artifact = _chosen(release, chosen_format, part)
    headers = _headers(release, artifact)
    if _matches(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    wanted = _wanted_range(request, artifact, headers["ETag"])
    start, stop = wanted or (0, artifact.size)
    headers["Content-Length"] = str(stop - start)
    if wanted:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{artifact.size}"
    status, media_type = 206 if wanted else 200, _media_type(request, artifact)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type=media_type)
    body = await _opened(service_of(request), release.tenant_id, artifact, start, stop)
    await _note_download(request, release, artifact, wanted)
    return StreamingResponse(body, status, headers, media_type)


def _media_type(request: Request, artifact: ArtifactRecord) -> str:
    """The artifact's own, or plain bytes for who accepts nothing else."""
    return _BYTES if request.headers.get("accept", "").strip() == _BYTES else MEDIA_TYPES[artifact.format]


async def _note_download(
    request: Request, release: ReleaseRecord, artifact: ArtifactRecord, wanted: tuple[int, int] | None
) -> None:
    """Committed before the first byte leaves: what was served is in the trail, also if the connection then breaks."""
    details: dict[str, Any] = {"format": artifact.format, "part": artifact.part}
    if wanted is not None:
        details["bytes"] = list(wanted)
    async with service_of(request).writing() as connection:
        await note_download(connection, anyone(request), release.tenant_id, release.id, details)


def _chosen(release: ReleaseRecord, chosen_format: str | None, part: str | None) -> ArtifactRecord:
    """The artifact that was asked for; without a word, the main part in its plainest format."""
    candidates = [
        file for file in release.artifacts if file.part == part or (part is None and not file.part.startswith(_BESIDE))
    ]
    wanted = [chosen_format] if chosen_format else ["csv", "edgelist"]
    for name in wanted:
        for file in candidates:
            if file.format == name:
                return file
    raise Problem("not-found", "The release has no such format or part; see its artifacts.")


def _headers(release: ReleaseRecord, artifact: ArtifactRecord) -> dict[str, str]:
    suffix = all_formats()[artifact.format].suffix
    return {
        "ETag": f'"{artifact.sha256}"',
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="{release.id}-{artifact.part}.{suffix}"',
    }


def _matches(header: str | None, etag: str) -> bool:
    return header is not None and (
        header.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in header.split(",")]
    )


def _wanted_range(request: Request, artifact: ArtifactRecord, etag: str) -> tuple[int, int] | None:
    condition = request.headers.get("if-range")
    if condition is not None and condition.strip() != etag:
        return None
    return requested_range(request.headers.get("range"), artifact.size)


async def _opened(
    service: Service, tenant_id: UUID, artifact: ArtifactRecord, start: int, stop: int
) -> AsyncIterator[bytes]:
    """The body, its first chunk already read and authenticated: what fails at once is an error, not half a file."""
    async with service.reading() as connection:
        blob = await connection.run_sync(open_release_blob, service.release_key, tenant_id, artifact.blob_id)
    if blob.size != artifact.size:
        raise CorruptBlob("an artifact and its blob differ in size")
    chunks = _chunks(service, tenant_id, artifact.blob_id, blob.chunks, start, stop)
    if stop - start == artifact.size:
        chunks = _as_verified(chunks, artifact.sha256)
    first = await anext(chunks, b"")
    return _rest(first, chunks, service)


async def _as_verified(chunks: AsyncIterator[bytes], sha256: str) -> AsyncIterator[bytes]:
    """A whole artifact, its last chunk held back until all of it is known to be what was verified.

    Chunks authenticate as parts of their blob; that the blob is this artifact's only the digest shows.
    """
    digest, held = hashlib.sha256(), b""
    async for chunk in chunks:
        digest.update(chunk)
        if held:
            yield held
        held = chunk
    if digest.hexdigest() != sha256:
        raise CorruptBlob("the stored artifact is not the one that was verified")
    yield held


async def _rest(first: bytes, chunks: AsyncIterator[bytes], service: Service) -> AsyncIterator[bytes]:
    service.metrics.served.inc(len(first))
    yield first
    async for chunk in chunks:
        service.metrics.served.inc(len(chunk))
        yield chunk


async def _chunks(
    service: Service, tenant_id: UUID, blob_id: UUID, count: int, start: int, stop: int
) -> AsyncIterator[bytes]:
    """Chunk by chunk, each on a connection of its own: a slow reader holds none."""
    for number in chunk_numbers(start, stop):
        async with service.reading() as connection:
            content = await connection.run_sync(
                read_release_chunk, service.release_key, tenant_id, blob_id, number, count
            )
        yield trim(content, number, start, stop)


@router.get(
    "/v1/releases/{id}/report",
    operation_id="get_release_report",
    summary="The report of a release, as far as the caller may see it",
    responses={200: {"model": Report}, **problems(404)},
)
async def get_release_report(request: Request, item_id: ItemId) -> Response:
    report, role = await _report(request, identity(item_id), "get_release_report")
    return JSONResponse(report_answer(report, role))


@router.get(
    "/v1/releases/{id}/report.html",
    operation_id="get_release_report_page",
    summary="The same report as a page",
    responses={**raw(200, "A self-contained page.", "text/html"), **problems(404)},
)
async def get_release_report_page(request: Request, item_id: ItemId) -> Response:
    report, role = await _report(request, identity(item_id), "get_release_report_page")
    page = report_page.render(report_answer(report, role))
    return HTMLResponse(page, headers={"Content-Security-Policy": report_page.CONTENT_SECURITY_POLICY})


async def _report(request: Request, release_id: UUID, operation: str) -> tuple[ReportRecord, str | None]:
    """The report and the role in which the caller sees it: in another tenant, nobody in particular."""
    release, principal = await _visible(request, release_id, operation), anyone(request)
    service = service_of(request)
    async with service.reading() as connection:
        found = await connection.run_sync(
            reports.get_report_of_release, service.release_key, release.tenant_id, release_id
        )
    if found is None:
        raise not_found()
    own = principal is not None and principal.tenant_id == release.tenant_id
    return found, principal.role if principal is not None and own else None


@router.post(
    "/v1/releases/{id}/withdraw",
    operation_id="withdraw_release",
    summary="Stop serving a release; its report stays",
    responses={200: {"model": Release}, **problems(404, 409, 413, 415)},
)
async def withdraw_release(request: Request, item_id: ItemId, body: Withdrawal) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        withdrawn = await connection.run_sync(
            releases.withdraw, service.release_key, principal.tenant_id, release_id, body.reason
        )
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        if not withdrawn:
            raise Problem("conflict", "The release is withdrawn already.")
        await note(connection, principal, "release.withdraw", release_id, {"reason": body.reason})
    return JSONResponse(release_answer(found))


@router.delete(
    "/v1/releases/{id}/data",
    operation_id="destroy_release_data",
    summary="Destroy the bytes of a withdrawn release for good; its report stays",
    status_code=202,
    responses={202: {"model": Release, "description": "They go within seconds."}, **problems(404, 409)},
)
async def destroy_release_data(request: Request, item_id: ItemId) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        destroyed = await connection.run_sync(
            releases.request_destruction, service.release_key, principal.tenant_id, release_id
        )
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        if found.withdrawn_at is None:
            raise Problem("conflict", "Withdraw the release first; its data is still served.")
        if destroyed:
            size = sum(file.size for file in found.artifacts)
            await note(connection, principal, "release.destroy", release_id, {"bytes": size})
    return JSONResponse(release_answer(found), status_code=202)


@router.post(
    "/v1/releases/{id}/audience",
    operation_id="set_release_audience",
    summary="Say who may read a release",
    responses={200: {"model": Release}, **problems(404, 413, 415)},
)
async def set_release_audience(request: Request, item_id: ItemId, body: Audience) -> Response:
    service, principal, release_id = service_of(request), caller(request), identity(item_id)
    async with service.writing() as connection:
        chosen = (principal.tenant_id, release_id, body.audience)
        if not await connection.run_sync(releases.set_audience, service.release_key, *chosen):
            raise not_found()
        found = await connection.run_sync(releases.get_release, service.release_key, principal.tenant_id, release_id)
        if found is None:
            raise not_found()
        await note(connection, principal, "release.audience", release_id, {"audience": body.audience})
    return JSONResponse(release_answer(found))
