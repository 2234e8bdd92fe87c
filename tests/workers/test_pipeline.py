"""The pipeline from a stored dataset to a release or a refusal, by a worker in this process."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import Engine, text

import verifier
from antifaz.assessment import Assessment
from antifaz.errors import Cancelled, Reason
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.policy import parse_policy
from antifaz.protection import Dataset, Protected
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.table import ProtectedTable, Role
from storage import blobs, hierarchies, jobs, releases
from storage.keyring import shred
from tests.system.samples import friends, graph_policy, patients, table_policy
from tests.workers.conftest import Steward
from workers import lineage, pipeline, sealing, sources
from workers.report import Outcome
from workers.tasks import run_job
from workers.watch import JobWatch

ROWS = 40
PUBLISHED = {"report": {"utility": [], "attacks": []}}
"""What the tests do not look at need not be measured."""


def policy_for(k: int = 3, l_value: int | None = None, **more: Any) -> dict[str, Any]:
    return table_policy(k, l_value, **PUBLISHED, **more)


def at(place: str, act: Callable[[], None]) -> Callable[[str], None]:
    """A `reach` that acts once, at one place of the pipeline."""
    left = [act]

    def reach(name: str) -> None:
        if name == place and left:
            left.pop()()

    return reach


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


# --- what is published -----------------------------------------------------------------------------------------------


def test_a_released_table_is_written_down_whole(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS), name="ward 7")
    policy = policy_for(3, 2, formats=["csv", "jsonl"])
    job = steward.run(dataset, policy)
    assert (job.status, job.progress, job.stage, job.error, job.refusal) == ("released", 1.0, "publish", None, None)
    assert steward.ask("SELECT lease_until FROM jobs WHERE id = :id", id=job.id) is None

    release = steward.released(job)
    assert steward.releases_of(dataset) == [release]
    assert (release.job_id, release.tenant_id, release.dataset_id) == (job.id, steward.tenant_id, dataset.id)
    assert (release.lineage_id, release.kind, release.name) == (dataset.lineage_id, "table", "ward 7")
    assert release.audience == "tenant"
    columns = [("age", "text"), ("zip", "text"), ("sex", "text"), ("disease", "text")]
    assert release.shape == {"columns": [{"name": name, "type": type_} for name, type_ in columns], "rows": ROWS}
    assert [column["name"] for column in release.dictionary] == [name for name, _ in columns]

    assert [(a.format, a.part) for a in release.artifacts] == [("csv", "table"), ("jsonl", "table")]
    verified = [verifier.Artifact(a.format, a.part, steward.content(a)) for a in release.artifacts]
    for artifact, served in zip(release.artifacts, verified, strict=True):
        assert hashlib.sha256(served.content).hexdigest() == artifact.sha256
        assert len(served.content) == artifact.size
    verdict = verifier.verify(policy, verified)
    assert verdict.holds
    assert len(rows_of(bytes(verified[0].content))) == ROWS
    assert [(g["model"], g["holds"], g["achieved"]) for g in release.guarantees] == [
        (finding.model, True, finding.achieved) for finding in verdict.findings
    ]
    assert [(g["required"], g["evidence"], g["assumes"], g["detail"]) for g in release.guarantees] == [
        (finding.required, finding.evidence, finding.assumes, finding.detail) for finding in verdict.findings
    ]


def test_the_report_of_a_release_is_saved_with_it(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    job = steward.run(dataset, policy_for(3, 2))
    release, saved = steward.released(job), steward.report(job)
    k = release.guarantees[0]["achieved"]["k"]
    assert (saved.dataset_id, saved.release_id, saved.status) == (dataset.id, release.id, "released")
    assert (saved.method, saved.guarantees) == ("mondrian", ["k_anonymity", "l_diversity"])
    assert (saved.achieved_k, saved.risk, saved.private) == (k, 1 / k, False)
    report = saved.content
    assert (report["job_id"], report["release_id"]) == (str(job.id), str(release.id))
    assert (report["schema_version"], report["status"], report["refusal"], report["kind"]) == (
        1, "released", None, "table",
    )  # fmt: skip
    assert report["dataset"] == {"id": str(dataset.id), "name": "patients", "rows": ROWS}
    assert report["guarantees"] == release.guarantees
    assert report["artifacts"] == [
        {"format": a.format, "part": a.part, "sha256": a.sha256, "bytes": a.size} for a in release.artifacts
    ]
    assert report["release"]["rows"] == ROWS
    assert report["release"]["smallest"] == k
    assert report["risk"]["after"]["prosecutor"]["max"] == pytest.approx(1 / k)
    assert report["risk"]["before"]["prosecutor"]["max"] == 1
    assert report["risk"]["attacks"] == []
    assert report["utility"] == {}
    assert report["transformation"] == {"rows_in": ROWS, "rows_out": ROWS, "rows_suppressed": 0}
    assert "mechanism" not in report
    assert not {"public", "rows_in"} & set(report["method"])
    assert report["waivers"] == []
    assert [attribute["name"] for attribute in report["explanation"]["attributes"]] == ["age", "zip", "sex"]
    assert set(report["timing"]) == {"load", "check", "protect", "seal", "verify", "measure", "publish", "cpu"}
    assert set(report["timing"]["cpu"]) == set(report["timing"]) - {"cpu"}
    assert report["policy"]["method"]["name"] == "mondrian"
    assert set(report["software"]) == {"antifaz"}
    assert "SYNTACTIC_NO_FORMAL_GUARANTEE" in [warning["code"] for warning in report["warnings"]]


def test_measures_may_draw_chances_and_are_watched(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, float]] = []
    watching = JobWatch.__call__

    def watched(watch: JobWatch, fraction: float) -> bool:
        seen.append((watch.stage, fraction))
        return watching(watch, fraction)

    monkeypatch.setattr(JobWatch, "__call__", watched)
    job = steward.run(steward.upload(patients(ROWS)), table_policy(3, None))
    assert job.status == "released", job
    report = steward.report(job).content
    assert {"record_linkage", "composition"} <= {attack["name"] for attack in report["risk"]["attacks"]}
    assert "ncp" in report["utility"]
    assert max(fraction for stage, fraction in seen if stage == "measure") > 0


def test_the_audit_trail_tells_of_a_release_its_files_and_its_waivers(steward: Steward) -> None:
    waiver = {"rule": "free_text", "reason": "names of wards"}
    job = steward.run(steward.upload(patients(ROWS)), policy_for(waivers=[waiver]))
    release = steward.released(job)
    (event,) = steward.events()
    assert (event.actor, event.action, event.subject) == ("worker", "release.publish", str(release.id))
    assert event.details == {
        "job": str(job.id),
        "lineage": str(release.lineage_id),
        "artifacts": [{"format": a.format, "part": a.part, "sha256": a.sha256} for a in release.artifacts],
        "waivers": ["free_text"],
    }
    assert steward.report(job).content["waivers"] == [waiver]


def test_what_a_release_refers_to_is_kept_from_the_sweep(steward: Steward) -> None:
    release = steward.released(steward.run(steward.upload(patients(ROWS)), policy_for()))
    assert release.map_blob_id is not None
    for blob_id in (release.map_blob_id, *(artifact.blob_id for artifact in release.artifacts)):
        assert steward.ask("SELECT published FROM blobs WHERE id = :id", id=blob_id) is True
    assert steward.unpublished() == 0


def test_the_sealed_map_says_which_record_each_row_was_and_its_class(steward: Steward) -> None:
    original = rows_of(patients(ROWS))
    release = steward.released(steward.run(steward.upload(patients(ROWS)), policy_for()))
    assert release.map_blob_id is not None
    packed = sources.read_blob(steward.context, steward.tenant_id, release.map_blob_id)
    with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
        assert set(archive.files) == {"promise", "records", "classes"}
        records, classes = archive["records"], archive["classes"]
    served = rows_of(steward.content(release.artifacts[0]))
    assert sorted(records) == list(range(ROWS))
    assert [row["disease"] for row in served] == [original[record]["disease"] for record in records]
    labels = [(row["age"], row["zip"], row["sex"]) for row in served]
    assert len(set(labels)) > 1
    assert len(set(zip(labels, classes.tolist(), strict=True))) == len(set(labels)) == len(set(classes.tolist()))


def test_a_released_graph_has_its_nodes_in_two_formats(steward: Steward) -> None:
    dataset = steward.upload(friends(30, 60), "graph")
    job = steward.run(dataset, graph_policy(2, formats=["graphml", "edgelist"], **PUBLISHED))
    assert job.status == "released", job
    release = steward.released(job)
    parts = {(a.format, a.part): a for a in release.artifacts}
    assert list(parts) == [("csv", "nodes"), ("parquet", "nodes"), ("edgelist", "graph"), ("graphml", "graph")]
    edges = rows_of(steward.content(parts["edgelist", "graph"]))
    nodes = rows_of(steward.content(parts["csv", "nodes"]))
    assert release.shape == {
        "columns": [],
        "nodes": len(nodes),
        "edges": len(edges),
        "directed": False,
        "form": "graph",
    }
    assert sorted(int(node["node"]) for node in nodes) == list(range(len(nodes)))
    assert release.map_blob_id is not None
    packed = sources.read_blob(steward.context, steward.tenant_id, release.map_blob_id)
    with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
        assert archive.files == ["origin"]
        assert len(archive["origin"]) == len(nodes)
    report = steward.report(job).content
    assert {name: report["dataset"][name] for name in ("nodes", "edges")} == steward.dataset(dataset.id).counts
    assert steward.dataset(dataset.id).details["directed"] is False
    assert report["dataset"]["edges"] == 60
    assert report["transformation"]["self_loops_dropped"] == 0


def test_a_directed_graph_is_judged_as_one(steward: Steward) -> None:
    details = {"directed": True, "strict": False, "header": True}
    content = b"source,target\n" + b"".join(b"%d,%d\n" % (n, (n + 1) % 6) for n in range(6))
    job = steward.run(steward.upload(content, "graph", details=details), graph_policy(2, **PUBLISHED))
    assert job.status == "released", job
    assert steward.released(job).shape["directed"] is True
    assert "in- and out-degree" in steward.released(job).guarantees[0]["assumes"]


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


def noisy_edges(epsilon: float = 4.0, density: Any = None, **more: Any) -> dict[str, Any]:
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": density or {"declared": 0.1}}
    return {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}, **PUBLISHED, **more}


@pytest.mark.parametrize("density", [{"declared": 0.1}, {"noisy": {"share": 0.2}}])
def test_a_graph_whose_edges_can_be_denied_is_released_by_its_mechanism(steward: Steward, density: Any) -> None:
    job = steward.run(steward.upload(ring(30), "graph"), noisy_edges(density=density))
    assert job.status == "released", job
    (guarantee,) = steward.released(job).guarantees
    assert (guarantee["evidence"], guarantee["holds"], guarantee["achieved"]["epsilon"]) == ("mechanism", True, 4.0)
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


def test_releases_that_are_all_charged_to_one_budget_need_no_waiver(steward: Steward) -> None:
    dataset = steward.upload(ring(30), "graph")
    steward.grant(dataset, 9_000_000)
    for epsilon in (4.0, 4.5):
        job = steward.run(dataset, noisy_edges(epsilon), charge=int(epsilon * 1_000_000))
        assert job.status == "released", job
    uncharged = steward.upload(ring(30), "graph")
    assert steward.run(uncharged, noisy_edges()).status == "released"
    assert steward.run(uncharged, noisy_edges(4.5)).status == "refused"


def test_a_release_that_no_ledger_knows_of_still_needs_the_waiver(steward: Steward) -> None:
    dataset = steward.upload(ring(30), "graph")
    steward.grant(dataset, 9_000_000)
    assert steward.run(dataset, graph_policy(2, **PUBLISHED)).status == "released"
    job = steward.run(dataset, noisy_edges(), charge=4_000_000)
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


def assert_not_composable(job: jobs.JobRecord) -> None:
    assert job.status == "refused", job
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == ["composition"]


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
        assert_not_composable(steward.run(version, policy))
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
    dataset = steward.upload(diseases())
    if budget:
        steward.grant(dataset, 4_000_000)
    given = [(RANDOMIZED, 2_000_000 if budget else None), (PLAIN, None)]
    (first, paid), (second, costs) = given if order == "noise first" else given[::-1]
    assert steward.run(dataset, first, paid).status == "released"
    assert_not_composable(steward.run(dataset, second, costs))
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
    assert_not_composable(steward.run(dataset, other, charge=2_000_000))
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
    assert_not_composable(steward.run(dataset, policy))
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
    assert_not_composable(steward.run(dataset, RANDOMIZED))


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


@pytest.mark.parametrize("broken", [(pipeline, "assess"), (pipeline, "explain")], ids=["measure", "explanation"])
def test_a_measure_that_fails_does_not_decide_whether_a_noisy_release_exists(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, broken: tuple[Any, str]
) -> None:
    monkeypatch.setattr(*broken, failing)
    job = steward.run(steward.upload(ring(30), "graph"), noisy_edges())
    assert job.status == "released", job
    report = steward.report(job).content
    assert report["risk"] == {"before": {}, "after": {}, "attacks": [], "unmeasured": True}
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


def test_an_identifier_may_be_released_as_a_pseudonym(steward: Steward) -> None:
    policy = policy_for(3, formats=["csv"])
    policy["attributes"]["name"]["pseudonym"] = True
    job = steward.run(steward.upload(patients(ROWS)), policy)
    assert job.status == "released", job
    rows = rows_of(steward.content(steward.released(job).artifacts[0]))
    assert len({row["name"] for row in rows}) == ROWS
    assert not any("Person" in row["name"] for row in rows)


def test_nodes_carry_their_attributes_in_every_format(steward: Steward) -> None:
    nodes = b"node,town\n" + b"".join(b"id-%d,t%d\n" % (node, node % 2) for node in range(30))
    about = {"format": "csv", "delimiter": ",", "encoding": "utf-8"}
    details = {"directed": False, "strict": False, "header": True, "nodes": about}
    dataset = steward.upload(friends(30, 60), "graph", details=details, nodes_blob_id=steward.store(nodes))
    policy = graph_policy(2, formats=["graphml"], attributes={"town": {"role": "quasi_identifier"}}, **PUBLISHED)
    policy["guarantees"].append({"model": "k_anonymity", "k": 2})
    job = steward.run(dataset, policy)
    assert job.status == "released", job
    release = steward.released(job)
    assert release.shape["columns"] == [{"name": "town", "type": "text"}]
    contents = {(a.format, a.part): steward.content(a) for a in release.artifacts}
    assert b'attr.name="town"' in contents["graphml", "graph"]
    assert {row["town"] for row in rows_of(contents["csv", "nodes"])} == {"t0", "t1"}
    assert "node_classes" in steward.report(job).content["release"]


def test_people_and_not_their_rows_are_counted_in_every_release(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    policy = policy_for(3, privacy_unit="name", formats=["csv"])
    for models in (["k_anonymity"], ["k_anonymity", "joint_releases"]):
        job = steward.run(dataset, policy)
        assert job.status == "released", job
        guarantees = steward.released(job).guarantees
        assert [guarantee["model"] for guarantee in guarantees] == models
        assert {guarantee["evidence"] for guarantee in guarantees} == {"bytes+sealed_map"}


TOWN = {
    "attributes": {
        "name": {"role": "identifier"},
        "disease": {"role": "sensitive"},
        **{name: {"role": "quasi_identifier"} for name in ("age", "zip", "sex")},
    }
}


def test_populations_and_stored_hierarchies_reach_engine_and_verifier(steward: Steward) -> None:
    people = steward.upload(patients(ROWS), name="town", population=TOWN)
    organs = [["asthma", "lungs", "*"], ["flu", "lungs", "*"], ["cancer", "rest", "*"], ["hepatitis", "rest", "*"]]
    stored = steward.store(json.dumps({"kind": "levels", "rows": organs}).encode())
    draft = hierarchies.HierarchyDraft(tenant_id=steward.tenant_id, name="organs", kind="levels", blob_id=stored)
    with steward.main.begin() as connection:
        hierarchies.create_hierarchy(connection, steward.context.release_key, draft)
    policy = policy_for(3, formats=["csv"])
    policy["attributes"]["disease"]["hierarchy"] = {"id": str(draft.id)}
    policy["guarantees"] = [
        {"model": "k_map", "k": 3, "population": str(people.id)},
        {"model": "t_closeness", "t": 0.9, "distance": "hierarchical", "attribute": "disease"},
    ]
    job = steward.run(steward.upload(patients(ROWS)), policy)
    assert job.status == "released", job
    found = steward.released(job).guarantees
    assert [(guarantee["model"], guarantee["holds"]) for guarantee in found] == [("k_map", True), ("t_closeness", True)]


def test_the_store_is_read_back_whole_and_compared_with_what_was_rendered(steward: Steward) -> None:
    content = bytes(range(256)) * 6_000
    with steward.context.main.begin() as connection:
        blob = blobs.write_release_blob(connection, steward.context.release_key, steward.tenant_id, [content])
    assert blob.chunks == 2
    sealed = sealing.Sealed("csv", "table", blob.id, blob.size, hashlib.sha256(content).hexdigest())
    (artifact,) = sealing.read_back(steward.context, steward.tenant_id, [sealed])
    assert (artifact.format, artifact.part, artifact.content) == ("csv", "table", content)
    other = replace(sealed, sha256=hashlib.sha256(b"").hexdigest())
    with pytest.raises(blobs.CorruptBlob, match="the stored artifact is not the one that was rendered"):
        list(sealing.read_back(steward.context, steward.tenant_id, [other]))


def test_a_map_is_numbers_and_never_code() -> None:
    assert lineage._unpacked(lineage.packed({"records": np.arange(3)}))["records"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="pickle"):
        lineage._unpacked(lineage.packed({"records": np.array([{"a": 1}], dtype=object)}))


# --- what is refused -------------------------------------------------------------------------------------------------


def assert_refused(steward: Steward, job: jobs.JobRecord, rules: list[str]) -> None:
    """The job ended refused for these rules; the report says so, and nothing is left that could be served."""
    assert (job.status, job.release_id, job.error, job.progress) == ("refused", None, None, 1.0)
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == rules
    saved = steward.report(job)
    assert (saved.status, saved.release_id) == ("refused", None)
    assert (saved.content["status"], saved.content["refusal"]) == ("refused", job.refusal)
    assert job.stage in saved.content["timing"]
    assert (saved.content["release_id"], saved.content["artifacts"], saved.content["release"]) == (None, [], {})
    event = steward.events()[-1]
    assert (event.actor, event.action, event.subject, event.details) == (
        "worker", "job.refuse", str(job.id), {"rules": rules},
    )  # fmt: skip
    assert steward.unpublished() == 0


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
    """Also where the bytes authenticate: another artifact in the place of this one is found by its digest."""
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


# --- repeated releases -----------------------------------------------------------------------------------------------


def test_a_second_release_is_checked_together_with_the_first(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.run(dataset, policy_for(3, 2))
    assert [g["model"] for g in steward.released(first).guarantees] == ["k_anonymity", "l_diversity"]
    second = steward.run(dataset, policy_for(3, 2))
    assert second.status == "released", second
    joint = steward.released(second).guarantees[-2:]
    for finding in joint:
        assert (finding["model"], finding["holds"]) == ("joint_releases", True)
        assert finding["evidence"] == "bytes+sealed_map"
    diverse = {"promise": "l_diversity", "variant": "distinct", "l": 2, "attribute": "disease"}
    assert [finding["required"] for finding in joint] == [{"k": 3}, diverse]
    assert [release.job_id for release in steward.releases_of(dataset)] == [first.id, second.id]


def test_the_attack_of_several_releases_sees_the_earlier_ones(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    policy = {**table_policy(3, None), "report": {"utility": [], "attacks": ["composition"]}}
    told = [steward.report(steward.run(dataset, policy)).content["risk"]["attacks"][0] for _ in range(2)]
    assert [attack["releases"] for attack in told] == [1, 2]
    assert told[1]["rate"] >= told[0]["rate"]


def test_whom_an_earlier_release_left_out_is_told_apart_by_it(steward: Steward) -> None:
    """Three of one town, three of another, and two of a third that the first release leaves out."""
    content = "town,disease\n" + "Vic,flu\n" * 3 + "Olot,flu\n" * 3 + "Lugo,flu\n" * 2
    dataset = steward.upload(content.encode())

    def policy(method: str, k: int) -> dict[str, Any]:
        return {
            "kind": "table",
            "attributes": {"town": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": k}],
            "method": {"name": method},
            "waivers": [{"rule": "composition", "reason": "to see what is lost"}],
            "report": {"utility": [], "attacks": ["composition"]},
        }

    assert steward.run(dataset, policy("suppress", 3)).status == "released"
    job = steward.run(dataset, policy("mondrian", 8))
    assert job.status == "released", job
    (attack,) = steward.report(job).content["risk"]["attacks"]
    assert (attack["releases"], attack["smallest"]) == (2, 2)
    assert (attack["rate"], attack["baseline"]) == (3 / 8, 1 / 8)
    newer = steward.upload(content.encode(), supersedes=dataset.id)
    (attack,) = steward.report(steward.run(newer, policy("mondrian", 8))).content["risk"]["attacks"]
    assert attack["releases"] == 1


def test_releases_that_together_break_k_are_refused_with_the_k_that_is_left(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.run(dataset, policy_for(3))
    assert first.status == "released"
    other = policy_for(4)
    other["attributes"]["age"]["recoding"] = "set"
    job = steward.run(dataset, other)
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    joint = steward.report(job).content["guarantees"][-1]
    assert (reason["limit"], reason["measured"]) == (4, joint["achieved"]["k"])
    assert reason["measured"] < 4
    shown = [name for name, stated in other["attributes"].items() if stated["role"] == "quasi_identifier"]
    assert len(shown) > 1
    assert reason["detail"] == (
        f"the releases together break k; release {steward.released(first).id}. Possible now: release fewer of the "
        f"columns that are cut otherwise here ({', '.join(shown)}), by the role identifier, or cut them as that "
        "release does; or waive composition with a reason"
    )
    assert len(steward.releases_of(dataset)) == 1


def test_releases_that_together_break_l_are_refused(steward: Steward) -> None:
    """Two partitions in classes of two whose intersections are classes of two again, with one disease each."""
    lines = ["age,sex,disease", "20,F,flu", "20,F,flu", "20,M,cold", "20,M,cold"] * 1
    dataset = steward.upload("\n".join([*lines, ""]).encode())

    def policy(shown: str, hidden: str, l_value: int) -> dict[str, Any]:
        rows = [["F", "*"], ["M", "*"]] if hidden == "sex" else [["20", "*"]]
        attributes: dict[str, Any] = {
            shown: {"role": "quasi_identifier", "type": "text"},
            hidden: {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "levels", "rows": rows}},
            "disease": {"role": "sensitive"},
        }
        guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": 2}]
        if l_value > 1:
            guarantees.append({"model": "l_diversity", "variant": "distinct", "l": l_value, "attribute": "disease"})
        return {
            "kind": "table",
            "attributes": attributes,
            "guarantees": guarantees,
            "method": {"name": "mondrian"},
            **PUBLISHED,
        }

    assert steward.run(dataset, policy("age", "sex", 1)).status == "released"
    job = steward.run(dataset, policy("age", "sex", 2))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"].partition(";")[0] == "the releases together break l"


def test_nothing_can_be_shown_where_an_earlier_map_is_gone(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    without = releases.bind(steward.context.release_key, replace(first, map_blob_id=None))
    statement = "UPDATE releases SET map_blob_id = NULL, mac = :mac WHERE id = :id RETURNING 1"
    steward.ask(statement, id=first.id, mac=without.mac)
    job = steward.run(dataset, policy_for(3))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"] == (
        f"the map of an earlier release is gone, so nothing can be shown; release {first.id}. Possible now: waive "
        "composition with a reason"
    )


HIDDEN = {
    "moved to another lineage": "UPDATE releases SET lineage_id = gen_random_uuid() WHERE id = :id RETURNING 1",
    "said to have no map": "UPDATE releases SET map_blob_id = NULL WHERE id = :id RETURNING 1",
    "said to show nothing": "UPDATE releases SET dictionary = '[]' WHERE id = :id RETURNING 1",
    "removed": "DELETE FROM releases WHERE id = :id RETURNING 1",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_an_earlier_release_cannot_be_hidden_from_a_later_one(steward: Steward, how: str) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    if how == "removed":
        steward.ask("DELETE FROM artifacts WHERE release_id = :id AND format = 'parquet' RETURNING 1", id=first.id)
        steward.ask("DELETE FROM artifacts WHERE release_id = :id RETURNING 1", id=first.id)
    assert steward.ask(HIDDEN[how], id=first.id) == 1
    job = steward.run(dataset, policy_for(3))
    assert (job.status, job.release_id) == ("failed", None)
    assert job.error is not None
    assert job.error["rule"] == "storage"


def test_a_map_whose_key_is_shredded_is_no_release(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    assert first.map_blob_id is not None
    with steward.keyring.begin() as keys:
        shred(keys, [first.map_blob_id])
    job = steward.run(dataset, policy_for(3))
    assert (job.status, job.release_id) == ("failed", None)
    assert len(steward.releases_of(dataset)) == 1


def test_another_version_of_a_table_cannot_be_joined_without_a_waiver(steward: Steward) -> None:
    first = steward.upload(patients(ROWS))
    assert steward.run(first, policy_for(3)).status == "released"
    newer = steward.upload(patients(ROWS, seed=5), supersedes=first.id)
    job = steward.run(newer, policy_for(3))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    assert (reason["limit"], reason["measured"]) == (0, 1)
    what, release, now = re.fullmatch(r"(.*); release ([0-9a-f-]{36})\. Possible now: (.*)", reason["detail"]).groups()
    assert what == "earlier releases of this lineage cannot be joined"
    assert [str(each.id) for each in steward.releases_of(first)] == [release]
    assert "name the same privacy unit" in now
    waived = steward.run(newer, policy_for(3, waivers=[{"rule": "composition", "reason": "other people"}]))
    assert waived.status == "released"
    assert [g["model"] for g in steward.released(waived).guarantees] == ["k_anonymity"]
    assert steward.events()[-1].details["waivers"] == ["composition"]


def test_a_graph_is_released_once(steward: Steward) -> None:
    dataset = steward.upload(friends(30, 60), "graph")
    assert steward.run(dataset, graph_policy(2, **PUBLISHED)).status == "released"
    job = steward.run(dataset, graph_policy(2, **PUBLISHED))
    assert_refused(steward, job, ["composition"])


def test_roles_may_not_change_between_releases(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    assert steward.run(dataset, policy_for(3)).status == "released"
    for name, role in (("sex", "insensitive"), ("sex", "sensitive"), ("disease", "quasi_identifier")):
        changed = policy_for(3)
        changed["attributes"][name] = {"role": role}
        job = steward.run(dataset, changed)
        assert_refused(steward, job, ["composition"])
        assert job.refusal is not None
        (reason,) = job.refusal["reasons"]
        assert (reason["limit"], reason["measured"]) == (0, 1)
        told = f"what one release generalizes or hides is published as it is by another: {name}; release "
        assert reason["detail"].startswith(told)
        waived = {**changed, "waivers": [{"rule": "composition", "reason": "agreed"}]}
        assert steward.run(dataset, waived).status == "released" if name == "disease" else True


def test_a_plain_value_may_become_sensitive_and_the_other_way_round(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    for role in ("sensitive", "insensitive", "sensitive"):
        policy = policy_for(3)
        policy["attributes"]["disease"]["role"] = role
        job = steward.run(dataset, policy)
        assert job.status == "released", job


def test_a_record_that_only_the_newest_release_leaves_out_belongs_to_nobody_else(steward: Steward) -> None:
    """Nine rows without a town are a class of the first release, and no rows of the second."""
    content = "town,disease\n" + "Vic,flu\n" * 3 + ",flu\n" * 9
    dataset = steward.upload(content.encode())

    def policy(missing: str) -> dict[str, Any]:
        return {
            "kind": "table",
            "attributes": {"town": {"role": "quasi_identifier", "missing": missing}, "disease": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": 3}],
            "method": {"name": "suppress"},
            "waivers": [{"rule": "composition", "reason": "to see what is lost"}],
            "report": {"utility": [], "attacks": ["composition"]},
        }

    assert steward.run(dataset, policy("own_value")).status == "released"
    job = steward.run(dataset, policy("suppress_row"))
    assert job.status == "released", job
    (attack,) = steward.report(job).content["risk"]["attacks"]
    assert (attack["releases"], attack["rate"], attack["smallest"]) == (2, 1 / 3, 3)


def test_a_release_that_was_overtaken_is_done_again(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = steward.upload(patients(ROWS))
    slow, quick = steward.submit(dataset, policy_for(3)), steward.submit(dataset, policy_for(3))
    monkeypatch.setattr(pipeline, "reach", at("verified", lambda: run_job(steward.context, quick)))
    run_job(steward.context, slow)
    assert steward.job(quick).status == "released"
    waiting = steward.job(slow)
    assert (waiting.status, waiting.release_id, waiting.attempt, waiting.stage) == ("queued", None, 0, None)
    assert (waiting.progress, waiting.finished_at) == (0.0, None)
    assert [release.job_id for release in steward.releases_of(dataset)] == [quick]
    run_job(steward.context, slow)
    assert steward.job(slow).status == "released"
    assert steward.releases_of(dataset)[-1].guarantees[-1]["model"] == "joint_releases"


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
            except Exception as error:  # noqa: BLE001 - any refusal of the lock is what is looked for
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
    reasons = pipeline._reasons(judged, judged.policy)
    assert [replace(reason, detail=reason.detail.partition(";")[0]) for reason in reasons] == [
        Reason("composition", 3, 1, "together"),
        Reason("composition", 0.2, 0.5, "together"),
        Reason("composition", 3, None, "together"),
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
