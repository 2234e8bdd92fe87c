"""What is left of the original decides: a worker refuses too much and too little, and reports say what was measured."""

from typing import Any

import networkx as nx
import pytest

from service.releases.views import view
from storage.jobs.jobs import JobRecord
from tests.workers.conftest import Steward

ATTRIBUTES = {"age": {"role": "quasi_identifier"}, "town": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
SIXTY = ("age,town,ill\n" + "".join(f"{20 + n},{'abc'[n % 3]},{'xy'[n % 2]}\n" for n in range(60))).encode()
"""Sixty people, each with an age of their own."""
RARE = ("age,town,ill\n" + "".join(f"{20 + n},{'abc'[n % 3]},{'x' if n else 'rare'}\n" for n in range(60))).encode()
FEW_AGES = ("age,town,ill\n" + "".join(f"{20 + n % 9},{'abc'[n % 3]},{'xy'[n % 2]}\n" for n in range(60))).encode()
STAR = ("source,target\n" + "".join(f"p0,p{n}\n" for n in range(1, 30)) + "p1,p2\np3,p4\np5,p6\n").encode()
"""A star with three edges between its rays: hardly any two edges can exchange their ends."""


def table_policy(**more: Any) -> dict[str, Any]:
    return {"kind": "table", "attributes": ATTRIBUTES, "report": {"utility": [], "attacks": []}, **more}


def graph_policy(**more: Any) -> dict[str, Any]:
    quiet = {"utility": [], "attacks": []}
    return {"kind": "graph", "gate": {"max_reidentified": 0.5}, "report": quiet, **more}


def rules(job: JobRecord) -> list[str]:
    assert job.status == "refused", job
    return [reason["rule"] for reason in (job.refusal or {})["reasons"]]


def seen_by(steward: Steward, job: JobRecord, role: str) -> dict[str, Any]:
    return view(steward.report(job).content, role, private=False)


def warning(report: dict[str, Any], code: str) -> dict[str, Any]:
    (found,) = [each for each in report["warnings"] if each["code"] == code]
    return found


@pytest.mark.parametrize("gate", ["max_journalist_risk", "max_marketer_risk"])
def test_a_gate_with_an_invented_sampling_fraction_is_refused(steward: Steward, gate: str) -> None:
    report = {"sampling_fraction": 0.001, "utility": [], "attacks": []}
    policy = table_policy(method={"name": "top_bottom_coding", "share": 0.02}, gate={gate: 0.5}, report=report)
    job = steward.run(steward.upload(SIXTY), policy)
    assert rules(job) == [gate, "no_guarantee"]
    found = seen_by(steward, job, "auditor")["unchanged"]["records_unchanged_and_alone"]
    assert (found["share"], found["limit"]) == (58 / 60, 0.25)


def test_a_guarantee_that_leaves_nearly_all_rows_alone_is_refused(steward: Steward) -> None:
    loose = [{"model": "t_closeness", "t": 0.9, "distance": "equal", "attribute": "ill"}]
    job = steward.run(steward.upload(RARE), table_policy(method={"name": "mondrian"}, guarantees=loose))
    assert rules(job) == ["no_guarantee"]


def test_a_graph_with_one_changed_edge_is_refused(steward: Steward) -> None:
    drawn = nx.gnm_random_graph(150, 300, seed=3)
    edges = "source,target\n" + "".join(f"p{u},p{v}\n" for u, v in drawn.edges)
    policy = graph_policy(method={"name": "random_perturbation", "share": 0.004})
    job = steward.run(steward.upload(edges.encode(), "graph"), policy)
    assert rules(job) == ["naive"]


def test_readers_learn_that_a_gate_replaced_a_guarantee_and_auditors_what_was_left(steward: Steward) -> None:
    policy = table_policy(method={"name": "rounding", "base": 20}, gate={"max_prosecutor_risk": 0.5})
    job = steward.run(steward.upload(FEW_AGES), policy)
    assert job.status == "released", job
    public = seen_by(steward, job, "consumer")
    found = warning(public, "NO_GUARANTEE")
    assert found["limits"] == {"max_prosecutor_risk": 0.5}
    assert 0 < found["measured"]["max_prosecutor_risk"] <= 0.5
    assert "unchanged" not in public
    for role in ("auditor", "steward"):
        assert seen_by(steward, job, role)["unchanged"]["records_unchanged_and_alone"]["share"] == 0.0


def test_a_guarantee_needs_no_such_warning_and_its_report_has_the_share_too(steward: Steward) -> None:
    promised = [{"model": "k_anonymity", "k": 3}]
    job = steward.run(steward.upload(SIXTY), table_policy(method={"name": "mondrian"}, guarantees=promised))
    assert job.status == "released", job
    report = seen_by(steward, job, "auditor")
    assert "NO_GUARANTEE" not in {each["code"] for each in report["warnings"]}
    assert report["unchanged"]["records_unchanged_and_alone"]["share"] == 0.0


def test_a_perturbation_that_reached_less_than_it_was_asked_for_says_so_to_everyone(steward: Steward) -> None:
    policy = graph_policy(method={"name": "random_switch", "share": 0.5})
    job = steward.run(steward.upload(STAR, "graph"), policy)
    assert job.status == "released", job
    found = warning(seen_by(steward, job, "consumer"), "TARGET_NOT_REACHED")
    assert found["wanted"] == 16
    assert found["reached"] == steward.report(job).content["transformation"]["edges_removed"] < 15


def test_a_perturbation_that_reached_its_share_has_no_such_warning(steward: Steward) -> None:
    policy = graph_policy(method={"name": "random_perturbation", "share": 0.5})
    job = steward.run(steward.upload(STAR, "graph"), policy)
    assert job.status == "released", job
    assert "TARGET_NOT_REACHED" not in {each["code"] for each in seen_by(steward, job, "consumer")["warnings"]}


def test_a_release_of_which_nothing_is_left_is_refused_with_the_reason(steward: Steward) -> None:
    known = {name: {"role": "quasi_identifier"} for name in ATTRIBUTES}
    policy = table_policy(method={"name": "mondrian"}, guarantees=[{"model": "k_anonymity", "k": 60}])
    job = steward.run(steward.upload(SIXTY), policy | {"attributes": known})
    assert rules(job) == ["nothing_kept"]
    assert "almost nothing of the original is left" in (job.refusal or {})["reasons"][0]["detail"]


def test_with_a_guarantee_by_mechanism_nothing_is_compared(steward: Steward) -> None:
    promise = [{"model": "edge_local_dp", "epsilon": 3, "density": {"declared": 0.05}}]
    policy = {"kind": "graph", "guarantees": promise, "method": {"name": "edge_local_dp"}, "report": {"attacks": []}}
    job = steward.run(steward.upload(STAR, "graph"), policy)
    assert job.status == "released", job
    assert steward.report(job).content["unchanged"] == {}
