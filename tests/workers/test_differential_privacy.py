"""Synthetic tables and graphs under differential privacy, from a stored dataset to a release, a charge, a refusal."""

import csv
import io
from threading import Timer
from typing import Any

import pytest

from antifaz.graphs.methods import noisy_degrees
from antifaz.tables.methods import synthetic
from antifaz.tables.synthetic import marginals
from storage.accounts import ledger
from storage.jobs import jobs
from tests.system.samples import patients
from tests.workers.conftest import Steward
from workers.pipeline import lineage

SYNTHETIC: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier"},
        "zip": {"role": "identifier"},
        "sex": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "differential_privacy", "epsilon": 2.0, "delta": 1e-9}],
    "method": {
        "name": "synthetic",
        "model": "dp_marginals",
        "bounds": {"age": [18, 90]},
        "values": {"sex": ["F", "M"], "disease": ["asthma", "cancer", "flu", "hepatitis", "none"]},
    },
    "report": {"utility": [], "attacks": []},
    "formats": ["csv"],
}
RANDOMIZED: dict[str, Any] = {
    **SYNTHETIC,
    "guarantees": [{"model": "local_differential_privacy", "epsilon": 2.0}],
    "method": {"name": "randomized_response", "values": {"disease": SYNTHETIC["method"]["values"]["disease"]}},
    "waivers": [{"rule": "no_guarantee", "reason": "the other columns are of invented people"}],
}


def rules(job: jobs.JobRecord) -> list[str]:
    assert job.status == "refused", job
    assert job.refusal is not None
    return [reason["rule"] for reason in job.refusal["reasons"]]


def other(**changes: Any) -> dict[str, Any]:
    """The same promise as another request."""
    return {**SYNTHETIC, "method": {**SYNTHETIC["method"], **changes}}


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_a_synthetic_table_is_released_by_its_mechanism_and_figures_are_not_private(
    steward: Steward, delta: float
) -> None:
    policy = {**SYNTHETIC, "guarantees": [{"model": "differential_privacy", "epsilon": 2.0, "delta": delta}]}
    policy = {name: part for name, part in policy.items() if name != "report"}
    job = steward.run(steward.upload(patients(400)), policy)
    assert job.status == "released", job
    (guarantee,) = steward.released(job).guarantees
    assert (guarantee["evidence"], guarantee["holds"]) == ("mechanism", True)
    assert guarantee["achieved"]["epsilon"] == pytest.approx(2.0, abs=1e-3)
    saved = steward.report(job)
    assert saved.private
    assert saved.content["mechanism"]["dp_marginals"]["measure"] == ("zcdp" if delta else "pure")
    assert {"copies", "unique_reappearing"} <= set(saved.content["method"])
    assert saved.content["utility"]
    assert "unmeasured" not in saved.content["risk"]
    assert "SYNTACTIC_NO_FORMAL_GUARANTEE" not in [warning["code"] for warning in saved.content["warnings"]]


def test_every_draw_is_charged_and_none_is_made_without_it(steward: Steward) -> None:
    dataset = steward.upload(patients(200))
    steward.grant(dataset, 6_000_000)
    first = steward.run(dataset, SYNTHETIC, charge=2_000_000)
    assert steward.report(first).content["budget"] == {"epsilon": 6.0, "charged": 2.0}
    assert steward.run(dataset, other(rows=50), charge=2_000_000).status == "released"
    assert rules(steward.run(dataset, other(rows=51))) == ["budget"]
    assert rules(steward.run(dataset, other(rows=52), charge=1_999_999)) == ["budget"]


def test_without_a_budget_noise_is_drawn_once(steward: Steward) -> None:
    dataset = steward.upload(patients(200))
    assert steward.run(dataset, SYNTHETIC).status == "released"
    assert rules(steward.run(dataset, other(rows=50))) == ["composition"]


@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_an_account_opened_after_a_worker_looked_for_one_and_before_it_draws_leaves_nothing_uncharged(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    """Opening it charges earlier draws, and this draw was not one: it must not be made. With a delay the
    account is not yet there when the worker is about to draw, and the worker waits for it."""
    dataset, opening = steward.upload(patients(200)), []

    def looked_up(*given: Any) -> Any:
        found = load_charge(*given)
        connection = steward.main.connect()
        assert ledger.hold_account(connection, steward.context.release_key, dataset.lineage_id) is None
        ledger.open_account(connection, steward.context.release_key, steward.tenant_id, dataset.lineage_id, 6_000_000)
        assert ledger.uncharged_draws(connection, dataset.lineage_id) == []
        opening.append(Timer(delay, lambda: (connection.commit(), connection.close())))
        opening[0].start()
        if delay == 0:
            opening[0].join()
        return found

    load_charge = lineage.load_charge
    monkeypatch.setattr(lineage, "load_charge", looked_up)
    job = steward.run(dataset, SYNTHETIC)
    opening[0].join()
    assert rules(job) == ["budget"]
    assert steward.ask("SELECT noise_at FROM jobs WHERE id = :id", id=job.id) is None
    with steward.main.connect() as connection:
        account = ledger.account_of(connection, steward.context.release_key, dataset.lineage_id)
        assert account is not None
        assert (account.spent, ledger.charge_of(connection, steward.context.release_key, job.id)) == (0, None)


@pytest.mark.parametrize("order", [1, -1])
def test_a_table_whose_records_are_protected_shows_no_column_as_it_is_by_another_mechanism(
    steward: Steward, order: int
) -> None:
    """Randomized response releases all columns except the sensitive ones unchanged."""
    dataset = steward.upload(patients(200))
    steward.grant(dataset, 8_000_000)
    first, second = [SYNTHETIC, RANDOMIZED][::order]
    assert steward.run(dataset, first, charge=2_000_000).status == "released"
    assert rules(steward.run(dataset, second, charge=2_000_000)) == ["composition"]


def test_people_with_many_records_count_with_a_stated_number_of_them(steward: Steward) -> None:
    """One person has 400 of 401 records, all of one disease: of these, one counts."""
    lines = ["name,age,zip,sex,disease", "Eve,40,08001,F,flu", *["Ada,41,08001,F,cancer"] * 400]
    policy = {**SYNTHETIC, "privacy_unit": "name"}
    job = steward.run(steward.upload("\n".join([*lines, ""]).encode()), policy)
    assert job.status == "released", job
    saved = steward.report(job).content
    assert saved["mechanism"]["dp_marginals"]["unit"] == "a person"
    # Both count once; the noise of the total has a deviation of about 30.
    assert saved["release"]["rows"] < 400


def test_cells_that_were_never_declared_are_no_reason_to_fail_and_never_shown(steward: Steward) -> None:
    rows = list(csv.reader(io.StringIO(patients(100).decode())))
    rows[1][1], rows[2][3], rows[3][4] = "canary", "canary", "canary"
    rows[4][1] = "999999999999"
    content = "\n".join(",".join(row) for row in [*rows, []]).encode()
    job = steward.run(steward.upload(content), {**SYNTHETIC, "method": {**SYNTHETIC["method"], "rows": 100}})
    assert job.status == "released", job
    assert "canary" not in str(steward.report(job).content)


def test_a_method_that_lies_about_its_scale_or_its_values_is_refused(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = synthetic.synthesize

    def wider(*given: Any) -> Any:
        columns, public = honest(*given)
        public["steps"].append({"kind": "count", "columns": ["age"], "scale": 9.0, "loss": "0"})
        return columns, public

    monkeypatch.setattr(synthetic, "synthesize", wider)
    assert rules(steward.run(steward.upload(patients(100)), SYNTHETIC)) == ["guarantee:differential_privacy"]

    def undeclared(*given: Any) -> Any:
        columns, public = honest(*given)
        shown = [column.labels.copy() for column in columns]
        shown[0][0] = "17"
        return [type(c)(**{**vars(c), "labels": labels}) for c, labels in zip(columns, shown, strict=True)], public

    monkeypatch.setattr(synthetic, "synthesize", undeclared)
    assert rules(steward.run(steward.upload(patients(100)), SYNTHETIC)) == ["guarantee:differential_privacy"]


def test_a_drawing_that_costs_more_than_is_left_is_never_made(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half the noise costs four times as much: the charge is that of the draw itself, not the requested one."""
    honest = marginals.counting_within
    monkeypatch.setattr(marginals, "counting_within", lambda measure, d, units: honest(measure, d, units * 4))
    dataset = steward.upload(patients(100))
    assert steward.run(dataset, SYNTHETIC).status == "failed"
    assert steward.releases_of(dataset) == []


# --- graphs ----------------------------------------------------------------------------------------------------------


def ring(n: int) -> bytes:
    return b"source,target\n" + b"".join(b"%d,%d\n" % (node, (node + 1) % n) for node in range(n))


def degrees(epsilon: float = 2.0, **more: Any) -> dict[str, Any]:
    guarantee = {"model": "edge_differential_privacy", "epsilon": epsilon}
    return {"kind": "graph", "guarantees": [guarantee], "method": {"name": "noisy_degrees"}, **more}


LOCAL = {
    **degrees(),
    "guarantees": [{"model": "edge_local_dp", "epsilon": 4.0, "density": {"declared": 0.1}}],
    "method": {"name": "edge_local_dp"},
    "report": {"utility": [], "attacks": []},
}


def test_a_new_graph_is_drawn_by_its_mechanism_and_charged(steward: Steward) -> None:
    dataset = steward.upload(ring(40), "graph")
    steward.grant(dataset, 6_000_000)
    job = steward.run(dataset, degrees(), charge=2_000_000)
    assert job.status == "released", job
    (guarantee,) = steward.released(job).guarantees
    assert (guarantee["evidence"], guarantee["holds"], guarantee["achieved"]["epsilon"]) == ("mechanism", True, 2.0)
    saved = steward.report(job)
    assert saved.private
    assert "unmeasured" not in saved.content["risk"]
    assert saved.content["mechanism"]["noisy_degrees"]["sensitivity"] == 2
    assert "NODES_FROM_EDGES" in [warning["code"] for warning in saved.content["warnings"]]
    assert steward.run(dataset, LOCAL, charge=4_000_000).status == "released"
    assert rules(steward.run(dataset, degrees(1.0))) == ["budget"]


def test_noise_on_degrees_is_drawn_once_without_a_budget(steward: Steward) -> None:
    dataset = steward.upload(ring(40), "graph")
    more = {"report": {"utility": [], "attacks": []}}
    assert steward.run(dataset, degrees(**more)).status == "released"
    assert rules(steward.run(dataset, degrees(1.0, **more))) == ["composition"]


def test_a_worker_that_draws_half_the_noise_is_refused(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = noisy_degrees.counting_within
    monkeypatch.setattr(noisy_degrees, "counting_within", lambda measure, d, units: honest(measure, d, units * 2))
    job = steward.run(steward.upload(ring(40), "graph"), degrees())
    assert rules(job) == ["guarantee:edge_differential_privacy"]
