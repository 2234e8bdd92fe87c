"""How a job ends: every outcome is the job's end or leaves the job to its lease, and is recorded once."""

import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import before_task_publish

from antifaz.errors import Cancelled, InvalidDataset, InvalidPolicy
from storage.datasets import datasets
from storage.errors import Shredded
from storage.jobs import jobs, turns
from tests.workers.conftest import Steward
from tests.workers.task_samples import CONTENT, INTERNAL, raised, told
from workers.pipeline import lineage
from workers.process import tasks
from workers.process.tasks import run_job, run_next
from workers.run import sources
from workers.run.problems import TIME_LIMIT
from workers.run.watch import LostLease

Strike = Callable[[UUID], None]


@pytest.fixture
def ending(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException | Strike], jobs.JobRecord]:
    """Runs a publishing job whose work ends with an error, or with whatever a function does."""

    def end(how: BaseException | Strike) -> jobs.JobRecord:
        def work(ctx: Any, job: jobs.JobRecord, watch: Any) -> None:
            if isinstance(how, BaseException):
                raise how
            how(job.id)

        monkeypatch.setitem(tasks._TASKS, "publish", work)
        job_id = steward.submit(steward.upload(CONTENT), None)
        run_job(steward.context, job_id)
        return steward.job(job_id)

    return end


def test_a_claim_is_a_place_where_a_fault_can_strike(ending: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(tasks, "reach", seen.append)
    ending(RuntimeError("any"))
    assert seen == ["claimed"]


def test_a_message_for_a_job_that_is_over_taken_or_unknown_is_dropped(steward: Steward, ending: Any) -> None:
    job = ending(RuntimeError("first"))
    assert job.status == "failed"
    run_job(steward.context, job.id)
    assert steward.job(job.id) == job
    run_job(steward.context, uuid4())
    assert len(told(steward)) == 1


@pytest.mark.parametrize("known", [False, True])
def test_a_message_that_finds_nothing_to_do_is_taken_once_and_never_sent_again(
    steward: Steward, ending: Any, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """For an unknown job and a finished one; no other test uses this queue."""
    job_id = uuid4()
    if known:
        monkeypatch.setitem(tasks._TASKS, "publish", lambda *_: None)
        job_id = steward.submit(steward.upload(CONTENT), None, queue=f"turns-{job_id}")
        run_job(steward.context, job_id)
    sent: list[str] = []

    def note(sender: str, **_: Any) -> None:
        sent.append(sender)

    monkeypatch.setattr(tasks, "context", lambda: steward.context)
    before_task_publish.connect(note)
    try:
        answer = tasks.run.apply(args=[str(job_id)], retries=0)
    finally:
        before_task_publish.disconnect(note)
    assert (answer.status, answer.result, sent) == ("SUCCESS", None, [])


def test_a_message_runs_the_job_whose_turn_it_is_and_the_last_one_finds_nothing(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queues are the test's own: other tests leave jobs behind in the usual ones."""
    ran: list[UUID] = []

    def work(ctx: Any, job: jobs.JobRecord, watch: Any) -> None:
        ran.append(job.id)
        with ctx.main.begin() as connection:
            assert jobs.finish(connection, job.id, watch.fence, "done")

    monkeypatch.setitem(tasks._TASKS, "publish", work)
    dataset, queue = steward.upload(CONTENT), f"turns-{uuid4()}"
    first, second = (steward.submit(dataset, None, queue=queue) for _ in range(2))
    for rung in (second, second, first, uuid4()):
        run_next(steward.context, rung)
    assert ran == [first, second]


def test_a_job_that_another_worker_claims_first_is_passed_over_for_the_next(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[UUID] = []
    monkeypatch.setitem(tasks._TASKS, "publish", lambda ctx, job, watch: ran.append(job.id))
    dataset, queue = steward.upload(CONTENT), f"turns-{uuid4()}"
    first, second = (steward.submit(dataset, None, queue=queue) for _ in range(2))
    in_turn = turns.next_in_turn

    def overtaken(connection: Any, rung: UUID, attempts: int) -> UUID | None:
        chosen = in_turn(connection, rung, attempts)
        if chosen == first:
            with steward.main.begin() as another:
                assert jobs.claim(another, first, 60, 3) is not None
        return chosen

    monkeypatch.setattr(turns, "next_in_turn", overtaken)
    run_next(steward.context, first)
    assert ran == [second]


def test_any_error_is_the_end_of_the_job_and_its_text_is_not_told(
    steward: Steward, ending: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        job = ending(RuntimeError("Ana"))
    assert (job.status, job.error, job.release_id) == ("failed", INTERNAL, None)
    assert told(steward) == [("worker", "job.fail", str(job.id), {"problem": INTERNAL["type"]})]
    (record,) = [record for record in caplog.records if record.name == "workers.process.tasks"]
    assert record.getMessage() == "a job failed"
    assert record.fields == {"job": str(job.id), "stage": "load"}  # type: ignore[attr-defined]
    assert record.exc_info is not None


def test_an_error_of_the_engine_is_an_answer_and_no_cause_for_alarm(
    ending: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        job = ending(InvalidPolicy("/guarantees/0/k", "k is larger than the table"))
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["errors"] == [{"pointer": "/policy/guarantees/0/k", "detail": "k is larger than the table"}]
    assert [record for record in caplog.records if record.name == "workers.process.tasks"] == []


def test_a_job_that_ran_out_of_time_says_so(steward: Steward, ending: Any) -> None:
    job = ending(SoftTimeLimitExceeded())
    assert (job.status, job.error) == ("failed", TIME_LIMIT)
    assert told(steward) == [("worker", "job.fail", str(job.id), {"problem": TIME_LIMIT["type"]})]


def test_a_cancelled_job_is_told_without_a_problem(steward: Steward, ending: Any) -> None:
    job = ending(Cancelled("the job was cancelled"))
    assert (job.status, job.error) == ("cancelled", None)
    assert told(steward) == [("worker", "job.cancelled", str(job.id), {})]


def test_a_lost_lease_leaves_the_job_to_its_new_owner(
    steward: Steward, ending: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        job = ending(LostLease("the lease was lost"))
    assert (job.status, job.finished_at) == ("running", None)
    assert told(steward) == []
    (record,) = [record for record in caplog.records if record.name == "workers.process.tasks"]
    assert (record.getMessage(), record.fields) == (  # type: ignore[attr-defined]
        "the lease was lost", {"job": str(job.id)},
    )  # fmt: skip


@pytest.mark.parametrize("error", [RuntimeError("late"), Cancelled("late"), SoftTimeLimitExceeded()], ids=repr)
def test_a_worker_whose_job_went_to_another_ends_nothing(steward: Steward, ending: Any, error: BaseException) -> None:
    def lose(job_id: UUID) -> None:
        steward.ask("UPDATE jobs SET fence = fence + 1 WHERE id = :id RETURNING 1", id=job_id)
        raise error

    job = ending(lose)
    assert (job.status, job.error, job.finished_at) == ("running", None, None)
    assert told(steward) == []


@pytest.mark.parametrize(
    "error",
    [
        raised("operational", psycopg.OperationalError("gone")),
        raised("any", psycopg.InterfaceError("gone"), connection_invalidated=True),
        psycopg.OperationalError("gone"),
    ],
    ids=repr,
)
def test_a_database_that_went_away_leaves_the_job_to_its_lease(
    steward: Steward, ending: Any, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        job = ending(error)
    assert (job.status, job.error, job.finished_at) == ("running", None, None)
    assert told(steward) == []
    (record,) = [record for record in caplog.records if record.name == "workers.process.tasks"]
    assert (record.getMessage(), record.fields) == (  # type: ignore[attr-defined]
        "the database went away", {"job": str(job.id)},
    )  # fmt: skip
    assert record.exc_info is not None


@pytest.mark.parametrize(
    ("error", "rule"),
    [
        (raised("integrity", psycopg.IntegrityError("twice")), "internal"),
        (raised("any", psycopg.InterfaceError("odd")), "internal"),
        (psycopg.IntegrityError("twice"), "internal"),
        (raised("operational", psycopg.errors.DiskFull("full")), "storage"),
        (psycopg.errors.DiskFull("full"), "storage"),
    ],
    ids=repr,
)
def test_an_error_of_the_database_that_stays_is_the_end_of_the_job(ending: Any, error: Exception, rule: str) -> None:
    job = ending(error)
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["rule"] == rule


def test_a_job_that_was_overtaken_waits_for_its_next_turn(steward: Steward, ending: Any) -> None:
    job = ending(lineage.Overtaken("another release came first"))
    assert (job.status, job.attempt, job.stage, job.progress) == ("queued", 0, None, 0.0)
    assert (job.finished_at, job.error) == (None, None)
    assert steward.ask("SELECT lease_until FROM jobs WHERE id = :id", id=job.id) is None
    assert steward.ask("SELECT count(*) FROM outbox WHERE job_id = :id", id=job.id) >= 1
    assert told(steward) == []


def test_a_job_that_was_overtaken_and_cancelled_is_cancelled(steward: Steward, ending: Any) -> None:
    def overtake(job_id: UUID) -> None:
        with steward.main.begin() as connection:
            jobs.request_cancel(connection, steward.tenant_id, job_id)
        raise lineage.Overtaken("another release came first")

    job = ending(overtake)
    assert (job.status, job.error) == ("cancelled", None)
    assert job.finished_at is not None
    assert told(steward) == [("worker", "job.cancelled", str(job.id), {})]


def test_an_original_of_no_use_is_destroyed_with_the_job(steward: Steward, ending: Any) -> None:
    job = ending(InvalidDataset("ragged_row", "a row has another number of cells", row=7, shred=True))
    assert job.error is not None
    assert (job.status, job.error["rule"], job.error["row"]) == ("failed", "ragged_row", 7)
    dataset = steward.dataset(job.dataset_id)
    assert (dataset.status, dataset.problem) == ("invalid", job.error)
    with pytest.raises(Shredded):
        sources.read_blob(steward.context, steward.tenant_id, dataset.blob_id)
    again = steward.submit(dataset, None)
    run_job(steward.context, again)
    assert steward.job(again).status == "failed"


def test_an_original_that_only_this_policy_does_not_fit_is_kept(steward: Steward, ending: Any) -> None:
    job = ending(InvalidDataset("type_mismatch", "a cell is no integer", column="age"))
    assert job.error is not None
    assert (job.status, job.error["column"]) == ("failed", "age")
    dataset = steward.dataset(job.dataset_id)
    assert dataset.status == "stored"
    assert sources.read_blob(steward.context, steward.tenant_id, dataset.blob_id) == CONTENT


def test_a_dataset_that_is_known_to_be_invalid_fails_with_what_is_known(steward: Steward, ending: Any) -> None:
    known = {"type": "urn:antifaz:problem:ragged-row", "title": "The data does not fit", "status": 422, "detail": "x"}

    def know(job_id: UUID) -> None:
        with steward.main.begin() as connection:
            datasets.mark_invalid(connection, steward.job(job_id).dataset_id, known)
        raise sources.KnownInvalid

    job = ending(know)
    assert (job.status, job.error) == ("failed", known)
    with pytest.raises(Shredded):
        sources.read_blob(steward.context, steward.tenant_id, steward.dataset(job.dataset_id).blob_id)


def test_an_invalid_dataset_without_a_known_problem_fails_for_a_reason_of_ours(ending: Any) -> None:
    job = ending(sources.KnownInvalid())
    assert (job.status, job.error) == ("failed", INTERNAL)


def test_a_job_of_a_deleted_dataset_takes_its_policy_along(steward: Steward, ending: Any) -> None:
    policies: list[UUID] = []

    def delete(job_id: UUID) -> None:
        policies.append(steward.store(b"{}"))
        update = "UPDATE jobs SET policy_blob_id = :blob WHERE id = :id RETURNING 1"
        steward.ask(update, blob=policies[0], id=job_id)
        with steward.main.begin() as connection:
            datasets.mark_deleted(connection, steward.job(job_id).dataset_id)
        raise Shredded("the key is gone")

    job = ending(delete)
    assert job.error is not None
    assert (job.status, job.error["rule"], job.error["status"]) == ("failed", "deleted", 410)
    with pytest.raises(Shredded):
        sources.read_blob(steward.context, steward.tenant_id, policies[0])
