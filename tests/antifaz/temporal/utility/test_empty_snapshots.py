"""Snapshots without edges."""

import numpy as np

from antifaz.temporal.utility.empty_snapshots import EmptySnapshots
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import released_as, snapshots_of


def test_what_is_and_what_became_empty_is_counted():
    original = snapshots_of(3, [(0, 1)], [], [(1, 2)], [(0, 2)])
    released = snapshots_of(3, [], [(0, 1)], [(1, 2)], [])
    found = EmptySnapshots().measure(original, released_as(released), np.random.default_rng(0), unwatched)
    assert found == {"original": 1, "released": 2, "loss": 0.5, "became_empty": 2, "of": 4}
