"""Known files: recognize a second upload of the same bytes, so that its releases are checked together with the first's.

Otherwise a second upload would bypass the joint check of releases and restart the budget of differential privacy. So
the upload is refused with the id of the dataset that has the file, unless it supersedes that dataset or declares that
it is unrelated. Files are compared by digests keyed with the release key, so the digests disclose nothing to others.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from api_schemas.data.datasets import UploadMetadata
from service.http.problems import Problem
from service.runtime.state import Service
from storage.datasets import datasets
from storage.datasets.datasets import DatasetRecord


@dataclass(frozen=True)
class KnownFile:
    """The stored data by which a file is recognized."""

    digest: bytes
    unrelated_to: UUID | None
    """The dataset that has the file already, if the upload declares that the two are unrelated."""


async def recognize(
    service: Service,
    connection: AsyncConnection,
    tenant_id: UUID,
    metadata: UploadMetadata,
    digest: bytes,
    supersedes: DatasetRecord | None,
) -> KnownFile:
    """The digest of a file. Raises a problem with the id of the dataset that has the file, if the upload does not
    mention it."""
    marks = datasets.digests_of_file(service.release_key, tenant_id, digest)
    known = await connection.run_sync(datasets.find_known, tenant_id, marks)
    if known is None or (supersedes is not None and supersedes.lineage_id == known.lineage_id):
        return KnownFile(marks[0], None)
    if metadata.unrelated:
        return KnownFile(marks[0], known.id)
    raise Problem(
        "known-file",
        "This file is already stored: run a job on that dataset (POST /v1/jobs), or upload it with `supersedes` and "
        "that id, or with `unrelated` if releases of the two need not be checked together.",
        extra={"dataset_id": str(known.id)},
    )
