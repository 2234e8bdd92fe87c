"""The median degree of every snapshot."""

import numpy as np
import pytest
from hypothesis import given

from antifaz.temporal.utility.median_degree import MedianDegree
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, sequences, snapshots_of


@given(sequences())
def test_it_is_the_median_of_all_degrees_and_of_those_that_are_not_zero(snapshots):
    released = changed(snapshots, 0.5)
    found = MedianDegree().measure(snapshots, released, np.random.default_rng(0), unwatched)
    for side, each in (("original", snapshots), ("released", released.snapshots)):
        assert found["series"][side] == pytest.approx(np.median(each.degrees, axis=1))
        busy = [np.median(row[row > 0]) if row.any() else 0.0 for row in each.degrees]
        assert found["of_nodes_with_edges"]["series"][side] == pytest.approx(busy)


def test_a_star_of_five_is_checked_by_hand():
    star = snapshots_of(6, [(0, 1), (0, 2), (0, 3), (0, 4)])
    found = MedianDegree().measure(star, changed(star, 0.0), np.random.default_rng(0), unwatched)
    assert (found["original"], found["of_nodes_with_edges"]["original"]) == (1, 1)
