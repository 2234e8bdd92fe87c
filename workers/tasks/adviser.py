"""Adviser: profiles a dataset that was uploaded without a policy, and proposes one."""

from typing import Any

from antifaz.advice import advise
from antifaz.columns.lint import findings_in
from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.kinds.kind import Dataset
from publication.generator import cryptographic_generator
from storage.jobs import advice, jobs
from workers.run import sources
from workers.run.context import Context
from workers.run.watch import JobWatch


def profile(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Read a dataset, so that its columns' types and its size are known, and store a policy to start from."""
    record = sources.dataset_of(ctx, job)
    dataset, _ = sources.read_dataset(ctx, record, watch)
    watch.enter("check")
    content = _make_advice(dataset, watch)
    findings = findings_in(dataset.typed(column.name) for column in dataset.columns)
    with ctx.main.begin() as connection:
        if jobs.finish(connection, job.id, watch.fence, "done"):
            advice.save_advice(connection, ctx.release_key, job.tenant_id, record.id, content, findings)


def _make_advice(dataset: Dataset, watch: JobWatch) -> dict[str, Any]:
    """The advice; if none can be made, that is an internal error and does not make the dataset invalid."""
    try:
        return advise(dataset, cryptographic_generator(), watch)
    except (InvalidDataset, InvalidPolicy, Infeasible) as error:
        raise RuntimeError(f"no advice could be made: {type(error).__name__}") from None
