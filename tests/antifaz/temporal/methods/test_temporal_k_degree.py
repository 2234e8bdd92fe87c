"""Temporal k-degree: worked examples, its promises on any input, edge cases and refusals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.errors import Cancelled, Infeasible, InvalidPolicy
from antifaz.part import Part
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from antifaz.temporal.methods.temporal_k_degree import TemporalKDegree
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import unwatched
from tests.antifaz.temporal.pictures import drawn_snapshots, films, snapshots_of
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal.degrees import find_degree_trajectory, find_temporal_k_degree

WAYS: list[tuple[dict[str, Any], Part]] = [
    ({}, TemporalKDegreeAnonymity(k=2)),
    ({}, TemporalKDegreeAnonymity(k=2, recurrence="multiset")),
    ({}, TemporalKDegreeAnonymity(k=2, directed="separate")),
    ({"rebuild": "havel_hakimi"}, TemporalKDegreeAnonymity(k=2, directed="separate")),
    ({"target": "trajectory"}, DegreeTrajectoryAnonymity(k=2)),
]


def protect(snapshots: Snapshots, parameters: dict[str, Any], guarantee: Part, seed: int = 1) -> ProtectedSnapshots:
    method = TemporalKDegree.model_validate(parameters)
    return method.apply(snapshots, [guarantee], np.random.default_rng(seed), unwatched)


def verified(released: Snapshots, guarantee: Part) -> bool:
    """The result of the verifier, which shares no code with the method."""
    ends = released.sources, released.targets, released.times
    evidence = TemporalEvidence({}, Timeline(released.n, len(released), released.directed, *ends), "")
    find = find_degree_trajectory if isinstance(guarantee, DegreeTrajectoryAnonymity) else find_temporal_k_degree
    return find(guarantee.model_dump(), evidence).holds


@pytest.mark.parametrize(("parameters", "guarantee"), WAYS)
@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_whatever_comes_in_the_release_satisfies_the_guarantee(parameters, guarantee, directed, data):
    snapshots = data.draw(films(directed))
    before = snapshots.keys.copy()
    released = protect(snapshots, parameters, guarantee)
    assert guarantee.holds(released.snapshots)
    assert verified(released.snapshots, guarantee)
    assert np.array_equal(snapshots.keys, before)
    assert released.snapshots.n == snapshots.n
    assert released.snapshots.labels == snapshots.labels
    changed = released.account["edges_added"] + released.account["edges_removed"]
    assert changed >= released.account.get("edit_lower_bound", 0)


@pytest.mark.parametrize(("parameters", "guarantee"), WAYS)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_larger_snapshots_are_verified_and_counted(parameters, guarantee, directed, k):
    snapshots, guarantee = drawn_snapshots(3, directed), guarantee.model_copy(update={"k": k})
    released = protect(snapshots, parameters, guarantee)
    assert verified(released.snapshots, guarantee)
    added = sum(len(set(b) - set(a)) for a, b in keys_of(snapshots, released.snapshots))
    removed = sum(len(set(a) - set(b)) for a, b in keys_of(snapshots, released.snapshots))
    assert released.account["edges_added"] == added
    assert released.account["edges_removed"] == removed
    assert released.account.get("snapshots_rebuilt", 0) == 0


def keys_of(first: Snapshots, second: Snapshots) -> list[tuple[list[int], list[int]]]:
    return [(first.keys_at(t).tolist(), second.keys_at(t).tolist()) for t in range(len(first))]


@pytest.mark.parametrize(("parameters", "guarantee"), WAYS)
def test_the_same_chance_gives_the_same_release(parameters, guarantee):
    first, again = (protect(drawn_snapshots(4), parameters, guarantee, seed=8).snapshots for _ in range(2))
    assert np.array_equal(first.keys, again.keys)
    assert np.array_equal(first.starts, again.starts)


@pytest.mark.parametrize("parameters", [{}, {"target": "trajectory"}])
def test_what_satisfies_the_guarantee_already_stays_as_it_is(parameters):
    circle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    snapshots = snapshots_of(5, [circle, circle, circle])
    guarantee = DegreeTrajectoryAnonymity(k=3) if parameters else TemporalKDegreeAnonymity(k=3)
    released = protect(snapshots, parameters, guarantee)
    assert np.array_equal(released.snapshots.keys, snapshots.keys)
    assert released.account["edges_added"] == released.account["edges_removed"] == 0
    assert released.account["edit_lower_bound"] == 0


def test_one_edge_more_is_enough_if_one_edge_is_missing():
    # Three circles of four nodes, one of which lacks an edge: its degrees 2 1 1 2 are those of no other snapshot.
    circle = [(0, 1), (1, 2), (2, 3), (0, 3)]
    broken = [(0, 1), (2, 3), (0, 3)]
    released = protect(snapshots_of(4, [circle, broken, circle]), {}, TemporalKDegreeAnonymity(k=3))
    assert released.account["edges_added"] == released.account["edit_lower_bound"] == 1
    assert released.account["edges_removed"] == 0
    assert released.snapshots.degrees.tolist() == [[2] * 4] * 3


def test_two_nodes_that_differ_once_become_alike_by_one_edge():
    # Trajectories 1 1 and 1 1, and 1 1 and 1 0 … of the nodes 2 and 3: in the second snapshot only 2 and 4 are joined.
    released = protect(
        snapshots_of(6, [[(0, 1), (2, 3), (4, 5)], [(0, 1), (2, 4)]]),
        {"target": "trajectory"},
        DegreeTrajectoryAnonymity(k=6),
    )
    assert released.account["edges_added"] + released.account["edges_removed"] == 1
    assert released.account["smallest_trajectory"] == 6


@pytest.mark.parametrize(("parameters", "guarantee"), WAYS)
@pytest.mark.parametrize("directed", [False, True])
def test_empty_and_complete_snapshots_stay_as_they_are(parameters, guarantee, directed):
    complete = [(u, v) for u in range(5) for v in range(5) if u != v]
    for pictures in ([[], []], [complete, complete]):
        snapshots = snapshots_of(5, pictures, directed)
        released = protect(snapshots, parameters, guarantee)
        assert np.array_equal(released.snapshots.keys, snapshots.keys)


def test_an_empty_snapshot_beside_full_ones_can_be_joined_with_one():
    complete = [(u, v) for u in range(4) for v in range(u)]
    released = protect(snapshots_of(4, [complete, [], complete]), {}, TemporalKDegreeAnonymity(k=3))
    assert len({row.tobytes() for row in released.snapshots.degrees}) == 1


def test_small_snapshots_are_filled_up_with_idle_nodes_rather_than_emptied():
    snapshots = snapshots_of(20, [[(t, t + 1)] for t in range(5)])
    released = protect(snapshots, {}, TemporalKDegreeAnonymity(k=5, recurrence="multiset"))
    # Six nodes of degree 1: five would be an odd sum.
    assert np.diff(released.snapshots.starts).tolist() == [3] * 5
    assert (released.account["edges_added"], released.account["edges_removed"]) == (10, 0)


def test_one_snapshot_is_enough_for_trajectories_and_not_for_recurrence():
    once = snapshots_of(6, [[(0, 1), (0, 2), (0, 3)]])
    assert protect(once, {"target": "trajectory"}, DegreeTrajectoryAnonymity(k=3)).account["smallest_trajectory"] >= 3
    with pytest.raises(Infeasible) as refusal:
        protect(once, {}, TemporalKDegreeAnonymity(k=2))
    assert refusal.value.nearest is None


def test_k_may_be_the_number_of_snapshots_and_no_more():
    snapshots = drawn_snapshots(5, length=3)
    protect(snapshots, {}, TemporalKDegreeAnonymity(k=3))
    with pytest.raises(Infeasible) as refusal:
        protect(snapshots, {}, TemporalKDegreeAnonymity(k=4))
    assert refusal.value.nearest == {"k": 3.0}
    assert refusal.value.reasons[0].rule == "temporal_k_degree_anonymity"


def test_k_may_be_the_number_of_nodes_and_no_more():
    snapshots = drawn_snapshots(5, n=6, length=8)
    protect(snapshots, {"target": "trajectory"}, DegreeTrajectoryAnonymity(k=6))
    with pytest.raises(Infeasible) as refusal:
        protect(snapshots, {"target": "trajectory"}, DegreeTrajectoryAnonymity(k=7))
    assert refusal.value.nearest == {"k": 6.0}


def test_without_a_row_that_a_graph_has_the_nearest_k_is_stated():
    # Three nodes of degree 1 1 0: the medians of one part of three are 1 1 1, which no graph has.
    pictures = [[(0, 1)], [(0, 2)], [(1, 2)]]
    with pytest.raises(Infeasible) as refusal:
        protect(snapshots_of(3, pictures), {"rebuild": "havel_hakimi"}, TemporalKDegreeAnonymity(k=3))
    assert refusal.value.nearest in ({"k": 2.0}, None)


def test_havel_hakimi_gives_no_pairs_of_degrees_and_no_trajectories():
    with pytest.raises(InvalidPolicy) as refusal:
        protect(drawn_snapshots(6, True), {"rebuild": "havel_hakimi"}, TemporalKDegreeAnonymity(k=2))
    assert refusal.value.pointer == "/guarantees/0/directed"
    with pytest.raises(ValidationError):
        TemporalKDegree(rebuild="havel_hakimi", target="trajectory")


@pytest.mark.parametrize(
    ("parameters", "guarantee"),
    [({}, DegreeTrajectoryAnonymity(k=2)), ({"target": "trajectory"}, TemporalKDegreeAnonymity(k=2))],
)
def test_the_target_says_which_guarantee_is_given(parameters, guarantee):
    method = TemporalKDegree.model_validate(parameters)
    assert guarantee.wire_name() not in method.guarantees_given()
    assert [pointer for pointer, _ in method.contradictions([guarantee])] == ["/guarantees/0"]
    with pytest.raises(InvalidPolicy):
        protect(drawn_snapshots(7), parameters, guarantee)


def test_it_takes_its_k_from_a_guarantee():
    with pytest.raises(InvalidPolicy):
        TemporalKDegree().apply(drawn_snapshots(7), [], np.random.default_rng(1), unwatched)


def test_the_strictest_of_several_guarantees_counts():
    guarantees = [TemporalKDegreeAnonymity(k=4, recurrence="multiset"), TemporalKDegreeAnonymity(k=2)]
    released = TemporalKDegree().apply(drawn_snapshots(7), guarantees, np.random.default_rng(1), unwatched)
    assert all(verified(released.snapshots, guarantee) for guarantee in guarantees)


@pytest.mark.parametrize(("parameters", "guarantee"), WAYS)
def test_the_watch_rises_and_can_stop_it(parameters, guarantee):
    seen: list[float] = []
    method = TemporalKDegree.model_validate(parameters)
    method.apply(drawn_snapshots(8), [guarantee], np.random.default_rng(1), lambda at: bool(seen.append(at)))
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1

    def stop(fraction: float) -> bool:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        method.apply(drawn_snapshots(8), [guarantee], np.random.default_rng(1), stop)
