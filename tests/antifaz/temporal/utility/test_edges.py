"""The number of edges of every snapshot."""

import numpy as np
import pytest

from antifaz.temporal import comparison
from antifaz.temporal.utility.edges import Edges
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import random_snapshots, released_as, renumbered, snapshots_of


def test_both_series_and_their_means_are_checked_by_hand():
    original, released = snapshots_of(4, [(0, 1), (1, 2)], [(0, 1)]), snapshots_of(4, [(0, 1)], [])
    found = Edges().measure(original, released_as(released), np.random.default_rng(0), unwatched)
    assert found["series"] == {"original": [2, 1], "released": [1, 0]}
    assert (found["original"], found["released"], found["loss"]) == (1.5, 0.5, pytest.approx(2 / 3))
    assert (found["labels"], found["snapshots_per_point"]) == (["0", "1"], 1)


def test_a_long_series_is_shortened_to_means(monkeypatch):
    monkeypatch.setattr(comparison, "MOST_POINTS", 5)
    snapshots = random_snapshots(20, 12, 10)
    found = Edges().measure(snapshots, renumbered(snapshots), np.random.default_rng(0), unwatched)
    assert found["snapshots_per_point"] == 3
    assert found["labels"] == ["0", "3", "6", "9"]
    sizes = np.diff(snapshots.starts).reshape(4, 3)
    assert found["series"]["original"] == pytest.approx(sizes.mean(axis=1), rel=1e-5)
