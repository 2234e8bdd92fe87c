"""Groups of pairs of degrees: always k or more, and more compact after annealing."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.graphs.groups import AT_CENTER, found_groups, tighten_groups
from tests.patience import shortest


def price(points: np.ndarray, gaps: np.ndarray, group: np.ndarray) -> int:
    total = int(gaps[group == AT_CENTER].sum())
    for number in range(group.max() + 1):
        members = points[:, group == number]
        total += int(np.abs(members - np.sort(members, axis=1)[:, [members.shape[1] // 2]]).sum())
    return total


@settings(deadline=None, max_examples=30)
@given(
    persons=st.integers(1, 60), k=st.integers(2, 8), seed=st.integers(0, 2**32 - 1), heat=st.sampled_from([0.0, 4.0])
)
def test_groups_keep_k_members_and_do_not_lose_anybody(persons, k, seed, heat):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 30, (2, persons))
    points = np.ascontiguousarray(points[:, np.argsort(-points.sum(axis=0))])
    gaps = rng.integers(0, 20, persons)
    group = np.zeros(persons, dtype=np.int64)
    groups = found_groups(points, gaps, k, 30, group)
    before = price(points, gaps, group)
    assert (group >= AT_CENTER).all()
    assert group.max() < groups or groups == 0
    if groups:
        tighten_groups(points, gaps, groups, k, 2000, heat, 0.0, 7, group)
        sizes = np.bincount(group[group >= 0], minlength=groups)
        assert sizes.min() >= k
    if heat == 0.0:
        assert price(points, gaps, group) <= before


@pytest.mark.parametrize("k", [4, 8])
def test_annealing_brings_scattered_persons_together(k):
    rng = np.random.default_rng(1)
    points = rng.integers(0, 200, (2, 40 * k))
    points = np.ascontiguousarray(points[:, np.argsort(-points.sum(axis=0))])
    gaps = np.full(points.shape[1], 1000)
    group = np.zeros(points.shape[1], dtype=np.int64)
    groups = found_groups(points, gaps, k, 300, group)
    before = price(points, gaps, group)
    tighten_groups(points, gaps, groups, k, 100_000, 4.0, 0.0, 3, group)
    assert price(points, gaps, group) < 0.9 * before


def test_who_is_nearer_to_a_center_joins_it():
    points = np.array([[50, 49, 10, 3], [50, 50, 10, 3]])
    group = np.zeros(4, dtype=np.int64)
    assert found_groups(points, np.array([9, 9, 1, 1]), 2, 30, group) == 1
    assert group.tolist() == [0, 0, AT_CENTER, AT_CENTER]


def test_large_groups_are_founded_without_searching_a_window_for_every_person():
    # Everyone is at a center already; a window of 2k for each of them would take seconds in one call.
    persons, k = 200_000, 20_000
    points = np.ascontiguousarray(np.sort(np.random.default_rng(1).integers(0, 30, (2, persons)), axis=1)[:, ::-1])
    group = np.zeros(persons, dtype=np.int64)

    def work() -> float:
        started = time.process_time()
        assert found_groups(points, np.zeros(persons, dtype=np.int64), k, 300, group) == 0
        return time.process_time() - started

    assert shortest(work, 1.5) < 1.5
    assert (group == AT_CENTER).all()
