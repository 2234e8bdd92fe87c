"""Edge differential privacy before the verifier: the loss again from the scale, and every way to tamper with it."""

from typing import Any

import pytest

from verifier import Artifact, Finding, verify
from verifier.findings import Evidence, find
from verifier.verdict import Missing

ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined"
EDGES = Artifact("edgelist", "graph", b"source,target\n0,1\n1,2\n")
NODES = Artifact("csv", "nodes", b"node\n0\n1\n2\n3\n")


def judge(sealed: dict[str, Any] | None, epsilon: Any = 1.0, directed: bool = False) -> Finding:
    guarantee = {"model": "edge_differential_privacy", "epsilon": epsilon}
    policy = {"kind": "graph", "guarantees": [guarantee], "method": {"name": "noisy_degrees"}}
    verdict = verify(policy, [EDGES, NODES], None if sealed is None else {"degree_noise": sealed}, directed)
    assert verdict.faults == ()
    return verdict.findings[0]


def test_noise_of_twice_one_by_epsilon_holds_by_its_mechanism() -> None:
    required = {"epsilon": 1.0}
    assert judge({"scale": 2.0}) == Finding(
        "edge_differential_privacy", required, required, True, "mechanism", ASSUMES, ""
    )
    assert judge({"scale": 4.0}).achieved == {"epsilon": 0.5}
    assert judge({"scale": 2.0, "ledger": {"charged": 1_000_000, "budget": 2_000_000}}).holds


@pytest.mark.parametrize(
    ("sealed", "detail"),
    [
        ({"scale": 1.4}, "the mechanism loses more than epsilon"),
        ({"scale": 1.0}, "the mechanism loses more than epsilon"),
        ({"scale": 0}, "the scale of the noise is not a number above 0"),
        ({"scale": "2"}, "the scale of the noise is not a number above 0"),
        ({"sensitivity": 2}, "the scale of the noise is not a number above 0"),
        ({"scale": 2.0, "ledger": {"charged": None, "budget": 9}}, "the budget was charged less than epsilon"),
        ({"scale": 2.0, "ledger": {"charged": 999_999, "budget": 9}}, "the budget was charged less than epsilon"),
    ],
)
def test_what_was_tampered_with_does_not_hold(sealed: dict[str, Any], detail: str) -> None:
    found = judge(sealed)
    assert (found.holds, found.achieved, found.detail) == (False, {}, detail)


def test_a_directed_graph_is_not_one_of_this_mechanism() -> None:
    assert judge({"scale": 2.0}, directed=True).detail == "the mechanism is one for undirected graphs"


def test_a_loss_may_be_above_its_bound_by_what_rounding_does_and_no_more() -> None:
    within, beyond = 2 / (1 + 0.999e-9), 2 / (1 + 1.001e-9)
    assert judge({"scale": within}).achieved == {"epsilon": 1.0}
    assert judge({"scale": beyond}).detail == "the mechanism loses more than epsilon"
    assert judge({"scale": -2.0}).detail == "the scale of the noise is not a number above 0"
    assert judge({"scale": 0.5}, epsilon=4).holds
    assert judge({"scale": 20}, epsilon=0.1).holds


def test_without_its_mechanism_nothing_can_be_told() -> None:
    for sealed in (None, {}):
        found = judge(sealed)
        assert isinstance(found.detail, Missing)
        assert found.detail == "there is no mechanism by which the graph was drawn"
        assert found.achieved == {}


@pytest.mark.parametrize("epsilon", [0, -1, None, "1", True, float("inf")])
def test_an_epsilon_that_is_none_is_never_kept(epsilon: Any) -> None:
    found = judge({"scale": 2.0}, epsilon)
    assert (found.holds, found.achieved, found.detail) == (False, {}, "epsilon is not a number above 0")


def test_a_graph_that_could_not_be_read_is_the_first_reason() -> None:
    for sealed in (None, {"degree_noise": {"scale": 2.0}}):
        evidence = Evidence({}, graph_flaw="it is broken", sealed_map=sealed)
        found = find({"model": "edge_differential_privacy", "epsilon": 1}, evidence)
        assert (found.holds, found.achieved, found.detail) == (False, {}, "it is broken")
