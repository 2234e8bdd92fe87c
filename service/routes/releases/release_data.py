"""The files of a release: whole or in ranges, in a format requested by name or by media type."""

from datetime import UTC
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response, StreamingResponse

from formats.catalogue import all_formats
from metadata.facts import file_name, slug
from metadata.signposting import file_links
from service.access.audit import note_download
from service.access.auth import anyone
from service.access.visibility import visible_release
from service.http.negotiation import matches, preferred
from service.http.parameters import ItemId, identity
from service.http.problems import Problem, not_found
from service.http.ranges import requested_range
from service.http.responses import nothing, problems, raw
from service.releases.artifact_bytes import open_artifact
from service.releases.bundles import make_bundle, zipped
from service.releases.descriptions import facts_of
from service.releases.serializers import report_answer
from service.routes.router import guarded_router
from service.runtime.addresses import base_of
from service.runtime.state import service_of
from storage.releases import reports
from storage.releases.releases import ArtifactRecord, ReleaseRecord

router = guarded_router("releases")

MEDIA_TYPES = {name: known.media_type for name, known in all_formats().items() if known.write is not None}
_PLAIN = ("csv", "edgelist")
"""Default formats."""
_BESIDE = ("nodes", "sample_", "snapshots")
"""Prefixes of the pieces that come in addition to the main one."""

_FILE_HEADERS: dict[str, Any] = {
    "ETag": {"description": "SHA-256 of the artifact.", "schema": {"type": "string"}},
    "Accept-Ranges": {"description": "bytes", "schema": {"type": "string"}},
}
_BYTES = "application/octet-stream"
_FILE_TYPES = (_BYTES, *sorted({kind.partition(";")[0] for kind in MEDIA_TYPES.values()}))
"""Bytes first: generated clients decode a response as the first declared type, and a file must not become JSON."""
_BUNDLE_HEADERS: dict[str, Any] = {"ETag": {"description": "SHA-256 of the manifest.", "schema": {"type": "string"}}}
FormatName = Annotated[
    str | None,
    Query(
        alias="format",
        pattern=r"^[a-z0-9-]{1,32}$",
        description="By default the format that Accept requests, otherwise csv or edgelist.",
    ),
]
PartName = Annotated[str | None, Query(pattern=r"^[a-z0-9_-]{1,32}$", description="nodes: a graph's node table.")]


@router.get(
    "/v1/releases/{id}/data",
    operation_id="get_release_data",
    summary="Download an artifact or a range of its bytes",
    responses={
        **raw(200, "The artifact.", *_FILE_TYPES, headers=_FILE_HEADERS),
        **raw(206, "A range of the artifact.", *_FILE_TYPES, headers=_FILE_HEADERS),
        **nothing(304, "Not changed since the ETag in If-None-Match."),
        **problems(404, 406, 410, 416),
    },
)
async def get_release_data(
    request: Request, item_id: ItemId, chosen_format: FormatName = None, part: PartName = None
) -> Response:
    release = await visible_release(request, identity(item_id), "get_release_data")
    if release.withdrawn_at is not None:
        raise Problem("withdrawn", "The release was withdrawn; its report stays.")
    artifact = _chosen(request, release, chosen_format, part)
    headers = _headers(release, artifact) | await _links(request, release, artifact)
    if matches(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    wanted = _wanted_range(request, artifact, headers["ETag"])
    start, stop = wanted or (0, artifact.size)
    headers["Content-Length"] = str(stop - start)
    if wanted:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{artifact.size}"
    status, media_type = 206 if wanted else 200, _media_type(request, artifact)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type=media_type)
    body = await open_artifact(request, release, artifact, start, stop)
    await _note_download(request, release, artifact, wanted)
    return StreamingResponse(body, status, headers, media_type)


@router.get(
    "/v1/releases/{id}/bundle.zip",
    operation_id="get_release_bundle",
    summary="Download a release with policy, dictionary, report, metadata and a signed manifest, to verify offline",
    description="Callers who may not read data, such as auditors, get the archive without the files of the release: "
    "the signed manifest lists them as `withheld`, with their digests.",
    responses={
        **raw(200, "An archive: python -m verifier bundle.zip", "application/zip", headers=_BUNDLE_HEADERS),
        **nothing(304, "Not changed since the ETag in If-None-Match."),
        **problems(404, 410),
    },
)
async def get_release_bundle(request: Request, item_id: ItemId) -> Response:
    release = await visible_release(request, identity(item_id), "get_release_bundle")
    if release.withdrawn_at is not None:
        raise Problem("withdrawn", "The release was withdrawn; its report stays.")
    service, principal = service_of(request), anyone(request)
    async with service.reading() as connection:
        facts = await facts_of(service, connection, release, base_of(request))
        report = await connection.run_sync(
            reports.get_report_of_release, service.release_key, release.tenant_id, release.id
        )
    if report is None:
        raise not_found()
    own = principal is not None and principal.tenant_id == release.tenant_id
    role = principal.role if principal is not None and own else None
    bundle = make_bundle(request, release, facts, report_answer(report, role))
    headers = {
        "ETag": f'"{bundle.digest}"',
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="{slug(release.name)}-bundle.zip"',
    }
    if matches(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if request.method == "HEAD":
        return Response(headers=headers, media_type="application/zip")
    async with service.writing() as connection:
        details = {"format": "bundle", "files": any(member.artifact for member in bundle.members)}
        await note_download(connection, principal, release.tenant_id, release.id, details)
    at = release.created_at.astimezone(UTC)
    body = zipped(bundle.members, (at.year, at.month, at.day, at.hour, at.minute, at.second))
    return StreamingResponse(body, headers=headers, media_type="application/zip")


def _media_type(request: Request, artifact: ArtifactRecord) -> str:
    """The artifact's media type, or plain bytes if the client accepts nothing else."""
    own, accept = MEDIA_TYPES[artifact.format], request.headers.get("accept")
    return own if preferred(accept, [own]) or not preferred(accept, [_BYTES]) else _BYTES


async def _note_download(
    request: Request, release: ReleaseRecord, artifact: ArtifactRecord, wanted: tuple[int, int] | None
) -> None:
    """Record the download before the first byte is sent, so that it is in the trail even if the connection breaks."""
    details: dict[str, Any] = {"format": artifact.format, "part": artifact.part}
    if wanted is not None:
        details["bytes"] = list(wanted)
    async with service_of(request).writing() as connection:
        await note_download(connection, anyone(request), release.tenant_id, release.id, details)


def _chosen(request: Request, release: ReleaseRecord, chosen_format: str | None, part: str | None) -> ArtifactRecord:
    """The requested artifact; by default the main piece in its plainest format."""
    candidates = [
        file
        for file in release.artifacts
        if (file.part == part or (part is None and not file.part.startswith(_BESIDE)))
        and chosen_format in (None, file.format)
    ]
    if not candidates:
        raise Problem("not-found", "The release has no such format or part; see its artifacts.")
    candidates.sort(key=lambda file: file.format not in _PLAIN)
    if chosen_format is not None:
        return candidates[0]
    media_types = [MEDIA_TYPES[file.format].partition(";")[0] for file in candidates]
    wanted = preferred(request.headers.get("accept"), [*media_types, _BYTES])
    if wanted == _BYTES:
        return candidates[0]
    if wanted is None:
        raise Problem("not-acceptable", f"Available: {', '.join(dict.fromkeys(media_types))}; or name a format.")
    return candidates[media_types.index(wanted)]


def _headers(release: ReleaseRecord, artifact: ArtifactRecord) -> dict[str, str]:
    name = file_name(release.name, artifact.part, artifact.format)
    return {
        "ETag": f'"{artifact.sha256}"',
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Vary": "Accept",
        "Content-Disposition": f'attachment; filename="{name}"',
    }


async def _links(request: Request, release: ReleaseRecord, artifact: ArtifactRecord) -> dict[str, str]:
    """Links from a file of a public release to its page and its metadata."""
    if release.audience != "public":
        return {}
    service = service_of(request)
    async with service.reading() as connection:
        facts = await facts_of(service, connection, release, base_of(request))
    [file] = [each for each in facts.files if (each.format, each.piece) == (artifact.format, artifact.part)]
    return {"Link": file_links(facts, file)}


def _wanted_range(request: Request, artifact: ArtifactRecord, etag: str) -> tuple[int, int] | None:
    condition = request.headers.get("if-range")
    if condition is not None and condition.strip() != etag:
        return None
    return requested_range(request.headers.get("range"), artifact.size)
