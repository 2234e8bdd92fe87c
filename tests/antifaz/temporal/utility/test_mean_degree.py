"""The mean degree of every snapshot."""

import numpy as np
import pytest
from hypothesis import given

from antifaz.temporal.utility.mean_degree import MeanDegree
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, sequences


@given(sequences())
def test_it_is_the_mean_of_all_degrees(snapshots):
    released = changed(snapshots, 0.5)
    found = MeanDegree().measure(snapshots, released, np.random.default_rng(0), unwatched)
    assert found["series"]["original"] == pytest.approx(snapshots.degrees.mean(axis=1), rel=1e-5)
    assert found["series"]["released"] == pytest.approx(released.snapshots.degrees.mean(axis=1), rel=1e-5)
    assert found["original"] == pytest.approx(snapshots.degrees.mean())
