"""A release that is its original is refused by a worker, whatever the method's name."""

from typing import Any

import pytest

from storage.jobs.jobs import JobRecord
from tests.system.samples import friends, patients, table_policy
from tests.workers.conftest import Steward

NOTHING_MEASURED = {"report": {"utility": [], "attacks": []}}
RING = "source,target\n" + "".join(f"p{n},p{(n + 1) % 12}\n" for n in range(12))
STAR = "source,target\n" + "".join(f"p0,p{n}\n" for n in range(1, 8))


def assert_refused(steward: Steward, job: JobRecord, rule: str) -> None:
    assert job.status == "refused", job
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == [rule]
    assert "nearest" not in job.refusal
    assert steward.unpublished() == 0
    assert steward.report(job).release_id is None


def perturb(name: str, **more: Any) -> dict[str, Any]:
    gate = {"max_reidentified": 0.5}
    return {"kind": "graph", "method": {"name": name, **more}, "gate": gate, **NOTHING_MEASURED}


@pytest.mark.parametrize("name", ["random_perturbation", "random_switch", "edge_rotation", "edge_relevance"])
def test_a_perturbation_that_rounds_to_no_edge_is_refused_by_the_rule_of_renumbering(
    steward: Steward, name: str
) -> None:
    dataset = steward.upload(friends(60, 90), "graph")
    assert_refused(steward, steward.run(dataset, perturb(name, share=1e-12)), "naive")
    assert steward.releases_of(dataset) == []


def test_a_graph_in_which_nothing_can_be_switched_is_refused_unless_waived(steward: Steward) -> None:
    dataset = steward.upload(STAR.encode(), "graph")
    assert_refused(steward, steward.run(dataset, perturb("random_switch", share=1)), "naive")
    waived = perturb("random_switch", share=1) | {"waivers": [{"rule": "naive", "reason": "a star in the sky"}]}
    assert steward.run(dataset, waived).status == "released"


def test_a_graph_that_is_degree_anonymous_as_it_came_is_released(steward: Steward) -> None:
    promised = {"guarantees": [{"model": "k_degree_anonymity", "k": 4}], "method": {"name": "k_degree"}}
    job = steward.run(steward.upload(RING.encode(), "graph"), {"kind": "graph", **promised, **NOTHING_MEASURED})
    assert job.status == "released", job
    assert steward.report(job).content["transformation"]["edges_added"] == 0


def test_a_table_as_it_came_is_refused_unless_waived(steward: Steward) -> None:
    dataset = steward.upload(patients(40))
    bare = table_policy(method={"name": "suppress"}, **NOTHING_MEASURED)
    bare["guarantees"] = []
    for name in ("age", "zip"):
        bare["attributes"][name] = {"role": "identifier"}
    gated = {**bare, "gate": {"max_prosecutor_risk": 0.5}}
    assert_refused(steward, steward.run(dataset, gated), "no_guarantee")
    waived = {**gated, "waivers": [{"rule": "no_guarantee", "reason": "a register that anybody may read"}]}
    assert steward.run(dataset, waived).status == "released"


def test_a_gate_that_cannot_fail_does_not_get_as_far_as_a_release(steward: Steward) -> None:
    open_gate = table_policy(method={"name": "suppress"}, gate={"max_prosecutor_risk": 1}) | {"guarantees": []}
    job = steward.run(steward.upload(patients(40)), open_gate)
    assert (job.status, job.release_id) == ("failed", None)
    assert job.error is not None
    assert "0.5 or below" in job.error["errors"][0]["detail"]
