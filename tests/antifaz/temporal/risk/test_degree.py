"""Degrees in every snapshot and in the aggregate."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from antifaz.temporal.risk.degree import Degree
from antifaz.temporal.snapshots import Snapshots
from tests.antifaz.temporal.sequences import random_snapshots, released_as, sequences, snapshots_of


def known(snapshots: Snapshots, t: int) -> list[tuple[int, ...]]:
    out, into = snapshots.out_degrees[t], snapshots.in_degrees[t]
    return list(zip(out, into, strict=True)) if snapshots.directed else [(each,) for each in out + into]


@given(sequences())
def test_classes_are_those_of_a_count(snapshots):
    counts = [Counter(known(snapshots, t)) for t in range(len(snapshots))]
    alone = [sum(count == 1 for count in each.values()) for each in counts]
    found = Degree().after(released_as(snapshots))
    assert found["k"] == min(min(each.values()) for each in counts)
    assert found["unique_share"] == pytest.approx(sum(alone) / (snapshots.n * len(snapshots)))
    assert found["snapshots_with_unique_nodes"] == sum(map(bool, alone))
    assert found["snapshots"] == len(snapshots)
    whole = snapshots.aggregate
    pairs = zip(whole.out_degrees, whole.in_degrees, strict=True)
    degrees = Counter(pairs if snapshots.directed else whole.degrees.tolist())
    assert found["aggregate"]["k"] == min(degrees.values())
    assert found["aggregate"]["unique_nodes"] == sum(count == 1 for count in degrees.values())


def test_a_path_and_an_empty_snapshot_are_checked_by_hand():
    found = Degree().after(released_as(snapshots_of(3, [(0, 1), (1, 2)], [])))
    assert (found["k"], found["unique_share"], found["snapshots_with_unique_nodes"]) == (1, pytest.approx(1 / 6), 1)


def test_small_counts_of_the_original_are_withheld():
    found = Degree().before(snapshots_of(3, [(0, 1), (1, 2)]))
    assert (found["k"], found["unique_share"], found["snapshots_with_unique_nodes"]) == ("<10", "<3.33", "<10")
    assert found["aggregate"] == {"k": "<10", "unique_nodes": "<10"}


def test_large_counts_of_the_original_are_shown():
    alike = snapshots_of(40, *[[(u, u + 20) for u in range(20)]] * 3)
    assert Degree().before(alike)["k"] == 40
    varied = random_snapshots(30, 12, 120)
    before, after = Degree().before(varied), Degree().after(released_as(varied))
    assert before["unique_share"] == after["unique_share"] > 0
    assert np.isclose(before["unique_share"] * 360, round(before["unique_share"] * 360))
