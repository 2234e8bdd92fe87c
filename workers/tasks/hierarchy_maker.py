"""Generates a hierarchy over a column of a stored dataset: sealed like an original, or only its shape as a preview."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset, band
from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.policy.parse import parse_hierarchy
from antifaz.tables.table import Column
from storage.audit import audit
from storage.blobs.intake import store_original
from storage.blobs.keyring import store_sealed
from storage.datasets import hierarchies
from storage.jobs import jobs
from workers.run import sources
from workers.run.context import Context
from workers.run.watch import JobWatch, LostLease

LEAST_SHOWN = 10
"""Counts of an original below this are withheld."""


def generate(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Resolve the stated kind over the column's values and store the result as stated levels."""
    record, _, resolved, _ = _resolve(ctx, job, watch)
    _store(ctx, job, record, watch, resolved.paths())


def preview(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Resolve the stated kind over the column's values and store its shape only."""
    record, stated, resolved, column = _resolve(ctx, job, watch)
    shape = {"kind": stated.wire_name(), "levels": resolved.levels, **_shape_of_levels(resolved, column.codes)}
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, "done"):
            raise LostLease("the job is another's")
        hierarchies.finish_preview(connection, record.id, shape)
        audit.append(connection, job.tenant_id, "worker", "hierarchy.preview", str(record.id), {})


def _shape_of_levels(resolved: Generalization, codes: NDArray[np.int32]) -> dict[str, list[Any]]:
    """For each level, a band for its number of labels, and a histogram of the rows that they cover."""
    covered = [np.bincount(groups[codes], minlength=len(names)) for groups, names in _levels(resolved)]
    return {
        "groups": [band(int(np.count_nonzero(rows))) for rows in covered],
        "rows_per_label": [_histogram(rows[rows > 0]) for rows in covered],
    }


def _levels(resolved: Generalization) -> Iterator[tuple[NDArray[np.int32], NDArray[np.object_]]]:
    return zip(resolved.groups, resolved.labels, strict=True)


def _histogram(rows: NDArray[np.int64]) -> dict[str, int | str]:
    """The number of labels in each band of covered rows; counts below ten are withheld."""
    counts = Counter(band(int(each)) for each in np.sort(rows))
    return {size: count if count >= LEAST_SHOWN else f"<{LEAST_SHOWN}" for size, count in counts.items()}


def _resolve(
    ctx: Context, job: jobs.JobRecord, watch: JobWatch
) -> tuple[hierarchies.HierarchyRecord, Hierarchy, Generalization, Column]:
    if job.hierarchy_id is None:
        raise RuntimeError("a hierarchy job has a hierarchy")
    with ctx.main.connect() as connection:
        record = hierarchies.get_hierarchy(connection, job.tenant_id, job.hierarchy_id)
    if record is None or record.column is None:
        raise RuntimeError("a hierarchy that is generated has a column")
    hierarchies.require_bound(ctx.release_key, record)
    stated = parse_hierarchy(json.loads(sources.read_blob(ctx, job.tenant_id, record.blob_id)))
    dataset, _ = sources.read_dataset(ctx, sources.dataset_of(ctx, job), watch)
    column = next((c for c in dataset.columns if c.name == record.column), None)
    if column is None:
        raise InvalidDataset("unknown_column", "there is no such column", column=record.column)
    typed = dataset.typed(column.name)
    return record, stated, stated.resolve(column.name, typed.values, typed.numbers), typed


def _store(
    ctx: Context, job: jobs.JobRecord, wished: hierarchies.HierarchyRecord, watch: JobWatch, rows: list[list[str]]
) -> None:
    content = json.dumps({"kind": "levels", "rows": rows}, ensure_ascii=False).encode()
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, "done"):
            raise LostLease("the job is another's")
        stored = store_original(connection, ctx.public_key, job.tenant_id, content)
        with ctx.keyring.begin() as keyring:
            store_sealed(keyring, stored.blob_id, stored.sealed)
        hierarchies.finish_hierarchy(connection, ctx.release_key, wished, _shape(rows), stored.blob_id)
        audit.append(connection, job.tenant_id, "worker", "hierarchy.generate", str(wished.id), {})


def _shape(rows: list[list[str]]) -> dict[str, Any]:
    """Levels, and a band for the number of groups in each: exact numbers would count the column's distinct values."""
    levels = len(rows[0]) if rows else 0
    groups = [band(len({row[level] for row in rows})) for level in range(levels)]
    return {"kind": "levels", "levels": levels, "groups": groups}
