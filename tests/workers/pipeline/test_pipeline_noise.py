"""Releases that draw noise: charges, draws that count, and further releases of the same lineage."""

from typing import Any

import pytest

from antifaz.errors import Cancelled
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.kinds.graph import GraphKind
from antifaz.kinds.table import TableKind
from storage.jobs import jobs
from tests.system.samples import graph_policy, patients
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED, ROWS, policy_for, rows_of
from workers.pipeline import pipeline, sealing

RANDOMIZED: dict[str, Any] = {
    "kind": "table",
    "attributes": {"sex": {"role": "insensitive"}, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "local_differential_privacy", "epsilon": 2.0}],
    "method": {"name": "randomized_response", "values": {"disease": ["asthma", "cancer", "flu", "hepatitis"]}},
    **PUBLISHED,
}


def diseases() -> bytes:
    rows = rows_of(patients(ROWS))
    return ("sex,disease\n" + "".join(f"{row['sex']},{row['disease']}\n" for row in rows)).encode()


def test_a_job_that_was_charged_says_what_and_one_without_a_budget_that_none_is_kept(steward: Steward) -> None:
    dataset = steward.upload(diseases())
    steward.grant(dataset, 3_000_000)
    report = steward.report(steward.run(dataset, RANDOMIZED, charge=2_000_000)).content
    assert report["budget"] == {"epsilon": 3.0, "charged": 2.0}
    assert "NO_BUDGET" not in [warning["code"] for warning in report["warnings"]]
    report = steward.report(steward.run(steward.upload(diseases()), RANDOMIZED)).content
    assert "budget" not in report
    assert "NO_BUDGET" in [warning["code"] for warning in report["warnings"]]


@pytest.mark.parametrize("charge", [None, 1_999_999])
def test_a_job_that_was_not_charged_in_full_draws_no_noise(steward: Steward, charge: int | None) -> None:
    dataset = steward.upload(diseases())
    steward.grant(dataset, 3_000_000)
    job = steward.run(dataset, RANDOMIZED, charge)
    assert job.status == "refused"
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["rule"] == "budget"
    assert steward.releases_of(dataset) == []


def test_a_randomized_column_is_released_with_the_chances_that_the_verifier_saw(steward: Steward) -> None:
    job = steward.run(steward.upload(diseases()), RANDOMIZED)
    assert job.status == "released", job
    (guarantee,) = steward.released(job).guarantees
    assert (guarantee["model"], guarantee["evidence"], guarantee["holds"]) == (
        "local_differential_privacy", "mechanism", True,
    )  # fmt: skip
    saved = steward.report(job)
    assert saved.private
    assert (saved.achieved_k, saved.risk) == (None, None)
    assert "disease" in saved.content["mechanism"]["randomized_response"]
    assert "SYNTACTIC_NO_FORMAL_GUARANTEE" not in [warning["code"] for warning in saved.content["warnings"]]


def ring(n: int) -> bytes:
    return b"source,target\n" + b"".join(b"%d,%d\n" % (node, (node + 1) % n) for node in range(n))


def noisy_edges(epsilon: float = 3.0, density: Any = None, **more: Any) -> dict[str, Any]:
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": density or {"declared": 0.1}}
    return {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}, **PUBLISHED, **more}


@pytest.mark.parametrize("density", [{"declared": 0.1}, {"noisy": {"share": 0.2}}])
def test_a_graph_whose_edges_can_be_denied_is_released_by_its_mechanism(steward: Steward, density: Any) -> None:
    job = steward.run(steward.upload(ring(30), "graph"), noisy_edges(density=density))
    assert job.status == "released", job
    (guarantee,) = steward.released(job).guarantees
    assert (guarantee["evidence"], guarantee["holds"], guarantee["achieved"]["epsilon"]) == ("mechanism", True, 3.0)
    saved = steward.report(job)
    assert saved.private
    told = saved.content["mechanism"]["edge_local_dp"]
    assert told["density_source"] in density
    assert {"p01", "p10", "p11", "unit", "public", "not_protected"} <= set(told)
    assert "NODES_FROM_EDGES" in [warning["code"] for warning in saved.content["warnings"]]


def test_a_graph_with_a_list_of_its_nodes_gives_nothing_away_by_it(steward: Steward) -> None:
    nodes = b"id\n" + b"".join(b"%d\n" % node for node in range(40))
    dialect = {"format": "csv", "delimiter": ",", "encoding": "utf-8"}
    details = {"directed": False, "strict": False, "header": True, "nodes": dialect}
    dataset = steward.upload(ring(30), "graph", details=details, nodes_blob_id=steward.store(nodes))
    job = steward.run(dataset, noisy_edges())
    assert job.status == "released", job
    assert steward.released(job).shape["nodes"] == 40
    assert "NODES_FROM_EDGES" not in [warning["code"] for warning in steward.report(job).content["warnings"]]


def test_a_noisy_density_at_which_nothing_survives_is_a_refusal_whose_charge_stays(steward: Steward) -> None:
    dataset = steward.upload(ring(3_000), "graph")
    steward.grant(dataset, 2_000_000)
    job = steward.run(dataset, noisy_edges(1.0, {"noisy": 0.5}), charge=1_000_000)
    assert job.status == "refused"
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["rule"] == "least_survival"
    assert job.refusal["nearest"]["epsilon"] > 1
    assert steward.ask("SELECT sum(units) FROM charges WHERE lineage_id = :id", id=dataset.lineage_id) == 1_000_000


def test_noise_that_leaves_most_nodes_as_they_are_releases_nothing(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a declared density nothing is drawn; if it was counted with noise, the charge stays."""
    drawn: list[str] = []
    honest = EdgeLocalNoise.apply
    monkeypatch.setattr(EdgeLocalNoise, "apply", lambda *given: drawn.append("noise") or honest(*given))
    dataset = steward.upload(ring(60), "graph")
    steward.grant(dataset, 30_000_000)
    declared = noisy_edges(10.0, {"declared": 0.07})
    for policy, draws in ((declared, 0), (noisy_edges(10.0, {"noisy": 1.0}), 1)):
        job = steward.run(dataset, policy, charge=10_000_000)
        assert job.refusal is not None, job
        assert [reason["rule"] for reason in job.refusal["reasons"]] == ["naive"]
        assert (len(drawn), steward.releases_of(dataset)) == (draws, [])
    assert steward.ask("SELECT sum(units) FROM charges WHERE lineage_id = :id", id=dataset.lineage_id) == 20_000_000
    waived = declared | {"waivers": [{"rule": "naive", "reason": "it is public"}]}
    assert steward.run(dataset, waived, charge=10_000_000).status == "released"


def test_releases_that_are_all_charged_to_one_budget_need_no_waiver(steward: Steward) -> None:
    dataset = steward.upload(ring(30), "graph")
    steward.grant(dataset, 9_000_000)
    for epsilon in (3.0, 3.5):
        job = steward.run(dataset, noisy_edges(epsilon), charge=int(epsilon * 1_000_000))
        assert job.status == "released", job
    uncharged = steward.upload(ring(30), "graph")
    assert steward.run(uncharged, noisy_edges()).status == "released"
    assert steward.run(uncharged, noisy_edges(3.5)).status == "refused"


def test_a_release_that_no_ledger_knows_of_still_needs_the_waiver(steward: Steward) -> None:
    dataset = steward.upload(ring(30), "graph")
    steward.grant(dataset, 9_000_000)
    assert steward.run(dataset, graph_policy(2, **PUBLISHED)).status == "released"
    job = steward.run(dataset, noisy_edges(), charge=3_000_000)
    assert job.status == "refused"
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["rule"] == "composition"


def failing(*given: Any) -> Any:
    raise ValueError("cannot cope with this release")


WAIVED = [{"rule": "composition", "reason": "the lineage was public before"}]
PLAIN: dict[str, Any] = {
    "kind": "table",
    "attributes": {"sex": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
    **PUBLISHED,
}


NOT_CHARGED = "all releases of a lineage with differential privacy must be charged to one budget"
BESIDE_ANSWERS = "questions about this lineage, or releases with differential privacy, were charged to its account"
DRAWN = "noise was already drawn for this lineage, and it has no budget"


def assert_not_composable(job: jobs.JobRecord, *details: str) -> None:
    """Refused by composition, for one of these reasons and not for another that happens to have the same name."""
    assert job.status == "refused", job
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == ["composition"]
    assert job.refusal["reasons"][0]["detail"].startswith(details)


def again(policy: dict[str, Any], number: int) -> dict[str, Any]:
    """The same promise as another request."""
    return {**policy, "formats": ["csv"] if number % 2 else ["jsonl"]}


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_without_a_budget_noise_is_drawn_once_and_does_not_average_out(steward: Steward, kind: str) -> None:
    policy = RANDOMIZED if kind == "table" else noisy_edges()
    dataset = steward.upload(diseases() if kind == "table" else ring(30), kind)
    newer = steward.upload(diseases() if kind == "table" else ring(30), kind, supersedes=dataset.id)
    assert steward.run(dataset, policy).status == "released"
    for version in (dataset, newer):
        assert_not_composable(steward.run(version, policy), NOT_CHARGED, DRAWN)
        assert steward.run(version, {**policy, "waivers": WAIVED}).status == "released"
    assert len(steward.releases_of(dataset)) == 3


def test_with_a_budget_every_noisy_table_is_charged_and_needs_no_waiver(steward: Steward) -> None:
    dataset = steward.upload(diseases())
    steward.grant(dataset, 6_000_000)
    for number in range(3):
        job = steward.run(dataset, again(RANDOMIZED, number), charge=2_000_000)
        assert job.status == "released", job
        assert [g["model"] for g in steward.released(job).guarantees] == ["local_differential_privacy"]
    assert steward.run(dataset, again(RANDOMIZED, 3)).refusal["reasons"][0]["rule"] == "budget"  # type: ignore[index]


@pytest.mark.parametrize("budget", [True, False])
@pytest.mark.parametrize("order", ["noise first", "noise second"])
def test_a_lineage_with_differential_privacy_releases_nothing_else_without_the_waiver(
    steward: Steward, order: str, budget: bool
) -> None:
    """Both orders, for the reason that this promise is about: releases of these tables can also not be joined."""
    dataset = steward.upload(diseases())
    if budget:
        steward.grant(dataset, 4_000_000)
    given = [(RANDOMIZED, 2_000_000 if budget else None), (PLAIN, None)]
    (first, paid), (second, costs) = given if order == "noise first" else given[::-1]
    assert steward.run(dataset, first, paid).status == "released"
    why = BESIDE_ANSWERS if budget and order == "noise first" else NOT_CHARGED
    assert_not_composable(steward.run(dataset, second, costs), why)
    newer = steward.upload(diseases(), supersedes=dataset.id)
    assert steward.run(newer, {**second, "waivers": WAIVED}, costs).status == "released"


def test_no_charged_release_shows_as_it_is_what_another_randomizes(steward: Steward) -> None:
    dataset = steward.upload(diseases())
    steward.grant(dataset, 8_000_000)
    assert steward.run(dataset, RANDOMIZED, charge=2_000_000).status == "released"
    other = {
        **RANDOMIZED,
        "attributes": {"sex": {"role": "sensitive"}, "disease": {"role": "insensitive"}},
        "method": {"name": "randomized_response", "values": {"sex": ["F", "M"]}},
    }
    assert_not_composable(steward.run(dataset, other, charge=2_000_000), NOT_CHARGED)
    hidden = {**other, "attributes": {"sex": {"role": "identifier"}, "disease": {"role": "sensitive"}}}
    hidden["method"] = RANDOMIZED["method"]
    assert steward.run(dataset, hidden, charge=2_000_000).status == "released"


def test_a_draw_counts_whatever_came_of_it(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused for a density that was counted with noise: to count again for nothing would average the noise out."""
    dataset, policy = steward.upload(ring(3_000), "graph"), noisy_edges(1.0, {"noisy": 0.5})
    first = steward.run(dataset, policy)
    assert first.refusal is not None
    assert first.refusal["reasons"][0]["rule"] == "least_survival"
    drawn: list[str] = []
    honest = EdgeLocalNoise.apply
    monkeypatch.setattr(EdgeLocalNoise, "apply", lambda *given: drawn.append("noise") or honest(*given))
    assert_not_composable(steward.run(dataset, policy), DRAWN)
    assert drawn == []


def test_a_draw_counts_also_if_the_job_failed_and_none_counts_that_was_never_made(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = steward.upload(diseases())
    unfit = {**RANDOMIZED, "attributes": {"disease": {"role": "sensitive"}}}
    assert steward.run(dataset, unfit).status == "failed"
    with monkeypatch.context() as patched:
        patched.setattr(sealing, "seal", failing)
        assert steward.run(dataset, RANDOMIZED).status == "failed"
    assert_not_composable(steward.run(dataset, RANDOMIZED), DRAWN)


@pytest.mark.parametrize("rule", ["max_edges_changed", "max_reidentified", "min_candidate_set"])
def test_no_gate_lets_a_steward_draw_until_the_original_comes_out(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    """A policy that was stored before this was refused draws no noise either."""
    drawn: list[str] = []
    honest = EdgeLocalNoise.apply
    monkeypatch.setattr(EdgeLocalNoise, "apply", lambda *given: drawn.append("noise") or honest(*given))
    dataset = steward.upload(b"source,target\nann,bob\nbob,cid\ncid,dan\n", "graph")
    job = steward.run(dataset, noisy_edges(0.1, {"declared": 0.5}, gate={rule: 0 if rule.startswith("max") else 4}))
    assert (job.status, drawn) == ("failed", [])
    assert job.error is not None
    assert job.error["errors"][0]["pointer"] == f"/policy/gate/{rule}"


@pytest.mark.parametrize(
    "broken", [[(pipeline, "assess")], [(GraphKind, "explain"), (TableKind, "explain")]], ids=["measure", "explanation"]
)
def test_a_measure_that_fails_does_not_decide_whether_a_noisy_release_exists(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, broken: list[tuple[Any, str]]
) -> None:
    for place, name in broken:
        monkeypatch.setattr(place, name, failing)
    job = steward.run(steward.upload(ring(30), "graph"), noisy_edges())
    assert job.status == "released", job
    report = steward.report(job).content
    assert report["risk"] == {"before": {}, "after": {}, "attacks": [], "answers": {}, "unmeasured": True}
    assert report["explanation"] == {}
    assert steward.run(steward.upload(patients(ROWS)), policy_for()).status == "failed"


def test_a_noisy_job_whose_measures_are_cut_short_is_still_cancelled(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(*given: Any) -> Any:
        raise Cancelled("the job was cancelled")

    monkeypatch.setattr(pipeline, "assess", cancelled)
    assert steward.run(steward.upload(ring(30), "graph"), noisy_edges()).status == "cancelled"


def test_what_is_refused_because_of_nodes_is_refused_before_noise_is_drawn(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    honest = EdgeLocalNoise.apply
    monkeypatch.setattr(EdgeLocalNoise, "apply", lambda *given: drawn.append("noise") or honest(*given))
    nodes = b"node,town\n" + b"".join(b"%d,t%d\n" % (node, node) for node in range(30))
    details = {
        "directed": False, "strict": False, "header": True,
        "nodes": {"format": "csv", "delimiter": ",", "encoding": "utf-8"},
    }  # fmt: skip
    rows = [[f"t{node}", f"half {node % 2}", "*"] for node in range(30)]
    town = {"role": "quasi_identifier", "hierarchy": {"kind": "levels", "rows": rows}}
    policy = noisy_edges(attributes={"town": town}, node_method={"name": "generalize", "levels": {"town": 1}})
    policy["guarantees"].append({"model": "k_anonymity", "k": 16})
    statuses = []
    for k in (16, 15):
        policy["guarantees"][1]["k"] = k
        dataset = steward.upload(ring(30), "graph", details=details, nodes_blob_id=steward.store(nodes))
        statuses.append((steward.run(dataset, policy).status, len(drawn)))
    assert statuses == [("refused", 0), ("released", 1)]
