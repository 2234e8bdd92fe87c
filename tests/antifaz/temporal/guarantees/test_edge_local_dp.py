"""The promise about single pairs in every snapshot: what is admitted, and its cost over time."""

from decimal import Decimal

import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.policy.parse import parse_policy, privacy_loss, uncounted_loss
from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.snapshots import Snapshots


def snapshots(length=3, n=4):
    return Snapshots(n, np.empty(0, np.int64), np.zeros(length + 1, np.int64), labels=tuple(map(str, range(length))))


def policy(**guarantee):
    stated = {"model": "edge_local_dp", "epsilon": 2.5, "density": {"declared": 0.3}, **guarantee}
    return {"kind": "temporal_graph", "guarantees": [stated], "method": {"name": "edge_local_dp"}}


def test_what_is_lost_adds_up_over_the_snapshots():
    guarantee = TemporalEdgeLocalDp(epsilon=0.1, density=SnapshotDensity(declared=0.1))
    assert guarantee.over_time(3) == Decimal("0.3")


def test_the_ledger_is_charged_for_every_snapshot_in_which_a_pair_may_appear():
    public = parse_policy(policy()).public()
    assert privacy_loss(public, 7) == Decimal("17.5")
    assert privacy_loss(public) == Decimal("2.5")
    assert uncounted_loss(public) == "/guarantees/0/snapshots"
    stated = parse_policy(policy(snapshots=4)).public()
    assert privacy_loss(stated, 3) == privacy_loss(stated) == 10
    assert uncounted_loss(stated) is None


def test_the_same_promise_of_a_graph_is_charged_once():
    assert privacy_loss({**policy(), "kind": "graph"}, 7) == Decimal("2.5")
    assert uncounted_loss({**policy(), "kind": "graph"}) is None


def test_more_snapshots_than_are_charged_are_refused():
    guarantee = TemporalEdgeLocalDp(epsilon=1, density=SnapshotDensity(declared=0.1), snapshots=2)
    guarantee.admit(snapshots(2))
    with pytest.raises(InvalidDataset) as caught:
        guarantee.admit(snapshots(3))
    assert caught.value.rule == "more_snapshots"


def test_without_a_pair_there_is_nothing_to_protect():
    guarantee = TemporalEdgeLocalDp(epsilon=1, density=SnapshotDensity(declared=0.1))
    with pytest.raises(InvalidDataset):
        guarantee.admit(snapshots(n=1))
    assert guarantee.holds(snapshots())
