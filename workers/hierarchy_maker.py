"""Generates a hierarchy over one column of a stored dataset, and keeps it sealed like an original."""

import json
from typing import Any

from antifaz.errors import InvalidDataset, band
from antifaz.policy import parse_hierarchy
from storage import audit, hierarchies, jobs
from storage.intake import store_original
from storage.keyring import store_sealed
from workers import sources
from workers.context import Context
from workers.watch import JobWatch, LostLease


def generate(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Resolve the stated kind over the column's values and store the result as stated levels."""
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
    resolved = stated.resolve(column.name, typed.values, typed.numbers)
    _store(ctx, job, record, watch, resolved.paths())


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
    """Levels, and a band of how many groups each has: exact numbers would count the column's distinct values."""
    levels = len(rows[0]) if rows else 0
    groups = [band(len({row[level] for row in rows})) for level in range(levels)]
    return {"kind": "levels", "levels": levels, "groups": groups}
