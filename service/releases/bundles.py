"""Bundles: a signed release with everything needed to check it without the service.

An archive (zip, nothing compressed) of the files, the policy, the dictionary, the report as the caller may see it, the
metadata, and a manifest with the digest of each. For a caller who may not read data, such as an auditor, the files are
left out: the manifest lists them as withheld, with their digests. The manifest is signed by the key that also signs
audit heads (Ed25519): anyone who knows that key can verify that the service issued exactly these bytes.
"""

import hashlib
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from formats.catalogue import all_formats
from metadata.facts import Facts
from metadata.profiles import PROFILES, rendered
from service.access.visibility import may_read_data
from service.releases.artifact_bytes import open_artifact
from service.runtime.state import service_of
from storage.crypto.heads import HeadSigner
from storage.releases.releases import ArtifactRecord, ReleaseRecord

MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
_VERSION = 1
_ENDINGS = {"application/ld+json": "jsonld", "application/json": "json", "application/xml": "xml"}
_LARGE = 1 << 31
"""Members of this size need the larger fields of zip64."""


@dataclass(frozen=True)
class Member:
    """One file of a bundle."""

    path: str
    size: int
    sha256: str
    content: Callable[[], AsyncIterator[bytes]]
    artifact: ArtifactRecord | None = None
    withheld: bool = False
    """Listed in the manifest, but not in the archive."""


@dataclass(frozen=True)
class Bundle:
    """A bundle, ready to be sent."""

    members: tuple[Member, ...]
    digest: str
    """SHA-256 of the manifest, which lists all other files."""


def make_bundle(request: Request, release: ReleaseRecord, facts: Facts, report: Mapping[str, Any]) -> Bundle:
    """Make the bundle of a release: its report as the caller may see it and, for a caller who may read data, files."""
    withheld = not may_read_data(request, release)
    files = [_file(request, release, artifact, withheld) for artifact in release.artifacts]
    documents = [
        _document("policy.json", _json(report.get("policy"))),
        _document("dictionary.json", _json(release.dictionary)),
        _document("report.json", _json(report)),
        *(_metadata(name, facts) for name in PROFILES),
    ]
    manifest = _json(_manifest(release, [*files, *documents]))
    signed = _document(SIGNATURE, _json(_signature(service_of(request).head_signer, manifest)))
    members = (_document(MANIFEST, manifest), signed, *documents, *(() if withheld else files))
    return Bundle(members, hashlib.sha256(manifest).hexdigest())


def _manifest(release: ReleaseRecord, members: Sequence[Member]) -> dict[str, Any]:
    return {
        "bundle": _VERSION,
        "release_id": str(release.id),
        "name": release.name,
        "kind": release.kind,
        "directed": bool(release.shape.get("directed")),
        "files": [_entry(member) for member in members],
    }


def _entry(member: Member) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": member.path, "sha256": member.sha256, "bytes": member.size}
    if member.artifact is not None:
        entry |= {"format": member.artifact.format, "part": member.artifact.part}
    return entry | ({"withheld": True} if member.withheld else {})


def _signature(signer: HeadSigner, manifest: bytes) -> dict[str, str]:
    public_key, signature = signer.sign_bundle(hashlib.sha256(manifest).digest())
    return {"public_key": public_key, "signature": signature}


def _file(request: Request, release: ReleaseRecord, artifact: ArtifactRecord, withheld: bool) -> Member:
    async def content() -> AsyncIterator[bytes]:
        async for chunk in await open_artifact(request, release, artifact):
            yield chunk

    # An edge list and a table may share a part and an ending: the format distinguishes them.
    path = f"files/{artifact.part}.{artifact.format}.{all_formats()[artifact.format].suffix}"
    return Member(path, artifact.size, artifact.sha256, content, artifact, withheld)


def _metadata(name: str, facts: Facts) -> Member:
    media_type = PROFILES[name].media_types[0]
    return _document(f"metadata/{name}.{_ENDINGS[media_type]}", rendered(name, facts, media_type))


def _document(path: str, body: bytes) -> Member:
    async def content() -> AsyncIterator[bytes]:
        yield body

    return Member(path, len(body), hashlib.sha256(body).hexdigest(), content)


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


class _Sink:
    """Holds what the archive writes until it is sent. It cannot seek, so sizes are written after the members."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, content: bytes) -> int:
        self._held += content
        return len(content)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def take(self) -> bytes:
        taken = bytes(self._held)
        self._held.clear()
        return taken


async def zipped(members: Sequence[Member], at: tuple[int, int, int, int, int, int]) -> AsyncIterator[bytes]:
    """The archive, piece by piece: at most one chunk is held in memory."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:  # type: ignore[call-overload]
        for member in members:
            info = zipfile.ZipInfo(member.path, at)
            with archive.open(info, "w", force_zip64=member.size >= _LARGE) as entry:
                async for chunk in member.content():
                    entry.write(chunk)
                    yield sink.take()
    yield sink.take()
