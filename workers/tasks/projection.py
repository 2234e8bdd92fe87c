"""Projection: the declared columns of a dataset, sealed separately, so that questions do not read the whole original.

It is made when declarations are added, or by the first question that finds none. None of it stays in memory after an
answer, and it can be read only as long as the original's key exists (`storage.datasets.projections`).
"""

from antifaz.questions.columns import AskedTable, packed, prepare, unpacked
from antifaz.questions.declarations import Declarations
from publication.generator import cryptographic_generator
from storage.datasets import declarations, projections
from storage.datasets.datasets import DatasetRecord
from storage.failpoints import reach
from storage.jobs import jobs
from workers.run import sources
from workers.run.context import Context
from workers.run.watch import JobWatch


def project(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Make the projection of a dataset before the first question."""
    record = sources.dataset_of(ctx, job)
    version = int((job.policy or {})["declarations"])
    asked_table(ctx, record, declared_of(ctx, record, version), version, watch)
    with ctx.main.begin() as connection:
        jobs.finish(connection, job.id, watch.fence, "done")


def declared_of(ctx: Context, record: DatasetRecord, version: int) -> Declarations:
    """A version of the declarations of a dataset's lineage."""
    with ctx.main.connect() as connection:
        found = declarations.get_declarations(connection, ctx.release_key, record.lineage_id, version)
    if found is None:
        raise RuntimeError("a question has declarations")
    return Declarations.model_validate(found.content)


def asked_table(
    ctx: Context, record: DatasetRecord, declared: Declarations, version: int, watch: JobWatch
) -> AskedTable:
    """The declared columns, each read when it is used; `Shredded` if the original's key is gone."""
    with ctx.keyring.connect() as keys:
        key = projections.projection_key(keys, ctx.private_key, record, version)
    with ctx.main.connect() as connection:
        blobs = projections.places(connection, key)
    if not blobs:
        return _projected(ctx, record, declared, key, watch)

    def read(place: int) -> bytes:
        with ctx.main.connect() as connection:
            return projections.read_column(connection, key, place, blobs[place])

    return unpacked(declared, read)


def _projected(
    ctx: Context, record: DatasetRecord, declared: Declarations, key: projections.ProjectionKey, watch: JobWatch
) -> AskedTable:
    dataset, _ = sources.read_dataset(ctx, record, watch)
    table = prepare(dataset.columns, dataset.n, declared, cryptographic_generator())
    with ctx.main.begin() as connection:
        projections.write_columns(connection, key, packed(table, declared))
        reach("projecting")
    return table
