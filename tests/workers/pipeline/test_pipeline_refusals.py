"""Refusals of the pipeline, and its last transaction: all of a release or nothing."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import Engine, text

import verifier
from antifaz.assessment import Assessment
from antifaz.errors import Reason
from antifaz.kinds.kind import Dataset, Protected
from antifaz.policy.parse import parse_policy
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.table import ProtectedTable, Role
from storage.jobs import jobs
from storage.releases import releases
from tests.system.samples import patients
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED, ROWS, assert_refused, at, policy_for
from workers.pipeline import pipeline, sealing
from workers.process.tasks import run_job
from workers.run.report import Outcome


def test_what_no_release_can_satisfy_is_refused_before_anything_is_sealed(steward: Steward) -> None:
    content = b"name,age,zip,sex,disease\n" + b"".join(b"P%d,30,01001,F,flu\n" % n for n in range(10))
    job = steward.run(steward.upload(content), policy_for(3, 2))
    assert job.refusal is not None
    assert_refused(steward, job, [reason["rule"] for reason in job.refusal["reasons"]])
    assert job.stage in ("check", "protect")
    assert "seal" not in steward.report(job).content["timing"]


def test_what_the_method_cannot_do_is_refused_with_what_it_can(steward: Steward) -> None:
    content = "town,disease\n" + "Vic,flu\n" * 3 + "Olot,cold\n" * 2
    policy = {
        "kind": "table",
        "attributes": {"town": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "suppress"},
        **PUBLISHED,
    }
    job = steward.run(steward.upload(content.encode()), policy)
    assert_refused(steward, job, ["max_suppressed"])
    assert job.stage == "protect"
    assert job.refusal is not None
    assert job.refusal["nearest"] == {"k": 3.0}
    assert job.refusal["reasons"][0]["detail"] == "no record would be left"


def test_a_release_that_the_gate_does_not_pass_is_refused_and_its_files_are_deleted(steward: Steward) -> None:
    job = steward.run(steward.upload(patients(ROWS)), policy_for(3, gate={"max_prosecutor_risk": 0.01}))
    assert_refused(steward, job, ["max_prosecutor_risk"])
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    saved = steward.report(job)
    assert (reason["limit"], reason["measured"]) == (0.01, saved.content["risk"]["after"]["prosecutor"]["max"])
    assert saved.content["guarantees"][0]["holds"] is True
    assert job.refusal["nearest"]["max_prosecutor_risk"] == reason["measured"]
    assert steward.ask("SELECT count(*) FROM blobs WHERE tenant_id = :tenant AND purpose = 'release'") == 0
    assert job.stage == "measure"


def test_a_method_that_lies_is_refused_by_what_the_verifier_read(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Mondrian.apply

    def lying(*given: Any) -> ProtectedTable:
        table = honest(*given)
        columns = tuple(
            replace(column, codes=np.zeros_like(column.codes)) if column.role is Role.SENSITIVE else column
            for column in table.columns
        )
        return replace(table, columns=columns)

    monkeypatch.setattr(Mondrian, "apply", lying)
    job = steward.run(steward.upload(patients(ROWS)), policy_for(3, 2, formats=["csv"]))
    assert_refused(steward, job, ["guarantee:l_diversity"])
    assert job.refusal == {"reasons": [{"rule": "guarantee:l_diversity", "detail": "a class is not diverse enough"}]}
    saved = steward.report(job)
    assert [(g["model"], g["holds"]) for g in saved.content["guarantees"]] == [
        ("k_anonymity", True), ("l_diversity", False),
    ]  # fmt: skip
    assert saved.achieved_k == saved.content["guarantees"][0]["achieved"]["k"]


def test_a_form_that_the_policy_does_not_allow_is_refused(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Mondrian.apply

    def leaking(*given: Any) -> ProtectedTable:
        table = honest(*given)
        extra = replace(table.columns[-1], name="name")
        return replace(table, columns=(*table.columns, extra))

    monkeypatch.setattr(Mondrian, "apply", leaking)
    job = steward.run(steward.upload(patients(ROWS)), policy_for(3, formats=["csv"]))
    assert_refused(steward, job, ["release_form"])
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"] == "csv table: the identifier column 'name' is present"


def test_bytes_that_change_in_the_store_are_never_published(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    def exchange() -> None:
        mine = "SELECT id FROM blobs WHERE tenant_id = :tenant AND purpose = 'release'"
        changed = "UPDATE release_chunks SET content = set_byte(content, 3, get_byte(content, 3) # 1)"
        steward.ask(f"{changed} WHERE blob_id IN ({mine}) RETURNING 1")

    monkeypatch.setattr(pipeline, "reach", at("sealed", exchange))
    dataset = steward.upload(patients(ROWS))
    job = steward.run(dataset, policy_for(3, formats=["csv"]))
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["rule"] == "storage"
    assert steward.releases_of(dataset) == []


def test_the_store_must_give_back_what_was_rendered(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the bytes authenticate: another artifact in place of this one is detected by its digest."""
    honest = sealing.seal

    def exchanged(*given: Any) -> Any:
        first, second = honest(*given)
        yield replace(first, blob_id=second.blob_id)
        yield replace(second, blob_id=first.blob_id)

    monkeypatch.setattr(sealing, "seal", exchanged)
    dataset = steward.upload(patients(ROWS))
    job = steward.run(dataset, policy_for(3, formats=["csv", "jsonl"]))
    assert job.status == "failed"
    assert job.error is not None
    assert (job.error["rule"], job.error["title"]) == ("storage", "Stored data is damaged")
    assert steward.releases_of(dataset) == []


# --- the last transaction --------------------------------------------------------------------------------------------


def assert_nothing_written(steward: Steward, job_id: UUID) -> None:
    assert steward.ask("SELECT count(*) FROM releases WHERE job_id = :id", id=job_id) == 0
    assert steward.ask("SELECT count(*) FROM reports WHERE job_id = :id", id=job_id) == 0
    assert [event.action for event in steward.events() if event.action != "job.fail"] == []


@pytest.mark.parametrize("gate", [{}, {"max_prosecutor_risk": 0.01}], ids=["release", "refusal"])
def test_a_worker_whose_job_went_to_another_writes_nothing(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, gate: dict[str, float]
) -> None:
    job_id = steward.submit(steward.upload(patients(ROWS)), policy_for(3, gate=gate))
    honest = pipeline.build_report

    def late(*given: Any, **more: Any) -> Any:
        steward.ask("UPDATE jobs SET fence = fence + 1 WHERE id = :id RETURNING 1", id=job_id)
        return honest(*given, **more)

    monkeypatch.setattr(pipeline, "build_report", late)
    run_job(steward.context, job_id)
    job = steward.job(job_id)
    assert (job.status, job.release_id, job.refusal, job.finished_at) == ("verifying", None, None, None)
    assert_nothing_written(steward, job_id)


def test_a_job_that_is_cancelled_at_the_last_moment_is_not_published(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = steward.submit(steward.upload(patients(ROWS)), policy_for(3))
    honest = pipeline.build_report

    def late(*given: Any, **more: Any) -> Any:
        with steward.main.begin() as connection:
            jobs.request_cancel(connection, steward.tenant_id, job_id)
        return honest(*given, **more)

    monkeypatch.setattr(pipeline, "build_report", late)
    run_job(steward.context, job_id)
    assert steward.job(job_id).release_id is None
    assert_nothing_written(steward, job_id)


def test_an_error_in_the_last_transaction_undoes_all_of_it(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("the power fails")

    monkeypatch.setattr(pipeline, "reach", at("publishing", fail))
    dataset = steward.upload(patients(ROWS))
    job = steward.run(dataset, policy_for(3))
    assert (job.status, job.release_id) == ("failed", None)
    assert_nothing_written(steward, job.id)
    assert (
        steward.ask("SELECT count(*) FROM artifacts a JOIN blobs b ON b.id = a.blob_id WHERE b.tenant_id = :tenant")
        == 0
    )


def test_every_place_where_a_fault_can_strike_is_reached_in_its_order(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    for module in (pipeline, sealing):
        monkeypatch.setattr(module, "reach", seen.append)
    steward.run(steward.upload(patients(ROWS)), policy_for(3, formats=["csv"]))
    assert list(dict.fromkeys(seen)) == [
        "decrypted", "charged", "protected", "sealing", "sealed", "verified", "ending", "publishing", "published",
    ]  # fmt: skip


def test_other_releases_of_the_lineage_wait_for_the_last_transaction(
    steward: Steward, owner: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one release is being published, the lock of its lineage is held."""
    free: list[bool] = []
    dataset = steward.upload(patients(ROWS))

    def look() -> None:
        with owner[0].begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = '50ms'"))
            releases.lock_lineage(connection, uuid4())
            try:
                releases.lock_lineage(connection, dataset.lineage_id)
            except Exception as error:  # noqa: BLE001 - any refusal of the lock counts
                free.append("lock timeout" not in str(error))
                connection.rollback()
            else:
                free.append(True)

    monkeypatch.setattr(pipeline, "reach", at("publishing", look))
    assert steward.run(dataset, policy_for(3)).status == "released"
    assert free == [False]
    look()
    assert free == [False, True]


# --- judging ---------------------------------------------------------------------------------------------------------


def outcome(steward: Steward, policy: dict[str, Any]) -> Outcome:
    dataset = steward.upload(b"age\n1\n")
    job_id = steward.submit(dataset, policy)
    return Outcome(steward.job(job_id), dataset, parse_policy(policy), {}, Dataset((), 0))


def test_a_guarantee_that_fails_without_a_word_is_a_reason_all_the_same(steward: Steward) -> None:
    judged = outcome(steward, policy_for(3))
    judged.verdict = verifier.Verdict((verifier.Finding("k_anonymity", {"k": 3}, {}, False, "bytes", "anybody"),))
    judged.protected, judged.assessment = Protected({}), Assessment()
    assert pipeline._reasons(judged, judged.policy) == [
        Reason("guarantee:k_anonymity", detail="does not hold in the release")
    ]
    judged.verdict = verifier.Verdict((), ("csv table: no rows",))
    assert pipeline._reasons(judged, judged.policy) == [Reason("release_form", detail="csv table: no rows")]
    judged.verdict = verifier.Verdict(())
    assert pipeline._reasons(judged, judged.policy) == []
    found = verifier.Finding("joint_releases", {"k": 3}, {"k": 1}, False, "bytes", "anybody", "together")
    judged.joint = [found, replace(found, required={"t": 0.2}, achieved={"t": 0.5}), replace(found, achieved={})]
    waived = "waive composition with a reason"
    cut = (
        "release fewer of the quasi-identifiers that are cut differently here (age, zip, sex), or cut them as that "
        "release does"
    )
    assert pipeline._reasons(judged, judged.policy) == [
        Reason("composition", 3, 1, f"together. Possible now: {cut}; or {waived}"),
        Reason("composition", 0.2, 0.5, f"together. Possible now: {cut}; or {waived}"),
        Reason("composition", 3, None, f"together. Possible now: {waived}"),
    ]
    judged.joint = [replace(found, holds=True)]
    assert pipeline._reasons(judged, judged.policy) == []


def test_nothing_is_judged_before_it_was_verified_and_measured(steward: Steward) -> None:
    judged = outcome(steward, policy_for(3))
    known = {"verdict": verifier.Verdict(()), "protected": Protected({}), "assessment": Assessment()}
    for missing in known:
        lacking = replace(judged, **{name: value for name, value in known.items() if name != missing})
        with pytest.raises(RuntimeError, match=r"^a release is judged only after it was verified and measured$"):
            pipeline._reasons(lacking, judged.policy)
    assert pipeline._reasons(replace(judged, **known), judged.policy) == []
