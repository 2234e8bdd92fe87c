"""The verifier on mechanisms of snapshots: correct ones hold, and every tampering is detected."""

import copy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from tests.verifier.snapshot_mechanisms import WAIVER, finding, released
from tests.verifier.temporal.test_temporal import files, snapshots
from verifier import verify

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
    "the cost of the density does not match its source": ["spent on density"],
    "the density does not come from where the policy says": ["another source", "a source that is none"],
    "what is lost over time is not stated": ["fewer snapshots"],
    "what is lost over time is not the sum over the snapshots": ["less over time", "less for a node", "more in all"],
    "the mechanisms are not one for each snapshot": ["no mechanism for a snapshot", "not a list"],
    "a mechanism is incomplete": [
        "a mechanism that is not there",
        "a place before the first",
        "a truth value for a place",
        "a mechanism that is none",
        "a fraction that is none",
    ],
    "a density is not the declared one": ["an empty snapshot that has edges"],
    "the budget was charged less than epsilon in every snapshot": ["charged for one snapshot", "not charged"],
}
"""The reason that the verifier reports, and its cases."""


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
