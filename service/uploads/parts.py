"""The form of an upload: its content, checks across its parts, and the dataset made from it."""

from dataclasses import dataclass, field
from typing import Any

from api_schemas.data.datasets import UploadMetadata
from formats.core.format import Sniffed
from service.http.problems import Problem, fault, invalid
from service.policies.dialects import check_described, kept_dialect
from service.policies.kinds import KINDS
from service.policies.policies import AcceptedPolicy, check_columns
from service.uploads.known_files import KnownFile
from storage.blobs.intake import StoredOriginal
from storage.datasets.datasets import DatasetDraft, DatasetRecord
from storage.tenancy.tokens import Principal


@dataclass(frozen=True)
class TakenFile:
    """A file part that was stored."""

    stored: StoredOriginal
    sniffed: Sniffed
    compression: str | None
    digest: bytes


@dataclass
class UploadForm:
    """The content of the form read so far."""

    metadata: UploadMetadata
    document: dict[str, Any]
    came: set[str] = field(default_factory=lambda: {"metadata"})
    policy: AcceptedPolicy | None = None
    policy_document: Any = None
    nodes: TakenFile | None = None
    file: TakenFile | None = None


def check_metadata(metadata: UploadMetadata) -> None:
    """Refuse metadata that does not apply to this kind of data."""
    faults = [
        fault(f"/metadata/{name}", f"is not for a {metadata.kind}")
        for name in KINDS[metadata.kind].foreign
        if getattr(metadata, name) is not None
    ]
    if faults:
        raise Problem("invalid-upload", "See errors.", errors=faults)


def check_file(form: UploadForm, sniffed: Sniffed) -> None:
    """Check the columns in policy and metadata, as far as both have been received."""
    columns = KINDS[form.metadata.kind].columns(_sniffed(form.nodes), sniffed)
    if form.policy is not None:
        check_columns(form.policy.policy, columns)
    _check_population(form.metadata, columns)
    check_described(form.metadata, columns)


def _check_population(metadata: UploadMetadata, columns: list[str] | None) -> None:
    """Require a table in which every known column has a role and at least one is a quasi-identifier."""
    if metadata.population is None:
        return
    pointer, attributes = "/metadata/population", metadata.population.attributes
    if not KINDS[metadata.kind].has_people:
        raise invalid("invalid-upload", pointer, "only a table can be a population")
    if all(column.role != "quasi_identifier" for column in attributes.values()):
        raise invalid("invalid-upload", f"{pointer}/attributes", "needs a quasi-identifier")
    if columns is not None and set(columns) != set(attributes):
        raise invalid(
            "invalid-upload", f"{pointer}/attributes", "must give every column of the file a role, and no other"
        )


def draft_dataset(
    principal: Principal,
    form: UploadForm,
    file: TakenFile,
    supersedes: DatasetRecord | None,
    known: KnownFile | None,
) -> DatasetDraft:
    columns = KINDS[form.metadata.kind].columns(_sniffed(form.nodes), file.sniffed)
    size = file.stored.size + (form.nodes.stored.size if form.nodes is not None else 0)
    return DatasetDraft(
        tenant_id=principal.tenant_id,
        name=form.metadata.name,
        kind=form.metadata.kind,
        format=file.sniffed.format,
        details=_details(form, file),
        columns=None if columns is None else [{"name": name, "type": None} for name in columns],
        size=size,
        blob_id=file.stored.blob_id,
        nodes_blob_id=form.nodes.stored.blob_id if form.nodes is not None else None,
        supersedes=supersedes.id if supersedes is not None else None,
        population=None if form.metadata.population is None else form.metadata.population.model_dump(),
        created_by=principal.token_id,
        digest=None if known is None else known.digest,
        unrelated_to=None if known is None else known.unrelated_to,
        unrelated=form.metadata.unrelated or None,
    )


def _details(form: UploadForm, file: TakenFile) -> dict[str, Any]:
    details = {**file.sniffed.details, "compression": file.compression, **kept_dialect(form.metadata)}
    if KINDS[form.metadata.kind].has_nodes:
        if form.metadata.directed is not None:
            details["directed"] = form.metadata.directed
        details["strict"] = bool(form.metadata.strict)
    if form.nodes is not None:
        dialect = {"format": form.nodes.sniffed.format, "compression": form.nodes.compression}
        details["nodes"] = {**form.nodes.sniffed.details, **dialect}
    return details


def _sniffed(taken: TakenFile | None) -> Sniffed | None:
    return None if taken is None else taken.sniffed
