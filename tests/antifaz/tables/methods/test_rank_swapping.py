"""Rank swapping: worked example, what stays and what moves."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidPolicy
from antifaz.tables.methods.rank_swapping import RankSwapping
from antifaz.watch import unwatched

AGES = ["29", "48", "21", "36", "45", "58", "72", "22", "25", "43"]
SWAPPED = ["25", "45", "22", "43", "48", "72", "58", "21", "29", "36"]


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


def test_ten_patients_swap_with_their_neighbors(table_of, rows_of):
    released = protect(table_of({"age": AGES}), RankSwapping(percent=10))
    assert [row[0] for row in rows_of(released)] == SWAPPED
    assert released.account["cells_changed"] == {"age": 1.0}


def test_ten_patients_swap_within_two_positions(table_of, rows_of):
    table = table_of({"age": AGES})
    rank = {age: place for place, age in enumerate(sorted(AGES))}
    seen = set()
    for seed in range(20):
        ages = [row[0] for row in rows_of(protect(table, RankSwapping(percent=20), seed))]
        assert all(abs(rank[new] - rank[old]) <= 2 for new, old in zip(ages, AGES, strict=True))
        seen.add(tuple(ages))
    assert len(seen) > 5


def test_texts_are_swapped_only_when_named(table_of, rows_of):
    table = table_of({"a": ["x", "y"], "b": ["1", "2"]})
    assert rows_of(protect(table, RankSwapping())) == [("x", "2"), ("y", "1")]
    assert rows_of(protect(table, RankSwapping(attributes=["a"]))) == [("y", "1"), ("x", "2")]
    with pytest.raises(InvalidPolicy):
        protect(table, RankSwapping(attributes=["none"]))


def test_missing_values_stay_where_they_are(table_of, rows_of):
    table = table_of({"a": ["", "1", "2", ""]})
    assert rows_of(protect(table, RankSwapping())) == [("",), ("2",), ("1",), ("",)]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 30).map(str), min_size=1, max_size=80), st.floats(1, 100), st.integers(0, 9))
def test_the_distribution_stays_and_nobody_moves_too_far(table_of, cells, percent, seed):
    released = protect(table_of({"a": cells}), RankSwapping(percent=percent), seed)
    shown = released.column("a").labels[released.column("a").codes].tolist()
    assert Counter(shown) == Counter(cells)
    reach = max(1, int(len(cells) * percent / 100))
    ordered = sorted(int(cell) for cell in cells)
    for old, new in zip(cells, shown, strict=True):
        low, high = sorted([int(old), int(new)])
        nearest = ordered.index(high) - (len(ordered) - 1 - ordered[::-1].index(low))
        assert nearest <= reach
