"""Questions in a worker: charged, answered once, and nothing of the data is disclosed without noise."""

import json
import logging
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from storage.accounts import ledger
from storage.blobs.keyring import shred
from storage.datasets import datasets, declarations
from storage.jobs import answers, jobs
from storage.jobs.protocol import FAST
from tests.workers.conftest import Steward
from workers.process.tasks import run_job
from workers.run import sources
from workers.tasks import questions

CANARY = 987_654_321
TABLE = "age,city\n" + "".join(f"{20 + n % 50},Vic\n" for n in range(400)) + f"{CANARY},cnry_a1b2c3\nnone,Vic\n"
DECLARED = {
    "columns": {"age": {"type": "integer", "bounds": [0, 100]}, "city": {"type": "text"}},
    "budget": {"epsilon": 10},
    "delta": 1e-6,
}


def declare(steward: Steward, content: str = TABLE) -> datasets.DatasetRecord:
    record = steward.upload(content.encode())
    steward.grant(record, 10_000_000)
    with steward.main.begin() as connection:
        declarations.add_declarations(
            connection, steward.context.release_key, steward.tenant_id, record.lineage_id, DECLARED, uuid4()
        )
    return record


def ask(steward: Steward, record: datasets.DatasetRecord, charge: int | None = 1_000_000, **more: Any) -> Any:
    """A question from its charge to its answer; the job and the answer, if there is one."""
    asked = {"question": {"select": [{"count": {}}], "epsilon": 1} | more, "declarations": 1}
    draft = jobs.JobDraft(steward.tenant_id, record.id, task="query", policy=asked, queue=FAST)
    with steward.main.begin() as connection:
        job_id = jobs.submit(connection, jobs.bind(steward.context.release_key, draft)).id
        if charge is not None:
            assert ledger.spend(connection, steward.context.release_key, record.lineage_id, charge, 10**9)
            ledger.enter(
                connection, steward.context.release_key, record.lineage_id, job_id, ledger.Price(charge, 10**9)
            )
    run_job(steward.context, job_id)
    with steward.main.connect() as connection:
        found = answers.get_answer(connection, steward.context.release_key, steward.tenant_id, job_id)
    return steward.job(job_id), found


def test_the_first_question_seals_the_columns_and_the_next_does_not_read_the_original(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = declare(steward)
    job, found = ask(steward, record)
    assert job.status == "done"
    assert abs(found[0]["cells"][0]["value"] - 402) <= 40
    assert sealed(steward, record) == [(1, 5)]
    monkeypatch.delattr(sources, "read_dataset")
    job, found = ask(steward, record, select=[{"sum": "age"}], epsilon=1)
    assert job.status == "done"
    # 400 ages of 20 to 69, and one at its bound; the noise has a scale of 100.
    assert abs(found[0]["cells"][0]["value"] - (400 * 44.5 + 100)) <= 4_000
    assert [event.action for event in steward.events()].count("query.answer") == 2


def test_what_is_declared_is_sealed_before_anybody_asks(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    record = declare(steward)
    job_id = steward.submit(record, {"declarations": 1}, task="project")
    run_job(steward.context, job_id)
    assert (steward.job(job_id).status, sealed(steward, record)) == ("done", [(1, 5)])
    monkeypatch.delattr(sources, "read_dataset")
    assert ask(steward, record)[0].status == "done"


def sealed(steward: Steward, record: datasets.DatasetRecord) -> list[tuple[int, int]]:
    """The version of the declarations whose columns are sealed, and how many parts there are."""
    counted = "SELECT version, count(*) FROM projections WHERE dataset_id = :id GROUP BY version"
    with steward.main.connect() as connection:
        return [tuple(row) for row in connection.execute(text(counted), {"id": record.id})]


@pytest.mark.parametrize("error", [MemoryError, OverflowError, ValueError])
def test_a_question_that_fails_says_nothing_of_why(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: type[Exception]
) -> None:
    """Memory may run out for many keys and not for few: the reason would be an answer without a charge."""

    def fail(*given: Any) -> Any:
        raise error(f"cnry_a1b2c3 {CANARY}")

    record = declare(steward)
    monkeypatch.setattr(questions, "answer", fail)
    job, found = ask(steward, record)
    assert (job.status, found) == ("failed", None)
    assert job.error is not None
    assert (job.error["rule"], job.error["status"]) == ("internal", 500)
    assert "cnry" not in caplog.text + json.dumps(job.error)


class Clock:
    """A clock that moves only for work on data and for waiting."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(("takes", "until"), [((0.083, 0.011), 0.1), ((0.1001, 0.1999), 0.2)])
def test_whether_a_question_is_answered_or_fails_its_time_is_that_of_a_neighboring_table(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, takes: tuple[float, float], until: float, fails: bool
) -> None:
    """An extreme value that takes 83 milliseconds instead of 11 changes nothing that anyone can see: everything that
    is written down of a question's end is written at the same multiple of the pace."""
    clock, ends = Clock(), []
    monkeypatch.setattr(questions, "time", clock)
    finish = jobs.finish

    def noted(*given: Any, **more: Any) -> Any:
        ends.append(round(clock.now - 1000.0, 6))
        return finish(*given, **more)

    def slow(table: Any, *given: Any) -> Any:
        clock.now += takes[0 if 100 in table.cells["age"].tolist() else 1]
        if fails:
            raise MemoryError
        return found(table, *given)

    found = questions.answer
    monkeypatch.setattr(jobs, "finish", noted)
    monkeypatch.setattr(questions, "answer", slow)
    neighbors = [declare(steward, content) for content in (TABLE, TABLE.replace(f"{CANARY},cnry_a1b2c3\n", ""))]
    for record in neighbors:
        clock.now = 1000.0
        assert ask(steward, record, epsilon=1)[0].status == ("failed" if fails else "done")
    assert ends == [until, until]


def test_a_question_that_was_not_charged_enough_is_not_answered(steward: Steward) -> None:
    record = declare(steward)
    for charge in (None, 999_999):
        job, found = ask(steward, record, charge)
        assert (job.status, found) == ("failed", None)
        assert steward.ask("SELECT noise_at FROM jobs WHERE id = :id", id=job.id) is None


def test_of_a_deleted_dataset_nothing_is_answered_from_its_columns(steward: Steward) -> None:
    record = declare(steward)
    assert ask(steward, record)[0].status == "done"
    with steward.keyring.begin() as keys:
        shred(keys, [record.blob_id])
    job, found = ask(steward, record, epsilon=1, where=[])
    assert (job.status, found) == ("failed", None)


def test_no_answer_and_no_log_line_holds_a_value_of_the_table(
    steward: Steward, caplog: pytest.LogCaptureFixture
) -> None:
    record = declare(steward)
    select = [{"sum": "age"}, {"mean": "age"}, {"variance": "age"}, {"quantile": {"column": "age", "at": 0.99}}]
    with caplog.at_level(logging.DEBUG):
        whole = ask(steward, record, select=select)
        grouped = ask(steward, record, group_by=["city"], keys="threshold", delta=1e-13)
    assert [cell["group"] for cell in grouped[1][0]["cells"]] == [{"city": "Vic"}]
    said = json.dumps([whole[1], grouped[1], whole[0].error, grouped[0].error]) + caplog.text
    assert str(CANARY) not in said
    assert "cnry" not in said
    # A value beyond its bounds counts as the bound: the sum stays below what the bounds allow.
    assert whole[1][0]["cells"][0]["value"] < 402 * 100 + 40 * 400
