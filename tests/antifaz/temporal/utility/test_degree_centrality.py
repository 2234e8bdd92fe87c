"""Tops by degree."""

import numpy as np
import pytest
from hypothesis import given

from antifaz.temporal.utility.degree_centrality import DegreeCentrality
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, released_as, sequences, snapshots_of


@given(sequences())
def test_the_tops_are_those_of_a_stable_sort(snapshots):
    other = changed(snapshots, 0.5).snapshots
    size = max(1, int(0.05 * snapshots.n))
    values = []
    for before, after in zip(snapshots.degrees, other.degrees, strict=True):
        one, two = (set(np.argsort(-row, kind="stable")[:size]) for row in (before, after))
        values.append(len(one & two) / len(one | two))
    found = DegreeCentrality().measure(snapshots, released_as(other), np.random.default_rng(0), unwatched)
    assert found["value"] == pytest.approx(np.mean(values))


def test_five_in_a_hundred_are_the_top_and_zero_scores_follow_by_number():
    """Of forty nodes two: the middle of the star, then its first leaf in the one, node 0 of all the others after."""
    star, edge = snapshots_of(40, [(5, 7), (5, 8)]), snapshots_of(40, [(5, 9)])
    found = DegreeCentrality().measure(star, released_as(edge), np.random.default_rng(0), unwatched)
    assert found["value"] == pytest.approx(1 / 3)
    assert found["clear_top"] == pytest.approx(1 / 2)
