"""Edge Jaccard: by hand, and against sets."""

import numpy as np
import pytest
from hypothesis import given

from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.utility.edge_jaccard import EdgeJaccard
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, released_as, renumbered, sequences, snapshots_of


def measure(snapshots: Snapshots, released: ProtectedSnapshots) -> dict:
    return EdgeJaccard().measure(snapshots, released, np.random.default_rng(0), unwatched)


def test_the_mean_over_snapshots_is_checked_by_hand():
    """One of three shared; two empty snapshots agree; an empty one and one with an edge do not."""
    original = snapshots_of(4, [(0, 1), (1, 2)], [], [(0, 1)])
    released = snapshots_of(4, [(0, 1), (2, 3)], [], [])
    found = measure(original, released_as(released))
    assert found["by_snapshot"] == pytest.approx([1 / 3, 1, 0], abs=1e-5)
    assert found["value"] == pytest.approx(4 / 9)
    assert found["exact"]
    assert found["snapshots"] == {"measured": 3, "of": 3}


@given(sequences())
def test_it_is_that_of_sets_of_pairs(snapshots):
    released = changed(snapshots, 0.5)
    shown, origin = released.snapshots, released.origin
    values = []
    for t in range(len(snapshots)):
        one = set(zip(snapshots.graph(t).sources, snapshots.graph(t).targets, strict=True))
        ends = zip(origin[shown.graph(t).sources], origin[shown.graph(t).targets], strict=True)
        other = {(u, v) if snapshots.directed else (min(u, v), max(u, v)) for u, v in ends}
        values.append(len(one & other) / len(one | other) if one | other else 1.0)
    assert measure(snapshots, released)["value"] == pytest.approx(np.mean(values))


@given(sequences())
def test_new_numbers_change_nothing(snapshots):
    assert measure(snapshots, renumbered(snapshots))["value"] == 1
