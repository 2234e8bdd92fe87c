"""Edge differential privacy in the verifier: the loss recomputed from the scale, and every way to tamper with it."""

from typing import Any

import pytest

from verifier import Artifact, Finding, verify
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.verdict.verdict import Missing

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


# --- several counts, and pairs that report ---------------------------------------------------------------------------

PAIRS = {"rate": "0.28768207245178092743921900599382743150350971", "keep": "0.75", "epsilon": "1.0986122886682"}
"""Pairs are reported truly three times as often as not: a loss of ln 3 = 1.09861."""
COUNTS = [
    {"of": "ascending degrees", "scale": 4.0},
    {"of": "degrees of nodes", "scale": 8.0},
    {"of": "edges between communities", "scale": 4.0},
]


def judge_parts(sealed: dict[str, Any], epsilon: float = 3.0) -> Finding:
    guarantee = {"model": "edge_differential_privacy", "epsilon": epsilon}
    policy = {"kind": "graph", "guarantees": [guarantee], "method": {"name": "noisy_communities"}}
    return verify(policy, [EDGES, NODES], {"community_noise": sealed}, False).findings[0]


def test_the_losses_of_all_parts_add_up() -> None:
    assert judge_parts({"counts": COUNTS, "pairs": None}, 1.0).achieved == {"epsilon": 1.0}
    assert judge_parts({"counts": COUNTS[:1]}).achieved == {"epsilon": 0.5}
    assert judge_parts({"counts": COUNTS, "pairs": PAIRS}).achieved == {"epsilon": 2.098613}


@pytest.mark.parametrize(
    ("sealed", "detail"),
    [
        ({"counts": COUNTS * 3, "pairs": PAIRS}, "the mechanism loses more than epsilon"),
        ({"counts": COUNTS * 2, "pairs": PAIRS}, "the mechanism loses more than epsilon"),
        ({"counts": COUNTS, "pairs": PAIRS | {"epsilon": "0.5"}}, "the mechanism loses more than epsilon"),
        ({"counts": COUNTS, "pairs": PAIRS | {"keep": "0.9"}}, "the mechanism loses more than epsilon"),
        ({"counts": COUNTS, "pairs": {}}, "the mechanism does not state the chances of the pairs"),
        ({"counts": COUNTS, "pairs": "none"}, "the mechanism does not state the chances of the pairs"),
        ({"counts": [], "pairs": PAIRS}, "the mechanism does not state what was counted"),
        ({"pairs": PAIRS}, "the mechanism does not state what was counted"),
        (
            {"counts": [{"of": "triangles", "scale": 9.0}]},
            "it is not known how a pair changes one of the counts",
        ),
        ({"counts": [{"of": "degrees of nodes", "scale": 0}]}, "the scale of the noise is not a number above 0"),
        ({"counts": COUNTS, "ledger": {"charged": 1, "budget": 9}}, "the budget was charged less than epsilon"),
    ],
)
def test_parts_that_were_tampered_with_do_not_hold(sealed: dict[str, Any], detail: str) -> None:
    found = judge_parts(sealed)
    assert (found.holds, found.achieved, found.detail) == (False, {}, detail)


def test_the_stated_sensitivity_of_a_count_is_not_believed() -> None:
    generous = [{"of": "ascending degrees", "sensitivity": 0.1, "scale": 1.0}]
    assert not judge_parts({"counts": generous}, 1.0).holds
