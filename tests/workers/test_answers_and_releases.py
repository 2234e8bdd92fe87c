"""Answers and releases of one lineage are one history: each counts when the other is decided."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from storage.accounts import ledger
from storage.datasets import declarations
from storage.datasets.datasets import DatasetRecord
from storage.jobs import jobs
from storage.jobs.protocol import FAST
from storage.releases import releases
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED, at
from workers.pipeline import pipeline
from workers.process.tasks import run_job

TABLE = ("age,city,disease\n" + "".join(f"{20 + n % 4},Vic,{'flu' if n % 2 else 'cold'}\n" for n in range(40))).encode()
DECLARED = {"columns": {"age": {"type": "integer", "bounds": [0, 120]}}, "budget": {"epsilon": 5}, "delta": 0.0}
SHOWN = {"role": "quasi_identifier"}
K2: dict[str, Any] = {
    "kind": "table",
    "attributes": {"age": SHOWN, "city": SHOWN, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
    **PUBLISHED,
}
WAIVED = {**K2, "waivers": [{"rule": "composition", "reason": "the answers were for us alone"}]}
BESIDE = "questions about this lineage, or releases with differential privacy, were charged to its account"


def declared(steward: Steward) -> DatasetRecord:
    record = steward.upload(TABLE)
    with steward.main.begin() as c:
        keys = steward.context.release_key
        ledger.open_account(c, keys, steward.tenant_id, record.lineage_id, 5_000_000, "pure", 0)
        declarations.add_declarations(c, keys, steward.tenant_id, record.lineage_id, DECLARED, uuid4())
    return record


def charge(steward: Steward, record: DatasetRecord) -> Any:
    """A charged question, not answered yet."""
    asked = {"question": {"select": [{"count": {}}], "epsilon": 1}, "declarations": 1}
    draft = jobs.JobDraft(steward.tenant_id, record.id, task="query", policy=asked, queue=FAST)
    keys = steward.context.release_key
    with steward.main.begin() as c:
        job_id = jobs.submit(c, jobs.bind(keys, draft)).id
        releases.lock_lineage(c, record.lineage_id)
        assert ledger.spend(c, keys, record.lineage_id, 1_000_000)
        ledger.enter(c, keys, record.lineage_id, job_id, ledger.Price(1_000_000))
    return job_id


def assert_beside_answers(steward: Steward, job: jobs.JobRecord) -> None:
    assert job.status == "refused", job
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    assert reason["rule"] == "composition"
    assert reason["detail"].startswith(BESIDE)


@pytest.mark.parametrize("answered", [True, False])
def test_after_an_answer_no_other_release_is_published_without_the_waiver(steward: Steward, answered: bool) -> None:
    """A charge is enough: its answer may come at any time."""
    record = declared(steward)
    job_id = charge(steward, record)
    if answered:
        run_job(steward.context, job_id)
        assert steward.job(job_id).status == "done"
    assert_beside_answers(steward, steward.run(record, K2))
    waived = steward.run(record, WAIVED)
    assert waived.status == "released", waived
    assert steward.report(waived).content["waivers"][0]["reason"] == "the answers were for us alone"


@pytest.mark.parametrize("restored", [True, False])
def test_an_account_from_before_an_answer_publishes_nothing(steward: Steward, restored: bool) -> None:
    """Whoever writes to the database puts the account back, with its code, or removes it: the charge stays."""
    record = declared(steward)
    with steward.main.connect() as c:
        before = c.execute(text("SELECT spent, mac FROM budgets WHERE lineage_id = :id"), {"id": record.lineage_id})
        spent, mac = before.one()
    run_job(steward.context, charge(steward, record))
    put_back = "UPDATE budgets SET spent = :spent, mac = :mac WHERE lineage_id = :id"
    with steward.main.begin() as c:
        c.execute(text("SET LOCAL session_replication_role = replica"))
        change = put_back if restored else "DELETE FROM budgets WHERE lineage_id = :id"
        c.execute(text(change), {"id": record.lineage_id} | ({"spent": spent, "mac": mac} if restored else {}))
    job = steward.run(record, K2)
    assert (job.status, job.release_id) == ("failed", None)


def test_a_declaration_without_a_question_does_not_stop_a_release(steward: Steward) -> None:
    assert steward.run(declared(steward), K2).status == "released"


def test_answers_about_another_version_count_too(steward: Steward) -> None:
    record = declared(steward)
    charge(steward, record)
    newer = steward.upload(TABLE + b"30,Olot,flu\n", supersedes=record.id)
    assert_beside_answers(steward, steward.run(newer, K2))


def test_a_trial_after_an_answer_is_refused_like_the_release(steward: Steward) -> None:
    record = declared(steward)
    charge(steward, record)
    job_id = steward.submit(record, K2, task="trial")
    run_job(steward.context, job_id)
    assert_beside_answers(steward, steward.job(job_id))


def test_a_question_charged_between_check_and_publication_is_noticed(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = declared(steward)
    monkeypatch.setattr(pipeline, "reach", at("ending", lambda: charge(steward, record)))
    job_id = steward.submit(record, K2)
    run_job(steward.context, job_id)
    assert steward.job(job_id).status == "queued"
    assert steward.releases_of(record) == []
    run_job(steward.context, job_id)
    assert_beside_answers(steward, steward.job(job_id))


RANDOMIZED: dict[str, Any] = {
    "kind": "table",
    "attributes": {"age": {"role": "insensitive"}, "city": {"role": "identifier"}, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "local_differential_privacy", "epsilon": 1.0}],
    "method": {"name": "randomized_response", "values": {"disease": ["cold", "flu"]}},
    **PUBLISHED,
}


def test_after_an_answer_no_mechanism_publishes_the_rest_of_a_record(steward: Steward) -> None:
    """Answers about ages cost a loss, which ages released unchanged would make meaningless."""
    record = declared(steward)
    charge(steward, record)
    assert_beside_answers(steward, steward.run(record, RANDOMIZED, charge=1_000_000))
    waived = {**RANDOMIZED, "waivers": WAIVED["waivers"]}
    assert steward.run(record, waived, charge=1_000_000).status == "released"


def test_randomized_values_may_be_released_again_while_there_is_no_answer(steward: Steward) -> None:
    record = declared(steward)
    assert steward.run(record, RANDOMIZED, charge=1_000_000).status == "released"
    again = {**RANDOMIZED, "formats": ["csv"]}
    assert steward.run(record, again, charge=1_000_000).status == "released"


def test_a_refusal_does_not_advise_a_trial_which_the_same_rule_refuses(steward: Steward) -> None:
    record = steward.upload(TABLE)
    assert steward.run(record, RANDOMIZED).status == "released"
    job = steward.run(record, K2)
    assert (job.status, job.refusal is not None) == ("refused", True)
    assert "trial" not in str(job.refusal)
