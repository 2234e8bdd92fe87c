"""Sources: what a job reads, decrypted only here and only in memory."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import UUID

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.policy import HierarchyReference, Policy, TablePolicy, escaped, parse_hierarchy, parse_policy
from antifaz.protect import Dataset, Encoded, column_types
from storage import audit, datasets, hierarchies, jobs
from storage.errors import Shredded
from storage.keyring import shred
from storage.originals import pseudonym_key, read_original
from workers.codecs import RawGraph, RawTable, merge_nodes, read_graph, read_table
from workers.context import Context
from workers.watch import JobWatch


def read_blob(ctx: Context, tenant_id: UUID, blob_id: UUID) -> bytes:
    """A small sealed blob, whole."""
    return b"".join(_chunks(ctx, tenant_id, blob_id))


def read_policy(ctx: Context, job: jobs.JobRecord) -> tuple[Policy, dict[str, Any], dict[str, Hierarchy]]:
    """The whole policy of a job: parsed, as JSON, and with the hierarchies that it refers to."""
    if job.policy_blob_id is None:
        raise RuntimeError("a publishing job has a policy")
    document = json.loads(read_blob(ctx, job.tenant_id, job.policy_blob_id))
    policy = parse_policy(document)
    referred: dict[str, Hierarchy] = {}
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, HierarchyReference):
            referred[attribute.hierarchy.id] = _stored_hierarchy(ctx, job.tenant_id, attribute.hierarchy.id, name)
    return policy, document, referred


def read_populations(ctx: Context, job: jobs.JobRecord, policy: Policy, watch: JobWatch) -> dict[str, Dataset]:
    """The datasets that the policy's guarantees name as populations, by id."""
    return {name: _read_population(ctx, job.tenant_id, name, watch) for name in policy.populations()}


def _read_population(ctx: Context, tenant_id: UUID, name: str, watch: JobWatch) -> Dataset:
    """A population whole. It may have been deleted since the job was submitted, and is never the job's to condemn."""
    record = None
    with suppress(ValueError), ctx.main.connect() as connection:
        record = datasets.get_dataset(connection, tenant_id, UUID(name))
    if record is None or record.status == "deleted" or record.kind != "table":
        raise InvalidDataset("population", "the population that the policy names is not there")
    try:
        return _read(ctx, record, watch)[0]
    except Shredded:
        raise InvalidDataset("population", "the population was deleted before the job could read it") from None
    except InvalidDataset as error:
        raise InvalidDataset("population", "the population cannot be read", row=error.row) from None


def key_of_pseudonyms(ctx: Context, record: datasets.DatasetRecord, policy: Policy) -> bytes | None:
    """The dataset's own key, where the policy wants pseudonyms."""
    if not isinstance(policy, TablePolicy) or not policy.pseudonyms():
        return None
    with ctx.keyring.connect() as keyring:
        return pseudonym_key(keyring, ctx.private_key, record.blob_id)


class KnownInvalid(Exception):
    """The dataset was found invalid before; its record says why."""


def dataset_of(ctx: Context, job: jobs.JobRecord) -> datasets.DatasetRecord:
    """The record of a job's dataset; `KnownInvalid` where an attempt that was cut off has already condemned it."""
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
    return record


def read_dataset(
    ctx: Context, record: datasets.DatasetRecord, watch: JobWatch, edge_attributes: str = "drop"
) -> tuple[Dataset, dict[str, Any]]:
    """Read a dataset whole and note its profile."""
    dataset, intake = _read(ctx, record, watch, edge_attributes != "drop")
    columns = column_types(dataset)
    with ctx.main.begin() as connection:
        datasets.mark_profiled(
            connection,
            record.id,
            columns,
            dataset.n if dataset.graph is None else None,
            dataset.graph.n if dataset.graph else None,
            dataset.graph.m if dataset.graph else None,
        )
    return dataset, intake


def condemn(ctx: Context, record: datasets.DatasetRecord, problem: dict[str, Any]) -> None:
    """Note that an original is of no use, then destroy it; an attempt cut off in between is resumed from the note."""
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
    """Destroy what a job brought along that was submitted while its dataset was being deleted: its policy."""
    if dataset_record(ctx, job).status != "deleted":
        return
    with ctx.main.connect() as connection:
        doomed = datasets.blobs_of_dataset(connection, job.dataset_id)
    with ctx.keyring.begin() as keyring:
        shred(keyring, doomed)
    with ctx.main.begin() as connection:
        datasets.delete_chunks(connection, doomed)


def _read(
    ctx: Context, record: datasets.DatasetRecord, watch: JobWatch, with_edges: bool = False
) -> tuple[Dataset, dict[str, Any]]:
    chunks = _watched(_chunks(ctx, record.tenant_id, record.blob_id), record.size, watch)
    if record.kind == "table":
        table = read_table(chunks, record.format, record.details, ctx.settings)
        return Dataset(_encoded(table), table.n, decimal=record.details.get("decimal") or "."), {}
    details = record.details
    raw = read_graph(
        chunks, record.format, details, details.get("directed"), details.get("strict", False), ctx.settings, with_edges
    )
    if record.nodes_blob_id is not None:
        about = details["nodes"]
        nodes = _chunks(ctx, record.tenant_id, record.nodes_blob_id)
        raw = merge_nodes(raw, read_table(nodes, about["format"], about, ctx.settings))
    return _graph_dataset(raw, details), {
        "self_loops_dropped": raw.self_loops,
        "repeated_edges_dropped": raw.repeated,
    }


def _graph_dataset(raw: RawGraph, details: dict[str, Any]) -> Dataset:
    graph = Graph.from_pairs(raw.n, raw.sources, raw.targets, raw.directed)
    columns = _encoded(raw.node_columns) if raw.node_columns is not None else ()
    decimal = details.get("nodes", {}).get("decimal") or "."
    edges = _encoded(raw.edge_columns) if raw.edge_columns is not None else ()
    return Dataset(columns, raw.n, graph, decimal, edges)


def _encoded(table: RawTable) -> tuple[Encoded, ...]:
    return tuple(Encoded(name, c.codes, c.values) for name, c in zip(table.names, table.columns, strict=True))


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
    return parse_hierarchy(json.loads(read_blob(ctx, tenant_id, record.blob_id)))
