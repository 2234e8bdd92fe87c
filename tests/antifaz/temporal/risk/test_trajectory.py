"""How many nodes share a trajectory of degrees."""

from collections import Counter

import pytest
from hypothesis import given

from antifaz.temporal.degree_rows import smallest_trajectory
from antifaz.temporal.risk.trajectory import Trajectory
from tests.antifaz.temporal.sequences import random_snapshots, released_as, sequences, snapshots_of


@given(sequences())
def test_shared_trajectories_are_those_of_a_count(snapshots):
    columns = zip(snapshots.out_degrees.T.tolist(), snapshots.in_degrees.T.tolist(), strict=True)
    seen = Counter(str(pair if snapshots.directed else [a + b for a, b in zip(*pair, strict=True)]) for pair in columns)
    found = Trajectory().after(released_as(snapshots))
    assert found["k"] == min(seen.values()) == smallest_trajectory(snapshots)
    assert found["unique_share"] == pytest.approx(sum(count == 1 for count in seen.values()) / snapshots.n)
    assert sum(found["shares"].values()) == pytest.approx(1)


def test_anonymous_degrees_in_each_snapshot_can_show_a_unique_trajectory():
    """In both snapshots two nodes have one contact; only node 1 has one in both, and only node 3 in none."""
    found = Trajectory().after(released_as(snapshots_of(4, [(0, 1)], [(1, 2)])))
    assert (found["k"], found["unique_share"]) == (1, 1.0)


def test_degrees_at_other_times_are_other_trajectories():
    assert Trajectory().after(released_as(snapshots_of(4, [(0, 1)], [(2, 3)])))["k"] == 2


def test_small_counts_of_the_original_are_withheld():
    found = Trajectory().before(random_snapshots(30, 5, 40))
    assert found["k"] == "<10"
    assert Trajectory().before(snapshots_of(3, [(0, 1)]))["unique_share"] == "<3.33"
    alike = snapshots_of(40, *[[(u, u + 20) for u in range(20)]] * 3)
    assert Trajectory().before(alike)["k"] == 40
