"""The dynamic program against exhaustive search."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.graphs.sequence import MOST_STEPS, cheapest_sequence


def price(values: list[int], targets: list[int], raising: int, lowering: list[int]) -> int:
    return sum(raising * (t - v) if t > v else w * (v - t) for v, t, w in zip(values, targets, lowering, strict=True))


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(
    values=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    weights=st.lists(st.integers(0, 4), min_size=5, max_size=5),
    raising=st.integers(1, 3),
    k=st.integers(1, 5),
    even=st.booleans(),
)
def test_no_sequence_is_cheaper(values, weights, raising, k, even):
    values = sorted(values, reverse=True)
    lowering = sorted(weights, reverse=True)[: len(values)]
    targets = np.zeros(len(values), dtype=np.int64)
    found = cheapest_sequence(np.array(values), np.full(len(values), raising), np.array(lowering), k, 4, even, targets)
    allowed = [
        price(values, list(other), raising, lowering)
        for other in product(range(5), repeat=len(values))
        if min(Counter(other).values()) >= k and not (even and (sum(other) - sum(values)) % 2)
    ]
    if not allowed:
        assert found == -1
        return
    assert found == min(allowed)
    assert price(values, targets.tolist(), raising, lowering) == found
    assert min(Counter(targets.tolist()).values()) >= k


@pytest.mark.parametrize(("k", "total"), [(1, 0), (2, 6)])
def test_the_published_sequence_of_karate_is_this_far_from_anonymous(k, total):
    counts = [0, 1, 11, 6, 6, 3, 2, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1]
    values = np.repeat(np.arange(len(counts)), counts)[::-1].copy()
    ones = np.ones_like(values)
    assert cheapest_sequence(values, ones, ones, k, 33, True, np.empty_like(values)) == total


def test_a_sequence_for_a_very_large_k_is_anonymous_and_costs_what_it_says():
    values = np.sort(np.random.default_rng(0).integers(0, 1000, 30_000))[::-1].copy()
    k, ones, targets = 7_001, np.ones_like(values), np.empty_like(values)
    assert len(values) * k > MOST_STEPS
    price = cheapest_sequence(values, ones, ones, k, 30_000, False, targets)
    assert price == np.abs(targets - values).sum()
    assert np.unique(targets, return_counts=True)[1].min() >= k
    # Four groups of equal size are near the best, and no better.
    quarters = [np.abs(part - np.median(part)).sum() for part in np.array_split(values, 4)]
    assert price <= 1.01 * sum(quarters)
