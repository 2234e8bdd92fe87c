"""Questions: from a charged question to its noisy answer.

The charge was written with the job; here it is looked up again before any noise is drawn. What goes wrong says nothing
of the data, and the answer is given at whole multiples of a pace: the time of the work is none of the asker's business.
"""

import time
from functools import cache

from antifaz.errors import BrokenGuarantee, InvalidDataset
from antifaz.questions.answers import answer
from antifaz.questions.columns import AskedTable, prepare
from antifaz.questions.declarations import Declarations
from antifaz.questions.plan import plan, price_of
from antifaz.questions.question import Question
from storage import answers, audit, declarations, jobs, keyring, ledger
from storage.datasets import DatasetRecord
from storage.errors import Shredded
from storage.failpoints import reach
from workers import sources
from workers.context import Context, cryptographic_generator
from workers.prepared import Prepared
from workers.watch import JobWatch, LostLease


class Unanswered(Exception):
    """A question that was charged cannot be answered; nothing is said of why."""


def answer_question(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Carry one question to its answer."""
    began = time.monotonic()
    record = _record(ctx, job)
    stated = job.policy or {}
    question = Question.model_validate(stated["question"])
    declared = _declared(ctx, record, int(stated["declarations"]))
    _require_charge(ctx, job, question, declared)
    try:
        table = _table(ctx, record, declared, int(stated["declarations"]), watch)
    except InvalidDataset:
        raise Unanswered from None
    with ctx.main.begin() as connection:
        if not jobs.note_noise(connection, job.id, watch.fence):
            raise LostLease("the job is another's")
    reach("charged")
    found = answer(table, question, declared, plan(question, declared), cryptographic_generator())
    reach("protected")
    _keep_pace(began, ctx.settings.query_pace_seconds)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, "done"):
            raise LostLease("the job is another's")
        answers.save_answer(connection, ctx.release_key, job.tenant_id, job.id, found)
        audit.append(connection, job.tenant_id, "worker", "query.answer", str(job.id), {"dataset": str(record.id)})
        reach("publishing")


def _record(ctx: Context, job: jobs.JobRecord) -> DatasetRecord:
    try:
        return sources.dataset_of(ctx, job)
    except sources.KnownInvalid:
        raise Unanswered from None


def _declared(ctx: Context, record: DatasetRecord, version: int) -> Declarations:
    with ctx.main.connect() as connection:
        found = declarations.get_declarations(connection, ctx.release_key, record.lineage_id, version)
    if found is None:
        raise RuntimeError("a question has declarations")
    return Declarations.model_validate(found.content)


def _require_charge(ctx: Context, job: jobs.JobRecord, question: Question, declared: Declarations) -> None:
    """The charge covers what the plan will draw, or nothing is drawn."""
    price = price_of(question, declared.measure)
    with ctx.main.connect() as connection:
        charge = ledger.charge_record(connection, job.id)
    if charge is None or charge.units < price.units or charge.delta < price.delta:
        raise BrokenGuarantee("a question was not charged")


def _table(ctx: Context, record: DatasetRecord, declared: Declarations, version: int, watch: JobWatch) -> AskedTable:
    """The declared columns; of a dataset whose key is gone nothing, whatever is still in memory."""
    with ctx.keyring.connect() as keys:
        if keyring.fetch_sealed(keys, record.blob_id) is None:
            prepared(ctx).forget(record.blob_id)
            raise Shredded("the original was deleted")

    def read() -> AskedTable:
        dataset, _ = sources.read_dataset(ctx, record, watch)
        return prepare(dataset.columns, dataset.n, declared)

    return prepared(ctx).table((record.blob_id, version), read)


def prepared(ctx: Context) -> Prepared:
    """The columns that this process keeps."""
    return _prepared(ctx.settings.query_cache_bytes, ctx.settings.query_cache_seconds)


@cache
def _prepared(most_bytes: int, seconds: float) -> Prepared:
    return Prepared(most_bytes, seconds)


def _keep_pace(began: float, pace: float) -> None:
    if pace > 0:
        time.sleep(pace - (time.monotonic() - began) % pace)
