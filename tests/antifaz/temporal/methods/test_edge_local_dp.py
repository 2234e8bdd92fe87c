"""Noise on every pair in every snapshot: probabilities, densities, refusals, and the account for analysts.

docs/chance.md states how rarely it fails wrongly, and what it would detect.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.edits.pair_noise import pair_noise
from antifaz.graphs.guarantees.edge_local_dp import Share
from antifaz.policy.parse import parse_policy
from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import unwatched

WAIVED = [{"rule": "exact_density", "reason": "the numbers of edges are published elsewhere"}]


def drawn(sizes: list[int], n: int = 30, directed: bool = False, seed: int = 5) -> Snapshots:
    """Snapshots with a given number of random edges each."""
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    rows = [(*pairs[place], t) for t, m in enumerate(sizes) for place in rng.permutation(len(pairs))[:m]]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Snapshots.from_rows(n, *columns, [str(t) for t in range(len(sizes))], directed)


def run(
    snapshots: Snapshots, density: SnapshotDensity, epsilon: float = 6.0, seed: int = 1, **settings: Any
) -> ProtectedSnapshots:
    guarantee = TemporalEdgeLocalDp(epsilon=epsilon, density=density)
    method = TemporalEdgeLocalNoise(**settings)
    return method.apply(snapshots, [guarantee], np.random.default_rng(seed), unwatched)


def told(protected: ProtectedSnapshots) -> dict[str, Any]:
    return protected.account["public"]["edge_local_dp"]  # type: ignore[no-any-return]


def test_a_worked_example():
    """With E = e² and d = 1/4: p01 = 1/(E + 3), p11 = E/(E + 3)."""
    about = told(run(drawn([10, 10]), SnapshotDensity(declared=0.25), 2.0))
    [chances] = about["mechanisms"]
    assert chances["p01"] == pytest.approx(1 / (math.exp(2) + 3), abs=1e-12)
    assert chances["p11"] == pytest.approx(math.exp(2) / (math.exp(2) + 3), abs=1e-12)
    assert (about["epsilon"], about["epsilon_pair"], about["epsilon_node"]) == ("2.0", "4.0", "116.0")
    assert (about["snapshots"], about["mechanism_of_snapshot"]) == (2, [0, 0])


def test_every_snapshot_has_the_noise_of_its_own_density():
    snapshots = drawn([40, 0, 200, 40])
    about = told(run(snapshots, SnapshotDensity(exact=True), 5.0))
    shares = [
        None if place is None else about["mechanisms"][place]["density"] for place in about["mechanism_of_snapshot"]
    ]
    assert shares[1] is None
    assert [float(share) for share in shares if share] == pytest.approx([40 / 435, 200 / 435, 40 / 435])
    assert len(about["mechanisms"]) == 2


def test_an_empty_snapshot_of_exact_density_stays_empty():
    released = run(drawn([40, 0, 60]), SnapshotDensity(exact=True)).snapshots
    assert len(released.keys_at(1)) == 0


def test_a_snapshot_that_is_declared_empty_is_released_empty_whatever_it_was():
    protected = run(drawn([40, 50]), SnapshotDensity(declared=(0.1, 0.0)))
    assert len(protected.snapshots.keys_at(1)) == 0
    assert told(protected)["mechanism_of_snapshot"] == [0, None]
    assert protected.account["edges_removed"] >= 50


def test_a_noisy_density_takes_its_part_of_epsilon_in_every_snapshot():
    about = told(run(drawn([60, 90, 120]), SnapshotDensity(noisy=Share(share=0.2)), 10.0))
    assert Fraction(about["epsilon_density"]) == 2
    assert Fraction(about["epsilon_structure"]) == 8
    assert Fraction(about["epsilon_pair"]) == 30
    assert 0 < about["density_loss"] <= 2.0
    assert about["library"].startswith("opendp ")
    for each in about["mechanisms"]:
        assert 1 / 436 <= float(each["density"]) <= 0.5


def test_the_account_counts_edges_of_all_snapshots():
    snapshots = drawn([40, 80, 20], directed=True)
    protected = run(snapshots, SnapshotDensity(declared=0.06), 4.0)
    added = sum(len(np.setdiff1d(protected.snapshots.keys_at(t), snapshots.keys_at(t))) for t in range(3))
    removed = sum(len(np.setdiff1d(snapshots.keys_at(t), protected.snapshots.keys_at(t))) for t in range(3))
    assert (protected.account["edges_added"], protected.account["edges_removed"]) == (added, removed)


# --- chance ----------------------------------------------------------------------------------------------------------


def bound(draws: int, chance: float) -> float:
    """How far a count may be from its expectation: beyond it with a chance below 1e-11, by Bernstein's inequality."""
    doubt = math.log(2e11)
    return doubt / 3 + math.sqrt((doubt / 3) ** 2 + 2 * doubt * draws * chance * (1 - chance))


def kept_and_added(snapshots: Snapshots, released: Snapshots) -> list[tuple[int, int]]:
    both = [len(np.intersect1d(snapshots.keys_at(t), released.keys_at(t))) for t in range(len(snapshots))]
    return [(kept, len(released.keys_at(t)) - kept) for t, kept in enumerate(both)]


SIZES = [2_000, 400, 60]
N = 120
PAIRS = N * (N - 1) // 2


def is_drawn_by(released: Snapshots, snapshots: Snapshots, epsilon: float, densities: list[float]) -> bool:
    """Whether each snapshot has as many kept and added edges as the chances of its own density make."""
    for (kept, added), m, density in zip(kept_and_added(snapshots, released), SIZES, densities, strict=True):
        noise = pair_noise(Decimal(str(epsilon)), Decimal(str(density)))
        if abs(kept - m * noise.p11) > bound(m, noise.p11):
            return False
        if abs(added - (PAIRS - m) * noise.p01) > bound(PAIRS - m, noise.p01):
            return False
    return True


def test_edges_stay_and_come_with_the_chances_of_their_snapshot():
    snapshots = drawn(SIZES, N)
    densities = [m / PAIRS for m in SIZES]
    released = run(snapshots, SnapshotDensity(exact=True), 4.0, seed=11).snapshots
    assert is_drawn_by(released, snapshots, 4.0, densities)


@pytest.mark.parametrize(("epsilon", "density"), [(3.0, None), (8.0, None), (4.0, 0.1), (4.0, 0.03)])
def test_a_twin_with_another_epsilon_or_one_density_for_all_is_noticed(epsilon, density):
    snapshots = drawn(SIZES, N)
    wrong = SnapshotDensity(exact=True) if density is None else SnapshotDensity(declared=density)
    released = run(snapshots, wrong, epsilon, seed=11, least_survival=0).snapshots
    assert not is_drawn_by(released, snapshots, 4.0, [m / PAIRS for m in SIZES])


def test_each_snapshot_is_drawn_anew():
    """Two snapshots with the same edges: noise that was used twice would make them the same."""
    one = drawn([400], N)
    twice = Snapshots.from_graphs([one.graph(0), one.graph(0)], ["0", "1"])
    released = run(twice, SnapshotDensity(declared=0.05), 2.0, seed=3).snapshots
    shared = len(np.intersect1d(released.keys_at(0), released.keys_at(1)))
    assert shared < min(len(released.keys_at(0)), len(released.keys_at(1))) / 2


@given(st.lists(st.integers(0, 28), min_size=1, max_size=4), st.booleans(), st.integers(0, 2**32))
@effort(max_examples=30)
def test_snapshots_keep_their_nodes_labels_and_direction(sizes, directed, seed):
    snapshots = drawn(sizes, 8, directed)
    released = run(snapshots, SnapshotDensity(declared=0.2), 3.0, seed).snapshots
    assert (released.n, released.directed, released.labels) == (8, directed, snapshots.labels)
    for t in range(len(sizes)):
        keys = released.keys_at(t)
        assert (np.diff(keys) > 0).all()
        assert (keys // 8 != keys % 8).all()
        assert directed or (keys // 8 < keys % 8).all()


# --- refusals --------------------------------------------------------------------------------------------------------


def test_dense_snapshots_are_refused_unless_their_complement_is_asked_for():
    snapshots = drawn([100, 400])
    with pytest.raises(Infeasible) as caught:
        run(snapshots, SnapshotDensity(exact=True))
    [reason] = caught.value.reasons
    assert (reason.rule, reason.limit) == ("dense", 0.5)
    assert reason.detail.startswith("snapshot 1 (one of 1) joins")
    released = run(snapshots, SnapshotDensity(exact=True), 9.0, dense="complement").snapshots
    assert len(released.keys_at(1)) > 350


def test_a_full_snapshot_is_the_complement_of_an_empty_one():
    released = run(drawn([435]), SnapshotDensity(exact=True), 12.0, dense="complement").snapshots
    assert released.m > 420


def test_hopeless_settings_are_refused_with_what_would_do():
    with pytest.raises(Infeasible) as caught:
        run(drawn([2, 3], n=400), SnapshotDensity(exact=True), 1.0)
    needed = caught.value.nearest["epsilon"]
    run(drawn([2, 3], n=400), SnapshotDensity(exact=True), needed + 1e-6)
    with pytest.raises(Infeasible):
        run(drawn([2, 3], n=400), SnapshotDensity(exact=True), needed - 0.01)


def test_far_too_many_edges_are_refused():
    with pytest.raises(Infeasible) as caught:
        run(drawn([100, 100]), SnapshotDensity(declared=0.3), most_edges=200)
    assert caught.value.reasons[0].rule == "most_edges"


def test_as_many_densities_must_be_declared_as_there_are_snapshots():
    with pytest.raises(InvalidDataset) as caught:
        run(drawn([10, 10]), SnapshotDensity(declared=(0.1, 0.1, 0.1)))
    assert caught.value.rule == "declared_densities"


def test_it_gives_one_guarantee_and_no_other():
    with pytest.raises(InvalidPolicy):
        TemporalEdgeLocalNoise().apply(drawn([3]), [], np.random.default_rng(1), unwatched)


def policy(density: Any = None, epsilon: float = 6.0, method: Any = None, **more: Any) -> dict[str, Any]:
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon} | ({} if density is None else {"density": density})
    return {
        "kind": "temporal_graph",
        "guarantees": [guarantee],
        "method": {"name": "edge_local_dp"} | (method or {}),
        **more,
    }


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (policy(), "/guarantees/0/density"),
        (policy({"declared": 0.1}, method={"density": {"declared": 0.1}}), "/method/density"),
        (policy({"declared": 0}), "/guarantees/0/density/declared"),
        (policy({"declared": 0.6}), "/guarantees/0/density/declared"),
        (policy({"declared": [0.1, 0.6]}), "/guarantees/0/density/declared"),
        (policy({"declared": []}), "/guarantees/0/density/declared"),
        (policy({"declared": 0.1, "exact": True}), "/guarantees/0/density"),
        (policy({"noisy": 6.0}), "/guarantees/0/density/noisy"),
        (policy({"exact": True}), "/guarantees/0"),
        (policy(method={"density": {"exact": True}}), "/method"),
        (policy({"declared": 0.0001}, 1.0), "/guarantees/0/epsilon"),
        (policy({"declared": 0.1}, edge_attributes="keep"), "/edge_attributes"),
        (policy({"declared": 0.1}, gate={"max_edges_changed": 0.1}), "/gate/max_edges_changed"),
    ],
)
def test_a_policy_that_cannot_work_is_refused_by_its_pointer(document, pointer):
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(document)
    assert any(found.startswith(pointer) for found, _ in caught.value.faults), caught.value.faults


def test_policies_that_work():
    for document in (
        policy({"declared": [0.1, 0.0, 0.3]}),
        policy({"declared": 0.6}, method={"dense": "complement"}),
        policy({"exact": True}, waivers=WAIVED),
        policy({"noisy": {"share": 0.1}}),
    ):
        parsed = parse_policy(document)
        assert parse_policy(parsed.canonical()) == parsed


def test_a_forecast_says_what_will_be_charged():
    forecast = parse_policy(policy({"declared": 0.1})).forecast(nodes=10, directed=False, snapshots=5)
    assert (forecast["snapshots"], forecast["epsilon_pair"]) == (5, 30.0)
    assert forecast["expected_edges_by_snapshot"] == [pytest.approx(4.5)]
    assert 0.9 < forecast["survival"] < 1
    assert "epsilon_pair" not in parse_policy(policy({"declared": 0.1})).forecast(nodes=10)
    assert parse_policy(policy({"noisy": 1.0})).forecast(snapshots=2)["density_source"] == "noisy"
