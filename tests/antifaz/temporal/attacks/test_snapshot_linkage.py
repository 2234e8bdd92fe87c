"""Linking the nodes of two snapshots."""

import numpy as np
import pytest

from antifaz.temporal.attacks.snapshot_linkage import SnapshotLinkage
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import random_snapshots, renumbered, snapshots_of

STAR = [(0, 1), (0, 2), (0, 3)]


def attempt(snapshots, **parameters):
    return SnapshotLinkage(**parameters).attempt(snapshots, renumbered(snapshots), np.random.default_rng(0), unwatched)


def test_a_release_with_one_numbering_has_nothing_to_link_and_says_so():
    found = attempt(snapshots_of(4, STAR, STAR))
    assert (found["rate"], found["applicable"]) == (None, False)
    assert "same node numbers" in found["detail"]


def test_what_numbers_of_their_own_would_hide_is_checked_by_hand():
    """The middle of the star is found, each leaf with one chance in three."""
    found = attempt(snapshots_of(4, STAR, STAR), independent=True)
    assert found["rate"] == pytest.approx((1 + 3 / 3) / 4)
    assert (found["baseline"], found["targets"], found["applicable"]) == (0.25, 4, True)


def test_snapshots_without_likeness_are_not_linked():
    found = attempt(snapshots_of(4, STAR, [(0, 1)]), independent=True, first=0, second=9)
    assert found["by_query"]["H2"] == 0


def test_deeper_knowledge_finds_more_in_equal_snapshots():
    one = random_snapshots(60, 1, 120)
    twice = snapshots_of(60, *[list(zip(one.sources.tolist(), one.targets.tolist(), strict=True))] * 2)
    found = attempt(twice, independent=True)["by_query"]
    assert found["H1"] < found["H2"]
