"""Re-identification by degrees over time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.temporal.attacks.degree_trajectory import DegreeTrajectory
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, random_snapshots, released_as, renumbered, sequences, snapshots_of


def attempt(snapshots: Snapshots, released: ProtectedSnapshots, known: int | None = None) -> dict:
    return DegreeTrajectory(known=known).attempt(snapshots, released, np.random.default_rng(0), unwatched)


def column(snapshots: Snapshots, node: int) -> list[tuple[int, int]]:
    out, into = snapshots.out_degrees[:, node], snapshots.in_degrees[:, node]
    return (
        list(zip(out, into, strict=True))
        if snapshots.directed
        else [(a + b, 0) for a, b in zip(out, into, strict=True)]
    )


@given(sequences())
def test_chances_are_those_of_the_candidate_sets(snapshots):
    released = changed(snapshots, 0.4)
    shown = released.snapshots
    chances = []
    for node in range(snapshots.n):
        candidates = [other for other in range(shown.n) if column(shown, other) == column(snapshots, node)]
        right = [other for other in candidates if released.origin[other] == node]
        chances.append(len(right) / len(candidates) if candidates else 0.0)
    found = attempt(snapshots, released)
    assert found["rate"] == pytest.approx(np.mean(chances))
    assert found["highest"] == pytest.approx(max(chances))
    assert found["baseline"] == pytest.approx(1 / snapshots.n)


@settings(max_examples=30)
@given(sequences(), st.integers(1, 5))
def test_an_attacker_who_knows_more_snapshots_finds_more_in_an_unchanged_release(snapshots, known):
    released = renumbered(snapshots)
    some, all_times = attempt(snapshots, released, known), attempt(snapshots, released)
    assert some["rate"] <= all_times["rate"] + 1e-12
    assert some["snapshots_known"] == min(known, len(snapshots))


def test_a_sequence_is_checked_by_hand():
    """All four trajectories differ, so everyone is found; at either time alone there are two candidates each."""
    snapshots = snapshots_of(4, [(0, 1)], [(1, 2)])
    assert attempt(snapshots, renumbered(snapshots))["rate"] == 1
    assert attempt(snapshots, renumbered(snapshots), known=1)["rate"] == pytest.approx(0.5)


def test_a_changed_degree_misleads():
    found = attempt(snapshots_of(3, [(0, 1)]), released_as(snapshots_of(3, [(0, 1), (0, 2), (1, 2)])))
    assert (found["rate"], found["highest"]) == (0, 0)


def test_the_whole_of_a_larger_sequence_is_found():
    snapshots = random_snapshots(100, 30, 150)
    assert attempt(snapshots, renumbered(snapshots))["rate"] > 0.9
