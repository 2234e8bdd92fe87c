"""Kernels of tables against plain Python."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.lists import distinct_by_class, number_lists
from antifaz.kernels.tables.classes import number_rows
from antifaz.kernels.tables.conditions import DISTINCT, ENTROPY, RECURSIVE, classes_hold
from antifaz.kernels.tables.range_cuts import bisect_codes, select


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**31 - 1), st.integers(0, 1)), max_size=60))
def test_equal_rows_and_only_those_share_a_class(rows):
    matrix = np.array(rows, dtype=np.int32).reshape(-1, 3)
    numbers, classes = number_rows(matrix)
    assert classes == len(set(rows))
    assert all((numbers[i] == numbers[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 200), min_size=1, max_size=90), min_size=1, max_size=8))
def test_lists_the_distinct_codes_of_each_class(lists):
    codes = np.array([code for codes in lists for code in codes], dtype=np.int32)
    bounds = np.concatenate([[0], np.cumsum([len(codes) for codes in lists])])
    list_bounds, flat = distinct_by_class(codes, bounds, 201)
    found = [flat[start:stop].tolist() for start, stop in pairwise(list_bounds)]
    assert found == [sorted(set(codes)) for codes in lists]
    numbers, examples = number_lists(list_bounds, flat)
    assert len(examples) == len({tuple(codes) for codes in found})
    assert [found[examples[number]] for number in numbers] == found


def holds(counts, kind, *parameters):
    sensitive = np.repeat(np.arange(len(counts)), counts).astype(np.int32).reshape(-1, 1)
    row = np.zeros((1, 4))
    row[0, : len(parameters)] = parameters
    size = int(sum(counts))
    return bool(
        classes_hold(
            np.arange(size), np.array([0, size]), 1, np.array([kind]), np.array([0]), row, sensitive, len(counts)
        )[0]
    )


@pytest.mark.parametrize("values", [2, 3, 6, 7])
def test_equal_counts_have_the_entropy_of_their_number(values):
    assert holds([4] * values, ENTROPY, values)
    assert not holds([4] * values, ENTROPY, values + 1)
    assert not holds([5] + [4] * (values - 1), ENTROPY, values)


def test_distinct_counts_values():
    assert holds([9, 1], DISTINCT, 2)
    assert not holds([10], DISTINCT, 2)


def test_recursive_compares_with_the_tail():
    assert holds([5, 2, 1], RECURSIVE, 2, 2.0)
    assert not holds([6, 2, 1], RECURSIVE, 2, 2.0)
    assert not holds([5, 2, 1], RECURSIVE, 3, 2.0)
    assert not holds([3], RECURSIVE, 2, 9.0)


@compiled("int64(int32[::1], int64, boolean)")
def element(values, rank, bisected):
    """Pieces of kernels can only be called by kernels."""
    return bisect_codes(values, 0, len(values) - 1, rank) if bisected else select(values, len(values), rank)


def worst_for_the_middle(size):
    """An order in which the middle of what is left is always its highest value (McIlroy's adversary, by simulation)."""
    places, order = list(range(size)), [0] * size
    for value in range(size - 1, -1, -1):
        # The pivot goes to the end of what is left, as quickselect's exchange does with a highest value.
        middle = value // 2
        order[places[middle]] = value
        places[middle], places[value] = places[value], places[middle]
    return np.array(order, dtype=np.int32)


@pytest.mark.parametrize("size", [1, 2, 7, 100, 3_000])
def test_the_median_is_found_in_any_order(size):
    rng = np.random.default_rng(size)
    orders = [np.arange(size), rng.permutation(size), rng.integers(0, 5, size), worst_for_the_middle(size)]
    for values in orders:
        for rank in {0, size // 2, size - 1}:
            wanted = np.sort(values)[rank]
            for bisected in (True, False):
                assert element(values.astype(np.int32), rank, bisected) == wanted


def test_an_order_that_makes_every_pivot_a_bad_one_is_not_quadratic():
    size = 400_000
    values = worst_for_the_middle(size)
    assert element(values[:1].copy(), 0, False) == values[0]
    start = time.thread_time()
    assert element(values, 0, False) == 0
    # Quickselect alone compares 8e10 pairs here.
    assert time.thread_time() - start < 5.0
