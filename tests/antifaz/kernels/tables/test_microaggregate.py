"""Microaggregate: groups of sorted numbers and of points."""

import numpy as np
import pytest

from antifaz.kernels.tables.microaggregate import group_around, group_sorted


def test_sorted_numbers_are_divided_where_the_gaps_are():
    assert group_sorted(np.array([1.0, 2.0, 3.0, 10.0, 11.0]), 2).tolist() == [0, 3, 5]
    assert group_sorted(np.array([21, 22, 25, 29, 36, 43, 45, 48, 58, 72.0]), 2).tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_fewer_than_two_groups_worth_of_numbers_are_one_group(size):
    assert group_sorted(np.arange(size, dtype=float), 3).tolist() == [0, size]


def test_large_numbers_do_not_cancel():
    shifted = group_sorted(1e12 + np.array([0.0, 1.0, 5.0, 6.0, 9.0, 9.5]), 2)
    assert shifted.tolist() == [0, 2, 4, 6]


def group(numbers, codes, k):
    labels = np.full(len(numbers), -1, dtype=np.int64)
    weights = np.full(codes.shape[1], 2.0)
    domain = int(codes.max(initial=-1)) + 1
    groups = group_around(numbers, codes, weights, np.arange(len(numbers)), k, domain, 7, labels)
    return labels, groups


def test_points_join_their_neighbors():
    points = np.array([[0.0, 0.0], [9.0, 9.0], [0.1, 0.0], [9.1, 9.0]])
    labels, groups = group(points, np.zeros((4, 0), dtype=np.int32), 2)
    assert labels[0] == labels[2] != labels[1] == labels[3]
    assert sorted(set(labels.tolist())) == [7, 8]
    assert groups == 9


def test_codes_are_as_good_as_numbers():
    codes = np.array([[0], [1], [0], [1], [0], [1]], dtype=np.int32)
    labels, _ = group(np.zeros((6, 0)), codes, 3)
    assert len({(code, label) for code, label in zip(codes[:, 0].tolist(), labels.tolist(), strict=True)}) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7, 50])
def test_every_group_has_between_k_and_two_k_members(size):
    points = np.random.default_rng(size).normal(size=(size, 2))
    labels, _ = group(points, np.zeros((size, 0), dtype=np.int32), 3)
    counts = np.bincount(labels - 7)
    assert labels.min() >= 7
    assert counts.max() < 6
    assert counts.min() >= min(3, size)
