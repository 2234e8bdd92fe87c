"""Sources: the inputs of a job, decrypted only here and only in memory."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import column_types, found_dialect, reading_warnings
from antifaz.policy.model import HierarchyReference, Policy
from antifaz.policy.parse import parse_hierarchy, parse_policy
from antifaz.policy.pointers import escaped
from antifaz.shared import Shared
from antifaz.tables.table import Role
from formats.core.faults import Fault
from formats.core.limits import Limits
from publication.kinds import PUBLISHERS
from publication.kinds.kind import Reading
from publication.source import Source
from storage.audit import audit
from storage.blobs.keyring import shred
from storage.blobs.originals import pseudonym_key, read_original
from storage.datasets import datasets, hierarchies
from storage.errors import Shredded
from storage.jobs import jobs
from workers.run.contents import recognize
from workers.run.context import Context
from workers.run.report import UNRELATED
from workers.run.watch import JobWatch


def read_blob(ctx: Context, tenant_id: UUID, blob_id: UUID) -> bytes:
    """The content of a small sealed blob."""
    return b"".join(_chunks(ctx, tenant_id, blob_id))


def read_policy(ctx: Context, job: jobs.JobRecord) -> tuple[Policy, dict[str, Any], dict[str, Hierarchy]]:
    """The whole policy of a job: parsed, as JSON, and with the hierarchies that it refers to."""
    if job.policy_blob_id is None:
        raise RuntimeError("a publishing job has a policy")
    document = json.loads(read_blob(ctx, job.tenant_id, job.policy_blob_id))
    return resolve_policy(ctx, job, document if job.policy_name is None else document["policies"][job.policy_name])


def read_comparison(ctx: Context, job: jobs.JobRecord) -> dict[str, dict[str, Any]]:
    """The whole policies of a comparison, by name."""
    if job.policy_blob_id is None:
        raise RuntimeError("a comparison has policies")
    policies: dict[str, dict[str, Any]] = json.loads(read_blob(ctx, job.tenant_id, job.policy_blob_id))["policies"]
    return policies


def resolve_policy(
    ctx: Context, job: jobs.JobRecord, document: dict[str, Any]
) -> tuple[Policy, dict[str, Any], dict[str, Hierarchy]]:
    """A policy that came with a job, with the hierarchies that it refers to."""
    policy = parse_policy(document)
    referred: dict[str, Hierarchy] = {}
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, HierarchyReference):
            referred[attribute.hierarchy.id] = _stored_hierarchy(ctx, job.tenant_id, attribute.hierarchy.id, name)
    return policy, document, referred


def read_populations(
    ctx: Context, job: jobs.JobRecord, policy: Policy, watch: JobWatch, shared: Shared | None = None
) -> dict[str, Dataset]:
    """The datasets that the policy's guarantees name as populations, by id."""
    needed, seen = frozenset(policy.having(Role.QUASI_IDENTIFIER)), shared or Shared()
    return {
        name: seen.once(("population", name, needed), partial(_read_population, ctx, job, name, set(needed), watch))
        for name in policy.populations()
    }


def _read_population(ctx: Context, job: jobs.JobRecord, name: str, needed: set[str], watch: JobWatch) -> Dataset:
    """The quasi-identifiers of a population. It may have been deleted since the job was submitted. A job never destroys
    a population, and the audit trail records that it was read."""
    record = None
    with suppress(ValueError), ctx.main.connect() as connection:
        record = datasets.get_dataset(connection, job.tenant_id, UUID(name))
    if record is None or record.status == "deleted" or record.kind != "table":
        raise InvalidDataset("population", "the population that the policy names does not exist")
    datasets.require_bound(ctx.release_key, record)
    _refuse_undeclared(record, needed)
    with ctx.main.begin() as connection:
        audit.append(connection, job.tenant_id, "worker", "population.read", str(record.id), {"job": str(job.id)})
    try:
        people = _read(ctx, record, watch)[0]
    except Shredded:
        raise InvalidDataset("population", "the population was deleted before the job could read it") from None
    except InvalidDataset:
        raise InvalidDataset("population", "the population cannot be read") from None
    return replace(people, columns=tuple(column for column in people.columns if column.name in needed))


def _refuse_undeclared(record: datasets.DatasetRecord, needed: set[str]) -> None:
    """Refuse a dataset whose upload does not declare it a population with these quasi-identifiers."""
    attributes = (record.population or {}).get("attributes", {})
    if not attributes:
        raise InvalidDataset("population", "the dataset was not uploaded to be used as a population")
    for name in sorted(needed):
        if attributes.get(name, {}).get("role") != Role.QUASI_IDENTIFIER:
            raise InvalidDataset("population", "the column is not a quasi-identifier of the population", column=name)


def key_of_pseudonyms(ctx: Context, record: datasets.DatasetRecord, policy: Policy) -> bytes | None:
    """The dataset's own key, if the policy has pseudonyms."""
    if not policy.pseudonyms():
        return None
    with ctx.keyring.connect() as keyring:
        return pseudonym_key(keyring, ctx.private_key, record.blob_id)


class KnownInvalid(Exception):
    """The dataset was found invalid before; its record has the problem."""


def dataset_of(ctx: Context, job: jobs.JobRecord) -> datasets.DatasetRecord:
    """The record of a job's dataset; `KnownInvalid` if an interrupted attempt already found it invalid."""
    record = dataset_record(ctx, job)
    if record.status == "invalid":
        raise KnownInvalid
    return record


def dataset_record(ctx: Context, job: jobs.JobRecord) -> datasets.DatasetRecord:
    """The record of a job's dataset, whatever its state."""
    with ctx.main.connect() as connection:
        record = datasets.get_dataset(connection, job.tenant_id, job.dataset_id)
    if record is None:
        raise RuntimeError("a job has a dataset")
    datasets.require_bound(ctx.release_key, record)
    return record


def read_dataset(
    ctx: Context, record: datasets.DatasetRecord, watch: JobWatch, policy: Policy | None = None
) -> tuple[Dataset, dict[str, Any]]:
    """Read a dataset, as far as a policy needs it, and store its profile; `KnownContent` if the same data is stored as
    another dataset."""
    dataset, intake, digest = _read(ctx, record, watch, policy)
    unrelated = recognize(ctx, record, digest)
    if unrelated is not None:
        intake = intake | {UNRELATED: str(unrelated)}
    with ctx.main.begin() as connection:
        found: dict[str, Any] = {"found": found_dialect(dataset), "warnings": reading_warnings(dataset)}
        if dataset.directed is not None:
            # The file may declare it itself; later reads rely on the stored value.
            found["directed"] = dataset.directed
        datasets.mark_profiled(connection, record.id, column_types(dataset), dataset.counts(), found)
    return dataset, intake


def condemn(ctx: Context, record: datasets.DatasetRecord, problem: dict[str, Any]) -> None:
    """Mark an original as invalid, then destroy it; an interrupted attempt resumes from the mark."""
    with ctx.main.begin() as connection:
        datasets.mark_invalid(connection, record.id, problem)
        doomed = datasets.blobs_of_dataset(connection, record.id)
    with ctx.keyring.begin() as keyring:
        shred(keyring, doomed)
    with ctx.main.begin() as connection:
        if datasets.delete_chunks(connection, doomed):
            details = {"shredded": len(doomed), "problem": problem["type"]}
            audit.append(connection, record.tenant_id, "worker", "dataset.shred", str(record.id), details)


def shred_deleted(ctx: Context, job: jobs.JobRecord) -> None:
    """Destroy the policy of a job that was submitted while its dataset was being deleted."""
    if dataset_record(ctx, job).status != "deleted":
        return
    with ctx.main.connect() as connection:
        doomed = datasets.blobs_of_dataset(connection, job.dataset_id)
    with ctx.keyring.begin() as keyring:
        shred(keyring, doomed)
    with ctx.main.begin() as connection:
        datasets.delete_chunks(connection, doomed)


def _read(ctx: Context, record: datasets.DatasetRecord, watch: JobWatch, policy: Policy | None = None) -> Reading[Any]:
    try:
        return PUBLISHERS[record.kind].read(_source(ctx, record, watch), Limits.of(ctx.settings), policy)
    except Fault as error:
        fault = error
    # The stored original of an unreadable file is useless, so it is shredded.
    raise InvalidDataset.of([_as_dataset(each) for each in fault.faults])


def _source(ctx: Context, record: datasets.DatasetRecord, watch: JobWatch) -> Source:
    """A stored dataset, decrypted piece by piece when it is read."""
    opened = partial(_chunks, ctx, record.tenant_id)
    nodes = None if record.nodes_blob_id is None else partial(opened, record.nodes_blob_id)
    return Source(record.format, record.details, lambda: _watched(opened(record.blob_id), record.size, watch), nodes)


def _as_dataset(fault: Fault) -> InvalidDataset:
    return InvalidDataset(fault.rule, fault.detail, column=fault.column, row=fault.row, shred=True)


def _chunks(ctx: Context, tenant_id: UUID, blob_id: UUID) -> Iterator[bytes]:
    with ctx.main.connect() as connection, ctx.keyring.connect() as keyring:
        yield from read_original(connection, keyring, ctx.private_key, tenant_id, blob_id)


def _watched(chunks: Iterator[bytes], size: int, watch: JobWatch) -> Iterator[bytes]:
    done = 0
    for chunk in chunks:
        watch(0.5 * done / max(size, 1))
        yield chunk
        done += len(chunk)


def _stored_hierarchy(ctx: Context, tenant_id: UUID, hierarchy_id: str, column: str) -> Hierarchy:
    pointer = f"/attributes/{escaped(column)}/hierarchy/id"
    try:
        identifier = UUID(hierarchy_id)
    except ValueError:
        raise InvalidPolicy(pointer, "there is no such hierarchy") from None
    with ctx.main.connect() as connection:
        record = hierarchies.get_hierarchy(connection, tenant_id, identifier)
    if record is None:
        raise InvalidPolicy(pointer, "there is no such hierarchy")
    if record.status != "ready":
        raise InvalidPolicy(pointer, "the hierarchy is not ready")
    hierarchies.require_bound(ctx.release_key, record)
    return parse_hierarchy(json.loads(read_blob(ctx, tenant_id, record.blob_id)))
