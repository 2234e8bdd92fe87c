"""The density of every snapshot."""

import numpy as np
import pytest

from antifaz.temporal.utility.density import Density
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import released_as, snapshots_of


@pytest.mark.parametrize(("directed", "pairs"), [(False, 6), (True, 12)])
def test_edges_over_pairs_are_checked_by_hand(directed, pairs):
    original = snapshots_of(4, [(0, 1), (1, 2)], [(0, 1)], directed=directed)
    released = snapshots_of(4, [(0, 1)], [], directed=directed)
    found = Density().measure(original, released_as(released), np.random.default_rng(0), unwatched)
    assert found["series"]["original"] == pytest.approx([2 / pairs, 1 / pairs], abs=1e-5)
    assert found["series"]["released"] == pytest.approx([1 / pairs, 0], abs=1e-5)
    assert found["original"] == pytest.approx(1.5 / pairs)
    assert found["largest_change"] == pytest.approx(1 / pairs)


def test_a_single_node_has_no_density():
    alone = snapshots_of(1, [])
    assert Density().measure(alone, released_as(alone), np.random.default_rng(0), unwatched)["original"] == 0
