"""The verifier on mechanisms of snapshots: right ones hold, and every tampering is noticed."""

import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from antifaz.temporal.guarantees.edge_local_dp import TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched
from tests.verifier.test_temporal import files, snapshots
from verifier import verify
from verifier.pairs import Mechanism
from verifier.temporal_pairs import _achieved, _flaw_of_snapshots, find_temporal_edge_local_dp
from verifier.timelines import TemporalEvidence, Timeline
from verifier.verdict import Finding, Missing
from verifier.watch import watched_by

ROWS = [(0, 1, 0), (1, 2, 0), (2, 3, 2), (0, 3, 2), (4, 5, 2)]
WAIVER = [{"rule": "exact_density", "reason": "published"}]


def released(
    density: Any, epsilon: float = 6.0, waivers: Any = (), series: Snapshots | None = None, **method: Any
) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
    """A policy, the files of a release by it, and what the verifier is told of the mechanism."""
    stated = {"model": "edge_local_dp", "epsilon": epsilon, "density": density}
    policy = {
        "kind": "temporal_graph",
        "guarantees": [stated],
        "method": {"name": "edge_local_dp", **method},
        "waivers": list(waivers),
    }
    guarantee = TemporalEdgeLocalDp.model_validate(stated)
    original = series or snapshots(ROWS, n=6)
    found = TemporalEdgeLocalNoise(least_survival=0, **method).apply(
        original, [guarantee], np.random.default_rng(2), unwatched
    )
    return policy, files(found.snapshots), {"pairs": found.account["public"]["edge_local_dp"]}


def finding(policy: Any, artifacts: Any, sealed: Any) -> Any:
    return verify(policy, artifacts, sealed).findings[0]


CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    ({"declared": 0.2}, (), {}),
    ({"declared": [0.2, 0.0, 0.3]}, (), {}),
    ({"declared": 0.7}, (), {"dense": "complement"}),
    ({"noisy": {"share": 0.25}}, (), {}),
    ({"exact": True}, WAIVER, {}),
]


@pytest.mark.parametrize(("density", "waivers", "method"), CASES)
def test_a_right_mechanism_holds_and_says_what_is_lost_over_time(density: Any, waivers: Any, method: Any) -> None:
    found = finding(*released(density, waivers=waivers, **method))
    assert found.holds, found.detail
    assert found.evidence == "mechanism"
    assert found.achieved["snapshots"] == 3
    assert found.achieved["epsilon"] <= 6
    assert found.achieved["epsilon_pair"] == pytest.approx(3 * found.achieved["epsilon"], abs=1e-5)
    assert found.achieved["epsilon_node"] == pytest.approx(15 * found.achieved["epsilon"], abs=1e-4)
    assert ("numbers of edges" in found.assumes) == bool(waivers)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), max_size=20),
    st.floats(0.5, 12),
    st.floats(0.01, 0.5),
)
@effort(max_examples=25)
def test_the_loss_is_that_of_the_worst_ratio_of_chances(rows: Any, epsilon: float, density: float) -> None:
    """An oracle in floating point: the largest ratio of two chances of one answer."""
    policy, artifacts, sealed = released({"declared": density}, epsilon, series=snapshots(rows, n=6))
    found = finding(policy, artifacts, sealed)
    assert found.holds, found.detail
    [chances] = sealed["pairs"]["mechanisms"]
    p01, p11 = chances["p01"], chances["p11"]
    worst = max(p11 / p01, p01 / p11, (1 - p01) / (1 - p11), (1 - p11) / (1 - p01))
    assert found.achieved["epsilon"] == pytest.approx(float(np.log(worst)), abs=2e-6)


def _set(path: list[Any], value: Any) -> Any:
    def change(sealed: dict[str, Any]) -> None:
        place = sealed["pairs"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


TAMPERED = {
    "keeps more": _set(["mechanisms", 0, "keep"], "9999/10000"),
    "adds fewer": _set(["mechanisms", 0, "rate"], "1/1000000000"),
    "another density": _set(["mechanisms", 0, "density"], "0.3"),
    "no density": _set(["mechanisms", 0, "density"], "0"),
    "a published chance": _set(["mechanisms", 0, "p01"], 0.5),
    "spent on structure": _set(["epsilon_structure"], "7"),
    "spent on density": _set(["epsilon_density"], "1"),
    "another source": _set(["density_source"], "exact"),
    "a source that is none": _set(["density_source"], "guessed"),
    "fewer snapshots": _set(["snapshots"], 2),
    "less over time": _set(["epsilon_pair"], "6.0"),
    "less for a node": _set(["epsilon_node"], "18.0"),
    "more in all": _set(["epsilon"], "7.0"),
    "no mechanism for a snapshot": _set(["mechanism_of_snapshot"], [0, 0]),
    "a mechanism that is not there": _set(["mechanism_of_snapshot"], [0, 0, 1]),
    "a place before the first": _set(["mechanism_of_snapshot"], [0, 0, -1]),
    "a truth value for a place": _set(["mechanism_of_snapshot"], [0, 0, False]),
    "an empty snapshot that has edges": _set(["mechanism_of_snapshot"], [None, None, None]),
    "not a list": _set(["mechanisms"], {"0": {}}),
    "a mechanism that is none": _set(["mechanisms", 0], "none"),
    "a fraction that is none": _set(["mechanisms", 0, "rate"], "1/0"),
    "charged for one snapshot": lambda sealed: sealed["pairs"].update(budget=10**9, charged=6 * 10**6),
    "not charged": lambda sealed: sealed["pairs"].update(budget=10**9, charged=None),
}


DETAILS = {
    "the mechanism loses more than epsilon": ["keeps more", "adds fewer"],
    "the mechanism does not keep the density": ["another density"],
    "a density is not between 0 and 1": ["no density"],
    "a published chance is not the mechanism's": ["a published chance"],
    "the parts of epsilon are more than epsilon": ["spent on structure"],
    "what was spent on the density does not fit its source": ["spent on density"],
    "the density does not come from where the policy says": ["another source", "a source that is none"],
    "what is lost over time is not stated": ["fewer snapshots"],
    "what is lost over time is not the sum over the snapshots": ["less over time", "less for a node", "more in all"],
    "the mechanisms are not one for each snapshot": ["no mechanism for a snapshot", "not a list"],
    "a mechanism is not one": [
        "a mechanism that is not there",
        "a place before the first",
        "a truth value for a place",
        "a mechanism that is none",
        "a fraction that is none",
    ],
    "a density is not the declared one": ["an empty snapshot that has edges"],
    "the budget was charged less than epsilon in every snapshot": ["charged for one snapshot", "not charged"],
}
"""What is told of each."""


@pytest.mark.parametrize("name", TAMPERED)
def test_a_mechanism_that_was_tampered_with_does_not_hold(name: str) -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    changed = copy.deepcopy(sealed)
    TAMPERED[name](changed)
    found = finding(policy, artifacts, changed)
    assert not found.holds
    assert found.achieved == {}
    assert name in DETAILS[found.detail]


def test_a_charge_for_every_snapshot_is_enough() -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    sealed["pairs"].update(budget=10**9, charged=18 * 10**6)
    assert finding(policy, artifacts, sealed).holds
    sealed["pairs"]["charged"] -= 1
    assert not finding(policy, artifacts, sealed).holds


def test_exact_densities_need_their_waiver_and_dense_ones_their_word() -> None:
    policy, artifacts, sealed = released({"exact": True}, waivers=WAIVER)
    assert not finding(policy | {"waivers": []}, artifacts, sealed).holds
    policy, artifacts, sealed = released({"declared": 0.7}, dense="complement")
    assert not finding(policy | {"method": {"name": "edge_local_dp"}}, artifacts, sealed).holds


def test_densities_that_were_declared_are_those_that_were_used() -> None:
    policy, artifacts, sealed = released({"declared": [0.2, 0.0, 0.3]})
    for declared in ([0.2, 0.1, 0.3], [0.2, 0.0], 0.2, [0.3, 0.0, 0.2]):
        other = copy.deepcopy(policy)
        other["guarantees"][0]["density"]["declared"] = declared
        assert not finding(other, artifacts, sealed).holds


def test_a_snapshot_that_its_mechanism_makes_of_no_graph_does_not_hold() -> None:
    """All 435 pairs joined, where each is with a chance of at most one half: by luck in less than 2^-64 of releases."""
    policy, _, sealed = released({"declared": 0.01}, 0.1, series=snapshots([], n=30))
    full = snapshots([(u, v, 1) for u in range(30) for v in range(u)], n=30)
    found = finding(policy, files(full), sealed)
    assert not found.holds
    assert "number of edges" in found.detail


def test_without_a_mechanism_the_verifier_cannot_tell() -> None:
    policy, artifacts, _ = released({"declared": 0.2})
    verdict = verify(policy, artifacts, None)
    assert not verdict.holds
    assert verdict.cannot_tell


@pytest.mark.parametrize("epsilon", [None, 0, -1, "6", True])
def test_an_epsilon_that_is_none_never_holds(epsilon: Any) -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    policy["guarantees"][0]["epsilon"] = epsilon
    assert not finding(policy, artifacts, sealed).holds


def test_fractions_are_compared_exactly() -> None:
    """An epsilon that is smaller by one part in 10^12 than what the chances need is refused."""
    policy, artifacts, sealed = released({"declared": 0.2})
    policy["guarantees"][0]["epsilon"] = float(Fraction(6) - Fraction(1, 10**12))
    assert not finding(policy, artifacts, sealed).holds


ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined in any one snapshot"
ASSUMES_COUNTS = "the numbers of edges are public; else any attacker, for any one pair of nodes in any one snapshot"


def directed(rows: list[tuple[int, int, int]], n: int = 4) -> Timeline:
    sources, targets, times = np.array(sorted(rows, key=lambda row: row[::-1]), np.int64).reshape(-1, 3).T
    return Timeline(n, 3, True, sources, targets, times)


def test_a_node_loses_by_the_pairs_in_both_directions() -> None:
    policy, _, sealed = released({"declared": 0.2}, series=snapshots([], n=4))
    evidence = TemporalEvidence(policy, directed([(0, 1, 0), (1, 0, 0), (2, 3, 2)]), "", sealed)
    sealed["pairs"]["epsilon_node"] = "108"
    found = find_temporal_edge_local_dp(policy["guarantees"][0], evidence)
    # Three snapshots, and three other nodes in two directions.
    achieved = {"epsilon": 6.0, "snapshots": 3, "epsilon_pair": 18.0, "epsilon_node": 108.0}
    assert found == Finding("edge_local_dp", {"epsilon": 6.0}, achieved, True, "mechanism", ASSUMES, "")
    sealed["pairs"]["epsilon_node"] = "54"
    found = find_temporal_edge_local_dp(policy["guarantees"][0], evidence)
    assert found.detail == "what is lost over time is not the sum over the snapshots"


NO_GRAPH = "a snapshot has a number of edges that its mechanism makes of no graph"


def test_in_both_directions_there_are_twice_as_many_pairs() -> None:
    """Of twelve nodes 132 directed pairs are joined: too many by the chances of 66 pairs, and right by those of all."""
    everywhere = directed([(u, v, t) for u in range(12) for v in range(12) if u != v for t in range(3)], 12)
    certain = [Mechanism(Fraction(50), Fraction(1), Fraction(1, 2), Fraction(1), Fraction(0), "declared")]
    assert _flaw_of_snapshots(certain, [0, 0, 0], {}, everywhere) == ""
    assert _flaw_of_snapshots(certain, [0, 0, 0], {}, replace(everywhere, directed=False)) == NO_GRAPH
    never = [replace(certain[0], rate=Fraction(1, 10**9), keep=Fraction(1, 10**9))]
    assert _flaw_of_snapshots(never, [0, 0, 0], {}, everywhere) == NO_GRAPH
    assert _flaw_of_snapshots([*never, *certain], [1, 1, 1], {}, everywhere) == ""
    assert _flaw_of_snapshots([*never, *certain], [1, 1, 0], {}, everywhere) == NO_GRAPH


def test_ledgers_count_epsilon_or_half_its_square_in_every_snapshot() -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    # Three times half of six squared.
    sealed["pairs"].update(budget=10**12, measure="zcdp", charged=54 * 10**9)
    assert finding(policy, artifacts, sealed).holds
    sealed["pairs"]["charged"] -= 1
    assert finding(policy, artifacts, sealed).detail == "the budget was charged less than epsilon in every snapshot"


def test_what_was_spent_may_be_less_than_what_was_promised_and_not_more() -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    policy["guarantees"][0]["epsilon"] = 7.0
    assert finding(policy, artifacts, sealed).achieved["epsilon"] == 6.0
    sealed["pairs"].update(epsilon="8", epsilon_pair="24", epsilon_node="120")
    assert finding(policy, artifacts, sealed).detail == "what is lost over time is not the sum over the snapshots"


@pytest.mark.parametrize(
    ("change", "policy_change", "detail"),
    [
        ({"mechanisms": ()}, {}, "the mechanisms are not one for each snapshot"),
        ({"mechanism_of_snapshot": {"0": 0}}, {}, "the mechanisms are not one for each snapshot"),
        ({"mechanism_of_snapshot": [0, 0, 0, 0]}, {}, "the mechanisms are not one for each snapshot"),
        ({"mechanism_of_snapshot": [0, 0, "0"]}, {}, "a mechanism is not one"),
        ({"mechanism_of_snapshot": [0, 0, True]}, {}, "a mechanism is not one"),
        ({"epsilon": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_pair": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_node": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_density": None}, {}, "a mechanism is not one"),
        ({}, {"method": None}, ""),
        ({}, {"method": {"density": {"noisy": {}}}}, ""),
    ],
)
def test_what_is_sealed_is_looked_at_piece_by_piece(
    change: dict[str, Any], policy_change: dict[str, Any], detail: str
) -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    sealed["pairs"].update(change)
    found = finding(policy | policy_change, artifacts, sealed)
    assert (found.holds, found.detail) == (not detail, detail)


def test_a_density_comes_from_the_guarantee_or_else_from_the_method() -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    density = policy["guarantees"][0].pop("density")
    assert finding(policy, artifacts, sealed).detail == "the density does not come from where the policy says"
    assert finding(policy | {"method": {"density": density}}, artifacts, sealed).holds
    other = policy | {"method": {"density": {"declared": 0.3}}}
    assert finding(other, artifacts, sealed).detail == "a density is not the declared one"
    several = policy | {"method": {"density": {"declared": [0.2, 0.2]}}}
    assert finding(several, artifacts, sealed).detail == "the densities are not the declared ones"


def test_densities_above_one_half_need_the_word_of_the_policy() -> None:
    policy, artifacts, sealed = released({"declared": 0.7}, dense="complement")
    assert finding(policy, artifacts, sealed).holds
    for method in ({"name": "edge_local_dp"}, {"dense": "refuse"}, None):
        found = finding(policy | {"method": method}, artifacts, sealed)
        assert found.detail == "a density above one half that the policy does not allow"
    policy, artifacts, sealed = released({"declared": 0.5})
    assert finding(policy, artifacts, sealed).holds
    policy, artifacts, sealed = released({"exact": True}, waivers=WAIVER)
    assert finding(policy, artifacts, sealed).assumes == ASSUMES_COUNTS
    found = finding(policy | {"waivers": []}, artifacts, sealed)
    assert (found.detail, found.achieved) == ("the density was counted exactly without a waiver", {})


def test_a_snapshot_without_a_mechanism_is_empty_and_was_not_noisy() -> None:
    fault = "a snapshot without a mechanism has edges, or its density was noisy"
    timeline = directed([(0, 1, 1)])
    assert _flaw_of_snapshots([], [None, None, None], {}, timeline) == fault
    assert _flaw_of_snapshots([], [None, None, None], {}, directed([])) == ""
    assert _flaw_of_snapshots([], [None, None, None], {"noisy": {}}, directed([])) == fault
    assert _flaw_of_snapshots([], [None, None, None], {"declared": 0}, directed([])) == ""
    assert _flaw_of_snapshots([], [None] * 3, {"declared": 0.1}, directed([])) == "a density is not the declared one"
    assert (
        _flaw_of_snapshots([], [None] * 3, {"declared": (0, 0)}, directed([]))
        == "the densities are not the declared ones"
    )


def test_a_mechanism_that_is_missing_or_a_graph_that_is_not_read_is_told() -> None:
    policy, artifacts, sealed = released({"declared": 0.2})
    for nothing in (None, {}, {"pairs": {}}, {"pairs": None}):
        found = finding(policy, artifacts, nothing)
        assert found.detail == "there is no mechanism by which pairs were reported"
        assert isinstance(found.detail, Missing)
        assert (found.required, found.achieved, found.assumes) == ({"epsilon": 6.0}, {}, ASSUMES)
    unread = TemporalEvidence(policy, sealed_map=sealed)
    assert find_temporal_edge_local_dp(policy["guarantees"][0], unread).detail == "there is no temporal graph"
    policy["guarantees"][0]["epsilon"] = 0
    assert finding(policy, artifacts, sealed).detail == "epsilon is not a number above 0"


def test_the_worst_of_several_mechanisms_counts() -> None:
    policy, artifacts, sealed = released({"declared": [0.2, 0.0, 0.3]})
    assert len(sealed["pairs"]["mechanisms"]) == 2
    whole = finding(policy, artifacts, sealed).achieved
    assert whole["epsilon"] == pytest.approx(6.0, abs=1e-5)
    sealed["pairs"]["mechanisms"][1]["p11"] = 0.5
    assert finding(policy, artifacts, sealed).detail == "a published chance is not the mechanism's"


def test_a_verdict_that_is_no_longer_wanted_is_given_up() -> None:
    policy, _, sealed = released({"declared": 0.2}, series=snapshots([], n=4))
    sealed["pairs"]["epsilon_node"] = "108"
    evidence = TemporalEvidence(policy, directed([]), "", sealed)

    def watch() -> None:
        raise InterruptedError

    with watched_by(watch), pytest.raises(InterruptedError):
        find_temporal_edge_local_dp(policy["guarantees"][0], evidence)


def sealed_without_mechanisms(**change: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {"mechanisms": [], "mechanism_of_snapshot": [None] * 3, "snapshots": 3}
    nothing |= {"epsilon": "6", "epsilon_pair": "18", "epsilon_node": "108", "epsilon_structure": "6"}
    return {"pairs": {**nothing, "epsilon_density": "0", "density_source": "declared", **change}}


@pytest.mark.parametrize(
    ("density", "n", "change", "detail"),
    [
        ({"declared": 0}, 4, {}, ""),
        ({"declared": 0}, 1, {"epsilon_node": "0"}, ""),
        ({"declared": 0}, 1, {"epsilon_node": "18"}, "what is lost over time is not the sum over the snapshots"),
        (
            {"declared": 0},
            4,
            {"epsilon_pair": "6", "epsilon_node": "36"},
            "what is lost over time is not the sum over the snapshots",
        ),
        ({"declared": 0}, 4, {"epsilon_density": None}, "the density does not come from where the policy says"),
        ({"guessed": 0}, 4, {"density_source": "guessed"}, "the density does not come from where the policy says"),
        (
            {"declared": 0},
            4,
            {"mechanism_of_snapshot": {0: 0, 1: 0, 2: 0}},
            "the mechanisms are not one for each snapshot",
        ),
        ({"declared": 0}, 4, {"mechanisms": ["none"]}, "a mechanism is not one"),
        (None, 4, {}, "the density does not come from where the policy says"),
    ],
)
def test_snapshots_that_were_released_empty_lose_nothing(
    density: Any, n: int, change: dict[str, Any], detail: str
) -> None:
    evidence = TemporalEvidence({"method": None}, directed([], n), "", sealed_without_mechanisms(**change))
    found = find_temporal_edge_local_dp({"epsilon": 6, "density": density}, evidence)
    assert found.detail == detail
    lost = {"epsilon": 0.0, "snapshots": 3, "epsilon_pair": 0.0, "epsilon_node": 0.0}
    assert found.achieved == ({} if detail else lost)


def test_a_graph_that_was_not_read_is_the_first_reason() -> None:
    found = find_temporal_edge_local_dp({"epsilon": 6}, TemporalEvidence({}))
    assert found.detail == "there is no temporal graph"


def test_a_node_alone_has_no_pairs() -> None:
    assert _achieved(2.0, directed([], 1)) == {"epsilon": 2.0, "snapshots": 3, "epsilon_pair": 6.0, "epsilon_node": 0.0}
