"""Questions: from a charged question to its noisy answer.

The charge was written with the job; it is checked again here before any noise is drawn. Errors disclose nothing of the
data, and a question ends at a whole multiple of a fixed interval, so that its duration does not either.
"""

import logging
import time
from typing import Any

from sqlalchemy.exc import DBAPIError

from antifaz.errors import BrokenGuarantee, InvalidDataset
from antifaz.questions.answers import answer
from antifaz.questions.columns import AskedTable
from antifaz.questions.declarations import Declarations
from antifaz.questions.plan import plan, price_of
from antifaz.questions.question import Question
from storage.accounts import ledger
from storage.audit import audit
from storage.datasets.datasets import DatasetRecord
from storage.errors import StorageError
from storage.failpoints import reach
from storage.jobs import answers, jobs
from workers.run import sources
from workers.run.context import Context
from workers.run.watch import JobWatch, LostLease
from workers.tasks import projection

_LOGGER = logging.getLogger(__name__)


class Unanswered(Exception):
    """A charged question cannot be answered; the reason is not disclosed."""


def answer_question(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Answer one question."""
    began = time.monotonic()
    try:
        record, found = _compute_answer(ctx, job, watch)
    finally:
        # Also for a failure: its time would disclose how far the work on the data had progressed.
        _keep_pace(began, ctx.settings.query_pace_seconds)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, "done"):
            raise LostLease("the job is another's")
        answers.save_answer(connection, ctx.release_key, job.tenant_id, job.id, found)
        audit.append(connection, job.tenant_id, "worker", "query.answer", str(job.id), {"dataset": str(record.id)})
        reach("publishing")


def _compute_answer(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> tuple[DatasetRecord, list[dict[str, Any]]]:
    """The dataset of the question, and the answer."""
    record = _record(ctx, job)
    stated = job.policy or {}
    question = Question.model_validate(stated["question"])
    version = int(stated["declarations"])
    declared = projection.declared_of(ctx, record, version)
    _require_charge(ctx, job, question, declared)
    try:
        table = projection.asked_table(ctx, record, declared, version, watch)
    except InvalidDataset:
        raise Unanswered from None
    with ctx.main.begin() as connection:
        if not jobs.note_noise(connection, job.id, watch.fence):
            raise LostLease("the job is another's")
    reach("charged")
    found = _answered(table, question, declared)
    reach("protected")
    return record, found


def _answered(table: AskedTable, question: Question, declared: Declarations) -> list[dict[str, Any]]:
    """The answer. The cause of a failure, such as lack of memory, is not disclosed: it could depend on the data."""
    try:
        return answer(table, question, declared, plan(question, declared))
    except (DBAPIError, StorageError):
        raise
    except Exception as error:  # noqa: BLE001 - every error gives the same message
        _LOGGER.error("a question was not answered", extra={"fields": {"class": type(error).__name__}})
        raise Unanswered from None


def _record(ctx: Context, job: jobs.JobRecord) -> DatasetRecord:
    try:
        return sources.dataset_of(ctx, job)
    except sources.KnownInvalid:
        raise Unanswered from None


def _require_charge(ctx: Context, job: jobs.JobRecord, question: Question, declared: Declarations) -> None:
    """Raise `BrokenGuarantee`, before any draw, if the charge does not cover the plan."""
    price = price_of(question, declared.measure)
    with ctx.main.connect() as connection:
        charge = ledger.charge_record(connection, ctx.release_key, job.id)
    if charge is None or charge.units < price.units or charge.delta < price.delta:
        raise BrokenGuarantee("a question was not charged")


def _keep_pace(began: float, pace: float) -> None:
    if pace > 0:
        time.sleep(pace - (time.monotonic() - began) % pace)
