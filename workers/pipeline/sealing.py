"""Sealing: stores a release in its final, encrypted form, before any of it is visible."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import verifier
from antifaz.kinds.kind import Protected
from antifaz.policy.model import Policy
from publication.kinds import PUBLISHERS
from storage.blobs import blobs
from storage.blobs.blobs import Maker
from storage.failpoints import reach
from workers.run.context import Context
from workers.run.sizes import Allowance


@dataclass(frozen=True)
class Sealed:
    """One artifact in its final, encrypted form."""

    format: str
    part: str
    blob_id: UUID
    size: int
    sha256: str


def seal(ctx: Context, maker: Maker, tenant_id: UUID, policy: Policy, protected: Protected) -> Iterator[Sealed]:
    """Render the release and store each of its files, encrypted, as it is rendered."""
    with ctx.main.connect() as connection:
        allowance = Allowance(ctx.settings, connection, tenant_id)
    work = PUBLISHERS[policy.kind]
    allowance.require(work.least_bytes(policy, protected))
    for form, part, content in work.render(policy, protected):
        digest = hashlib.sha256()
        counted = allowance.counted(_hashed(content, digest))
        with ctx.main.begin() as connection:
            stored = blobs.write_release_blob(connection, ctx.release_key, tenant_id, counted, maker)
        yield Sealed(form, part, stored.id, stored.size, digest.hexdigest())


def _hashed(content: Iterable[bytes], digest: Any) -> Iterator[bytes]:
    for piece in content:
        digest.update(piece)
        yield piece
        reach("sealing")


def read_back(ctx: Context, tenant_id: UUID, sealed: Iterable[Sealed]) -> Iterator[verifier.Artifact]:
    """The artifacts as they will be served: decrypted from the store and compared with the rendered bytes."""
    for artifact in sealed:
        with ctx.main.connect() as connection:
            content = b"".join(blobs.read_release_chunks(connection, ctx.release_key, tenant_id, artifact.blob_id))
        if hashlib.sha256(content).hexdigest() != artifact.sha256:
            raise blobs.CorruptBlob("the stored artifact is not the one that was rendered")
        yield verifier.Artifact(artifact.format, artifact.part, content)


def discard(ctx: Context, sealed: Iterable[Sealed]) -> None:
    """Delete artifacts that will not be released."""
    with ctx.main.begin() as connection:
        blobs.delete_release_blobs(connection, [artifact.blob_id for artifact in sealed])
