"""The verifier on the privacy loss of snapshots over time, and on incomplete mechanisms."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.verifier.snapshot_mechanisms import WAIVER, finding, released
from tests.verifier.temporal.test_temporal import snapshots
from verifier.mechanisms.pairs import Mechanism
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal.pairs import _achieved, _flaw_of_snapshots, find_temporal_edge_local_dp
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import watched_by

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


NO_GRAPH = "a snapshot has a number of edges that its mechanism cannot produce"


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
        ({"mechanism_of_snapshot": [0, 0, "0"]}, {}, "a mechanism is incomplete"),
        ({"mechanism_of_snapshot": [0, 0, True]}, {}, "a mechanism is incomplete"),
        ({"epsilon": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_pair": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_node": None}, {}, "what is lost over time is not stated"),
        ({"epsilon_density": None}, {}, "a mechanism is incomplete"),
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
        ({"declared": 0}, 4, {"mechanisms": ["none"]}, "a mechanism is incomplete"),
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
